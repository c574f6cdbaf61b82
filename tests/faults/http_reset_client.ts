// A program: opens so many connections to a port, one after another, and resets each as soon as it is open.

import { once } from "node:events";
import { connect } from "node:net";

const [port = "", count = ""] = Deno.args;

for (let opened = 0; opened < Number(count); opened++) {
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.resetAndDestroy();
  await once(socket, "close");
}

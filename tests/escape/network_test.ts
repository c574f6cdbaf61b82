// Attempts to open sockets.

import { assertEquals } from "@std/assert";
import { Compartment, toSuccess, toText, type Wall } from "./compartment.ts";

/** Other spellings of loopback, which a check of text would have to know; a namespace need not. */
const SPELLINGS = ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "0177.0.0.1", "127.1"];

const WALLS: readonly Wall[] = ["bubblewrap", "deno"];

for (const wall of WALLS) {
  Deno.test(`${wall} child cannot open a socket to loopback in any spelling`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const port = String(listener.addr.port);
    await using denied = await Compartment.create({ wall });
    for (const host of SPELLINGS) {
      const outcome = await denied.run(["connect", host, port]);
      assertEquals(toSuccess(outcome), undefined, `${host}: ${toText(outcome)}`);
    }
    await using granted = await Compartment.create({
      wall,
      rules: { net: wall === "deno" ? [`127.0.0.1:${port}`] : "all" },
    });
    const outcome = await granted.run(["connect", "127.0.0.1", port]);
    assertEquals(toSuccess(outcome)?.startsWith("connected"), true, toText(outcome));
  });

  Deno.test(`${wall} child cannot open a socket elsewhere`, async () => {
    await using c = await Compartment.create({ wall });
    for (const host of ["192.0.2.1", "169.254.169.254", "example.com"]) {
      const outcome = await c.run(["connect", host, "80"], { timeoutMs: 5000 });
      assertEquals(outcome.kind === "exited" && outcome.code !== 0, true, toText(outcome));
    }
  });
}

Deno.test("deno child that may reach one port cannot reach another", async () => {
  using open = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using c = await Compartment.create({
    wall: "deno",
    rules: { net: [`127.0.0.1:${open.addr.port}`] },
  });
  assertEquals(
    toSuccess(await c.run(["connect", "127.0.0.1", String(closed.addr.port)])),
    undefined,
  );
  const outcome = await c.run(["connect", "127.0.0.1", String(open.addr.port)]);
  assertEquals(toSuccess(outcome)?.startsWith("connected"), true, toText(outcome));
});

Deno.test("bubblewrap child sees no socket files of the host", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (const path of ["/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"]) {
    assertEquals(toSuccess(await c.run(["run", "test", "-e", path])), undefined, path);
  }
  // Abstract sockets belong to the network namespace: only the header line is left of the host's list.
  assertEquals(toSuccess(await c.run(["read", "/proc/net/unix"]))?.split("\n").length, 1);
});

// Attempts to open sockets.

import { assertEquals } from "@std/assert";
import { Compartment, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

/** Other spellings of loopback, which a check of text would have to know; a namespace need not. */
const SPELLINGS = [
  "127.0.0.1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "0x7f.1",
  "2130706433",
  "0177.0.0.1",
  "127.1",
  "::ffff:127.0.0.1",
  "::1",
];

const QUIET = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

const WALLS: readonly Wall[] = ["bubblewrap", "deno"];

for (const wall of WALLS) {
  test(`${wall} child cannot open a socket to loopback in any spelling`, async () => {
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

  test(`${wall} child cannot open a socket elsewhere`, async () => {
    await using c = await Compartment.create({ wall });
    for (const host of ["192.0.2.1", "169.254.169.254", "example.com"]) {
      const outcome = await c.run(["connect", host, "80"], { timeoutMs: 5000 });
      assertEquals(outcome.kind === "exited" && outcome.code !== 0, true, toText(outcome));
    }
  });
}

test("deno child that may reach one port cannot reach another", async () => {
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

// Case 20: an allowed host that sends the child on to another one.
test("deno child cannot be redirected to where it may not go", async () => {
  await using secret = Deno.serve(QUIET, () => new Response("secret"));
  const target = `http://127.0.0.1:${secret.addr.port}/`;
  await using open = Deno.serve(QUIET, ({ url }) => {
    return url.endsWith("/away") ? Response.redirect(target) : new Response("open");
  });
  const host = `127.0.0.1:${open.addr.port}`;
  await using c = await Compartment.create({ wall: "deno", rules: { net: [host] } });
  assertEquals(toSuccess(await c.run(["fetch", `http://${host}/`])), "open");
  assertEquals(toSuccess(await c.run(["fetch", `http://${host}/away`])), undefined);
  assertEquals(toSuccess(await c.run(["fetch", target])), undefined);
});

// Case 20: no name is resolved and no datagram leaves, so that nothing can be tunnelled through either.
test("bubblewrap child cannot send datagrams", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (const host of ["192.0.2.1", "169.254.169.254", "example.com"]) {
    assertEquals(toSuccess(await c.run(["udp", host, "53"])), undefined, host);
  }
  await using granted = await Compartment.create({ wall: "bubblewrap", rules: { net: "all" } });
  assertEquals(toSuccess(await granted.run(["udp", "127.0.0.1", "9"])), "sent");
});

test("bubblewrap child sees no socket files of the host", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (const path of ["/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"]) {
    assertEquals(toSuccess(await c.run(["run", "test", "-e", path])), undefined, path);
  }
  // Abstract sockets belong to the network namespace: only the header line is left of the host's list.
  assertEquals(toSuccess(await c.run(["read", "/proc/net/unix"]))?.split("\n").length, 1);
});

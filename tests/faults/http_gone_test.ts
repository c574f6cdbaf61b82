// Clients that leave: in a body, while a handler works, in a stream, abruptly or politely. The handler hears of it once
// and nothing stays behind.

import { assertEquals } from "@std/assert";
import type { HttpReply } from "../../src/transport/http.ts";
import { HttpConnection } from "../../src/transport/http_connection.ts";
import { withDeadline } from "../harness/deadline.ts";
import { toBytes } from "../harness/http_samples.ts";
import { Host, type Peer } from "./http_peer.ts";
import { LedFloor } from "./led_floor.ts";

const REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const HELD = "GET /held HTTP/1.1\r\nHost: a\r\n\r\n";

/** Counts how often it is told that the client has left, and resolves with the first time. */
class Farewell {
  count = 0;
  readonly #told = Promise.withResolvers<void>();

  constructor(reply: HttpReply) {
    reply.onGone(() => {
      this.count += 1;
      this.#told.resolve();
    });
  }

  told(): Promise<void> {
    return withDeadline(this.#told.promise, () => "Nobody said that the client has left");
  }
}

/** Ends when no connection is left; asks anew as long as one is. */
async function settle(host: Host): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (host.server.connections > 0) {
    if (Date.now() > deadline) throw new Error(`${host.server.connections} connections are left`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const WAYS = [
  ["closes", (peer: Peer) => peer.close()],
  ["stops sending", (peer: Peer) => peer.endSending()],
] as const;

for (const [name, leave] of WAYS) {
  Deno.test(`a client that ${name} while a handler works is noticed`, async () => {
    await using host = new Host();
    using peer = await host.connect();
    await peer.send(HELD);
    const { reply } = await host.next();
    const farewell = new Farewell(reply);
    await leave(peer);
    await farewell.told();
    assertEquals(host.server.connections, 0);
    reply.answer({ status: 200, body: "too late" });
    assertEquals(farewell.count, 1);
  });

  Deno.test(`a client that ${name} in a stream is noticed, even when nothing is sent`, async () => {
    await using host = new Host();
    using peer = await host.connect();
    await peer.send(HELD);
    const { reply } = await host.next();
    const farewell = new Farewell(reply);
    const stream = reply.stream({ status: 200, headers: {} });
    stream.send("first");
    await peer.take(1);
    await leave(peer);
    await farewell.told();
    stream.send("second");
    assertEquals([stream.ready(), host.server.connections], [undefined, 0]);
    stream.end();
    assertEquals(farewell.count, 1);
  });

  Deno.test(`a client that ${name} anywhere in a request leaves nothing behind`, async () => {
    await using host = new Host();
    const request = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${
      "x".repeat(19_999)
    }`;
    const chunked =
      `POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n3;x\r\nab`;
    for (const text of [request, chunked]) {
      for (const length of [0, 1, 10, 30, 58, 60, 70, 75, 80, 90, text.length]) {
        using peer = await host.connect();
        await peer.send(text.slice(0, length));
        await leave(peer);
      }
    }
    using last = await host.connect();
    assertEquals((await last.ask(REQUEST)).status, 200);
    last.close();
    await settle(host);
  });
}

Deno.test("a client that leaves behind a request it has sent ahead is noticed", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send(HELD + REQUEST);
  const farewell = new Farewell((await host.next()).reply);
  peer.close();
  await farewell.told();
  assertEquals(host.screened, ["/held"]);
});

Deno.test("an answer that was given at once reaches a client that has stopped sending", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send(REQUEST + REQUEST);
  await peer.endSending();
  assertEquals((await peer.answer()).body, "GET /next ");
  assertEquals((await peer.answer()).body, "GET /next ");
  assertEquals(await peer.rest(), "");
});

Deno.test("a client that resets its connection in a stream is noticed by the sender", async () => {
  await using host = new Host({ maxBacklogLength: 1_000 });
  using peer = await host.connect();
  await peer.send(HELD);
  const { reply } = await host.next();
  const farewell = new Farewell(reply);
  const stream = reply.stream({ status: 200, headers: {} });
  while (stream.ready() === undefined) stream.send("x".repeat(100_000));
  // What it has not read makes the close a reset.
  await peer.take(1);
  peer.close();
  await farewell.told();
  await stream.ready();
  await settle(host);
});

Deno.test("a client that stops sending is noticed although it has not read all", async () => {
  await using host = new Host({ maxBacklogLength: 1_000 });
  using peer = await host.connect();
  await peer.send(HELD);
  const { reply } = await host.next();
  const farewell = new Farewell(reply);
  const stream = reply.stream({ status: 200, headers: {} });
  // More than the buffers of both systems hold.
  for (let count = 0; count < 300; count++) stream.send("x".repeat(100_000));
  await peer.take(1);
  await peer.endSending();
  await farewell.told();
  await stream.ready();
});

Deno.test("nobody is told that a client has left which had its answer", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send(HELD);
  const { reply } = await host.next();
  const farewell = new Farewell(reply);
  reply.answer({ status: 200 });
  await peer.answer();
  peer.close();
  await settle(host);
  assertEquals(farewell.count, 0);
});

Deno.test("disposing cuts every connection and tells every handler", async () => {
  const farewells: Farewell[] = [];
  const host = new Host();
  const peers: Peer[] = [];
  for (let count = 0; count < 10; count++) {
    const peer = await host.connect();
    peers.push(peer);
    await peer.send(HELD);
    const { reply } = await host.next();
    farewells.push(new Farewell(reply));
    if (count % 2 === 0) reply.stream({ status: 200, headers: {} }).send("x");
  }
  await host[Symbol.asyncDispose]();
  assertEquals(farewells.map(({ count }) => count), Array(10).fill(1));
  for (const peer of peers) {
    await peer.rest();
    peer.close();
  }
});

Deno.test("a client that sent so much ahead that it is not read from any more is not waited for", async () => {
  await using host = new Host({ bodyMs: 40 });
  using peer = await host.connect();
  const ahead = `POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`;
  const sent = peer.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${ahead}${"x".repeat(50_000)}`);
  const { reply } = await host.next();
  const gone = Promise.withResolvers<void>();
  reply.onGone(gone.resolve);
  await withDeadline(gone.promise, () => "Nobody noticed");
  await sent.catch(() => {});
});

Deno.test("a client that sends ahead late has as long as one that does so at once", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const begun = Promise.withResolvers<void>();
  using floor = new LedFloor({ screen: () => undefined, handle: () => begun.resolve() });
  const full = Promise.withResolvers<void>();
  let reads = 0;
  floor.onRead = () => reads += 1;
  floor.onFull = () => {
    // Where there is more room, it has begun to read again.
    const before = reads;
    setImmediate(() => reads === before && full.resolve());
  };
  const connection = new HttpConnection(await listener.accept(), floor);
  await client.write(toBytes(HELD));
  await withDeadline(begun.promise, () => "The request did not come");
  const { bodyMs } = floor.limits;
  floor.tick = 10 * bodyMs;
  connection.sweep();
  const sent = client.write(toBytes(REQUEST.repeat(2_000)));
  await withDeadline(full.promise, () => "It reads on and on");
  floor.tick += bodyMs;
  connection.sweep();
  assertEquals(floor.isForgotten, false);
  floor.tick += 1;
  connection.sweep();
  assertEquals(floor.isForgotten, true);
  await sent.catch(() => {});
});

Deno.test("clients that have reset their connections before they are accepted cost nobody else's", async () => {
  await using host = new Host();
  const peers = await Promise.all(Array.from({ length: 8 }, () => host.connect()));
  for (const peer of peers) await peer.ask(REQUEST);
  const resets = 100;
  // As long as this waits, the server in this process accepts nobody.
  const { success } = new Deno.Command("deno", {
    args: [
      "run",
      "--no-prompt",
      "--quiet",
      `--allow-net=127.0.0.1:${host.server.port}`,
      new URL("http_reset_client.ts", import.meta.url).pathname,
      `${host.server.port}`,
      `${resets}`,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).outputSync();
  assertEquals(success, true);
  // It waits in line behind all of them.
  using last = await host.connect();
  assertEquals((await last.ask(REQUEST)).status, 200);
  for (const peer of peers) {
    assertEquals((await peer.ask(REQUEST)).status, 200);
    peer.close();
  }
});

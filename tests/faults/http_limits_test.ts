// What a client cannot do to the HTTP server: hold connections, time or memory for nothing, or keep others out.

import { assert, assertEquals } from "@std/assert";
import type { HttpStream } from "../../src/transport/http.ts";
import { withDeadline } from "../harness/deadline.ts";
import { Host, type Peer } from "./http_peer.ts";

const REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const HELD = "GET /held HTTP/1.1\r\nHost: a\r\n\r\n";

/** Sends the text byte by byte for as long as the server takes it. */
async function drip(peer: Peer, text: string): Promise<void> {
  for (const byte of text) {
    if (!await peer.send(byte)) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

Deno.test("half a head is answered with 408 when its time is over", async () => {
  await using host = new Host({ headMs: 40 });
  using peer = await host.connect();
  await peer.send("GET / HTTP/1.1\r\nHost: a\r\n");
  const { status, body } = await peer.answer();
  assertEquals([status, body], [408, "The request's head took too long\n"]);
  assertEquals(await peer.rest(), "");
  assertEquals(host.refusals, [408]);
});

Deno.test("a head that comes byte by byte has no more time than others", async () => {
  await using host = new Host({ headMs: 40 });
  using peer = await host.connect();
  const dripping = drip(peer, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(10_000)}`);
  assertEquals((await peer.answer()).status, 408);
  assertEquals(await peer.rest(), "");
  peer.close();
  await dripping.catch(() => {});
});

Deno.test("a second head has its own time", async () => {
  await using host = new Host({ headMs: 40 });
  using peer = await host.connect();
  await peer.ask(REQUEST);
  await peer.send("GET /");
  assertEquals((await peer.answer()).status, 408);
});

Deno.test("a connection without a word is closed without one", async () => {
  await using host = new Host({ headMs: 40 });
  using peer = await host.connect();
  assertEquals(await peer.rest(), "");
});

Deno.test("a connection between requests is closed without a word", async () => {
  await using host = new Host({ idleMs: 40, headMs: 10_000 });
  using peer = await host.connect();
  assertEquals((await peer.ask(REQUEST)).status, 200);
  assertEquals(await peer.rest(), "");
});

Deno.test("half a body is answered with 408 when its time is over, by length and in chunks", async () => {
  await using host = new Host({ bodyMs: 40 });
  const halves = ["Content-Length: 10000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2710\r\n"];
  for (const half of halves) {
    using peer = await host.connect();
    await peer.send(`POST / HTTP/1.1\r\nHost: a\r\n${half}`);
    const dripping = drip(peer, "x".repeat(9_000));
    const { status, body } = await peer.answer();
    assertEquals([status, body], [408, "The request's body took too long\n"]);
    assertEquals(await peer.rest(), "");
    peer.close();
    await dripping.catch(() => {});
  }
});

Deno.test("a refused body that does not come ends the connection", async () => {
  await using host = new Host({ bodyMs: 40 });
  using peer = await host.connect();
  await peer.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  assertEquals((await peer.answer()).status, 403);
  assertEquals(await peer.rest(), "");
});

Deno.test("a handler has all the time it wants", async () => {
  await using host = new Host({ headMs: 20, bodyMs: 20, idleMs: 20, stallMs: 20 });
  using peer = await host.connect();
  await peer.send(HELD);
  const { reply } = await host.next();
  // Others run into every limit meanwhile.
  for (let round = 0; round < 3; round++) {
    using other = await host.connect();
    await other.rest();
  }
  reply.answer({ status: 200, body: "at last" });
  assertEquals((await peer.answer()).body, "at last");
});

Deno.test("a client that does not see the end of its connection is cut off", async () => {
  await using host = new Host({ headMs: 20 });
  using peer = await host.connect();
  await peer.ask("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  assertEquals(await peer.rest(), "");
  // It never closes its side; what it sends is taken for a while, then refused.
  while (await peer.send("x")) await new Promise((resolve) => setTimeout(resolve, 20));
});

/** Requests of which the rest never comes. */
const HALVES = [
  "",
  "GET / HTTP/1.1\r\nHost:",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
  "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
] as const;

Deno.test("two thousand connections that do not go on keep nobody out", async () => {
  await using host = new Host({ maxConnections: 100 });
  using steady = await host.connect();
  await steady.send(HELD);
  const { reply } = await host.next();
  using regular = await host.connect();
  const flood: Peer[] = [];
  try {
    for (let round = 0; round < 20; round++) {
      for (let count = 0; count < 100; count++) {
        const peer = await host.connect();
        flood.push(peer);
        await peer.send(HALVES[count % HALVES.length]!);
        if (count % 50 === 0) assertEquals((await regular.ask(REQUEST)).status, 200);
      }
      using peer = await host.connect();
      assertEquals((await peer.ask(REQUEST)).status, 200);
      assert(host.server.connections <= 100);
    }
    reply.answer({ status: 200, body: "still here" });
    assertEquals((await steady.answer()).body, "still here");
  } finally {
    for (const peer of flood) peer.close();
  }
});

Deno.test("at the bound the connection that has been idle longest makes room", async () => {
  await using host = new Host({ maxConnections: 3 });
  using first = await host.connect();
  await first.ask(REQUEST);
  using second = await host.connect();
  await second.ask(REQUEST);
  using third = await host.connect();
  await third.ask(REQUEST);
  using fourth = await host.connect();
  assertEquals((await fourth.ask(REQUEST)).status, 200);
  assertEquals(await first.rest(), "");
  assertEquals((await second.ask(REQUEST)).status, 200);
  assertEquals((await third.ask(REQUEST)).status, 200);
  assertEquals(host.server.connections, 3);
});

Deno.test("at the bound a connection that had many answers at once makes room like any other", async () => {
  await using host = new Host({ maxConnections: 2 });
  using first = await host.connect();
  using second = await host.connect();
  for (const peer of [first, second]) {
    await peer.send(REQUEST.repeat(10));
    for (let count = 0; count < 10; count++) assertEquals((await peer.answer()).status, 200);
  }
  using third = await host.connect();
  assertEquals((await third.ask(REQUEST)).status, 200);
  assertEquals(await first.rest(), "");
});

Deno.test("at the bound, when all are busy, the next client is told to try again", async () => {
  await using host = new Host({ maxConnections: 2 });
  using first = await host.connect();
  using second = await host.connect();
  const replies = [];
  for (const peer of [first, second]) {
    await peer.send(HELD);
    replies.push((await host.next()).reply);
  }
  const late: Peer[] = [];
  try {
    for (let count = 0; count < 40; count++) {
      const peer = await host.connect();
      late.push(peer);
      const answer = await peer.ask(REQUEST);
      assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"]);
      assert(answer.body.startsWith("All connections of the server are in use"));
      assertEquals(await peer.rest(), "");
    }
    assert(host.server.connections <= 2 + 16);
    assertEquals(host.refusals, late.map(() => 503));
  } finally {
    for (const peer of late) peer.close();
  }
  for (const reply of replies) reply.answer({ status: 200 });
  for (const peer of [first, second]) assertEquals((await peer.answer()).status, 200);
  using next = await host.connect();
  assertEquals((await next.ask(REQUEST)).status, 200);
});

Deno.test("bodies together have a bound; small ones pass beside it", async () => {
  await using host = new Host({ maxBodyBytes: 200_000, maxBodiesBytes: 150_000 });
  const head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
  using first = await host.connect();
  await first.send(head + "x".repeat(90_000));
  using second = await host.connect();
  await second.send(head + "x".repeat(90_000));
  // One of them has the memory, the other is told that there is none.
  const answer = await Promise.race([first.answer(), second.answer()]);
  assertEquals([answer.status, answer.headers.get("retry-after")], [503, "1"]);
  assert(answer.body.startsWith("Too many large requests are being read"));
  using third = await host.connect();
  const small = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  assertEquals((await third.ask(small)).body, "POST /echo abc");
  // Both give back what they had, the one with its refusal, the other when its client leaves.
  first.close();
  second.close();
  let status = 503;
  for (let tries = 0; status === 503 && tries < 1_000; tries++) {
    using peer = await host.connect();
    ({ status } = await peer.ask(head + "x".repeat(100_000)));
  }
  assertEquals(status, 200);
});

/** Sends into a stream until it wants a pause; tells how much that was. */
function fill(stream: HttpStream): number {
  const text = "x".repeat(1_000);
  let sent = 0;
  while (stream.ready() === undefined) {
    stream.send(text);
    sent += text.length;
  }
  return sent;
}

Deno.test("a client that never reads its stream makes its sender wait, and is cut off in the end", async () => {
  await using host = new Host({ maxBacklogLength: 10_000, stallMs: 100 });
  using peer = await host.connect();
  await peer.send(HELD);
  const { reply } = await host.next();
  const gone = Promise.withResolvers<void>();
  let isGone = false;
  reply.onGone(() => {
    isGone = true;
    gone.resolve();
  });
  const stream = reply.stream({ status: 200, headers: {} });
  while (!isGone) {
    // At no time more than the bound and one text waits.
    assert(fill(stream) <= 12_000);
    await withDeadline(stream.ready() ?? Promise.resolve(), () => "The sender waits for ever");
  }
  await gone.promise;
  assertEquals(host.server.connections, 0);
  stream.send("late");
  stream.end();
});

Deno.test("a client that reads slowly but steadily is not cut off", async () => {
  await using host = new Host({ maxBacklogLength: 10_000, stallMs: 2_000 });
  using peer = await host.connect();
  await peer.send(HELD);
  const stream = (await host.next()).reply.stream({ status: 200, headers: {} });
  const sending = (async () => {
    for (let count = 0; count < 1_000; count++) {
      stream.send("x".repeat(10_000));
      await stream.ready();
    }
    stream.end();
  })();
  assertEquals((await peer.answer()).body.length, 10_000_000);
  await sending;
});

Deno.test("a client that sends requests and reads no answers is not read either", async () => {
  await using host = new Host({ maxBacklogLength: 10_000, stallMs: 200 });
  using peer = await host.connect();
  const count = 2_000;
  await peer.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count));
  while (await peer.send("\r\n")) await new Promise((resolve) => setTimeout(resolve, 10));
  // As many as fit into the buffers of both systems, with much to spare.
  assert(host.screened.length < count / 2, `${host.screened.length} were answered`);
});

Deno.test("what is queued behind a write that hangs counts among the answers that wait", async () => {
  await using host = new Host({ maxBacklogLength: 200_000, maxBacklogsLength: 3_000_000 });
  using peers = new DisposableStack();
  const gone: boolean[] = [];
  for (let count = 0; count < 3; count++) {
    const peer = peers.use(await host.connect());
    await peer.send(HELD);
    const { reply } = await host.next();
    reply.onGone(() => gone[count] = true);
    gone.push(false);
    const stream = reply.stream({ status: 200, headers: {} });
    // Each write begins while little waits, until one hangs.
    while (stream.ready() === undefined) {
      stream.send("x".repeat(50_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stream.send("x".repeat(2_000_000));
  }
  assertEquals(gone, [true, false, false]);
});

Deno.test("a body that is slow makes way for others where there is no room for all", async () => {
  // The clock ticks four times within the shortest.
  await using host = new Host({ maxBodiesBytes: 200_000, headMs: 200 });
  const request = `POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 130000\r\n\r\n`;
  using slow = await host.connect();
  await slow.send(request + "x".repeat(129_000));
  const statuses: number[] = [];
  while (statuses.at(-1) !== 200) {
    using quick = await host.connect();
    await quick.send(request + "x".repeat(130_000));
    statuses.push((await quick.answer()).status);
  }
  assertEquals(statuses[0], 503);
  assertEquals(await slow.rest(), "");
});

Deno.test("clients that come all at once are answered although there is room for few", async () => {
  await using host = new Host({ maxConnections: 20 });
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => {
    using peer = await host.connect();
    await peer.send(REQUEST);
    return (await peer.answer()).status;
  }));
  assertEquals(statuses, Array(200).fill(200));
});

Deno.test("clients that say nothing do not keep the next one waiting, although there is room for few", async () => {
  await using host = new Host({ maxConnections: 5 });
  using peers = new DisposableStack();
  for (let count = 0; count < 4; count++) {
    const busy = peers.use(await host.connect());
    await busy.send(HELD);
    await host.next();
  }
  for (let count = 0; count < 120; count++) peers.use(await host.connect());
  using good = await host.connect();
  await good.send(REQUEST);
  assertEquals((await good.answer()).status, 200);
});

Deno.test("a body that was refused makes way for others although its client reads nothing", async () => {
  await using host = new Host({
    maxBodiesBytes: 200_000,
    headMs: 200,
    bodyMs: 300,
    // Requests are read on, however many answers wait.
    maxBacklogLength: 1e9,
  });
  const request = `POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 130000\r\n\r\n`;
  using slow = await host.connect();
  const unread = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n".repeat(200);
  await slow.send(unread + request + "x".repeat(129_000));
  using other = await host.connect();
  // Its body has come when others had many turns since its head.
  for (let turns = 0; turns < 100;) {
    await other.send(REQUEST);
    await other.answer();
    if (host.screened.includes("/next")) turns += 1;
  }
  const post = async () => {
    using quick = await host.connect();
    await quick.send(request + "x".repeat(130_000));
    return (await quick.answer()).status;
  };
  let isFull = false;
  const untilRoom = async () => {
    for (let status = 0; !isFull || status !== 200;) {
      status = await post();
      isFull ||= status === 503;
    }
  };
  await withDeadline(untilRoom(), () => `No room, ${isFull ? "full" : "never full"}`);
});

Deno.test("a handler that throws costs long bodies that wait for their turn a 500 each", async () => {
  await using host = new Host();
  using peers = new DisposableStack();
  const request = `POST /throw HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n`;
  const waiting = Array.from({ length: 4 }, async () => {
    const peer = peers.use(await host.connect());
    await peer.send(request + "x".repeat(200_000));
    return (await peer.answer()).status;
  });
  assertEquals(await Promise.all(waiting), [500, 500, 500, 500]);
});

// More clients than Deno reads from at once: each is served in turn, and what holds for few holds for many.

import { assert, assertEquals } from "@std/assert";
import type { HttpHandler } from "../../src/transport/http.ts";
import { HttpConnection } from "../../src/transport/http_connection.ts";
import { listenHttp } from "../../src/transport/http_server.ts";
import { withDeadline } from "../harness/deadline.ts";
import { Host, type Peer } from "./http_peer.ts";
import { LedFloor } from "./led_floor.ts";

/** Open connections that make a crowd. */
const MANY = 160;

Deno.test("an HTTP server keeps no client of a crowd waiting while others are served again and again", async () => {
  const programs = 3;
  const connections = 90;
  const requests = 30_000;
  const last = new Map<string, number>();
  const counts = new Map<string, number>();
  let count = 0;
  let longest = 0;
  const enough = Promise.withResolvers<void>();
  const handler: HttpHandler = {
    screen: () => undefined,
    handle({ path }, _body, reply) {
      // Only others of the same program count: the system may have let another program run alone.
      const [program = ""] = path.split("-");
      const now = (counts.get(program) ?? 0) + 1;
      counts.set(program, now);
      // Counted from when all are there.
      const before = last.get(path);
      if (before !== undefined && last.size === programs * connections) {
        longest = Math.max(longest, now - before);
      }
      last.set(path, now);
      count += 1;
      if (count === requests) enough.resolve();
      reply.answer({ status: 200, body: path });
    },
  };
  using server = listenHttp({ hostname: "127.0.0.1", port: 0, handler });
  const clients = Array.from({ length: programs }, (_, name) =>
    new Deno.Command("deno", {
      args: [
        "run",
        "--no-prompt",
        "--quiet",
        `--allow-net=127.0.0.1:${server.port}`,
        new URL("http_crowd_client.ts", import.meta.url).pathname,
        `${server.port}`,
        `${name}`,
        `${connections}`,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn());
  try {
    await withDeadline(enough.promise, () => `Only ${count} of ${requests} requests came`);
  } finally {
    for (const client of clients) client.kill("SIGKILL");
    await Promise.all(clients.map(({ status }) => status));
  }
  assertEquals(last.size, programs * connections);
  // Some three rounds of the others; without turns, a dozen and more.
  assert(longest < 8 * connections, `${longest} others were served before one`);
});

Deno.test("an HTTP connection waits for its turn when it has had a request or much of one, not after a part", async () => {
  const patience: boolean[] = [];
  const reads: PromiseWithResolvers<void>[] = [];
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  using floor = new LedFloor({
    screen: ({ path }) => path === "/refused" ? { status: 404 } : undefined,
    handle: (_head, body, reply) => reply.answer({ status: 200, body: body ?? "" }),
  });
  floor.onRead = (isPatient) => {
    patience.push(isPatient);
    reads.shift()?.resolve();
  };
  const connection = new HttpConnection(await listener.accept(), floor);
  /** Sends a piece; returns whether the connection waits for its turn before it reads on. */
  const send = async (text: string) => {
    const next = Promise.withResolvers<void>();
    reads.push(next);
    await client.write(new TextEncoder().encode(text));
    await withDeadline(next.promise, () => `Nothing is read after "${text}"`);
    return patience.at(-1);
  };
  assertEquals(patience, [false]);
  assertEquals(await send("GET / HTTP/1.1\r\nho"), false);
  assertEquals(await send("st: a\r\n\r\n"), true);
  const head = "POST / HTTP/1.1\r\nhost: a\r\n";
  assertEquals(await send(`${head}content-length: 4\r\n\r\n`), false);
  assertEquals(await send("ab"), false);
  assertEquals(await send("cd"), true);
  assertEquals(await send(`${head}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n`), false);
  assertEquals(await send("2\r\ncd\r\n"), false);
  assertEquals(await send(`0\r\n\r\n${head}`), true, "the next request has begun");
  assertEquals(await send("content-length: 2\r\n\r\na"), false);
  assertEquals(await send("b"), true);
  assertEquals(await send("POST /refused HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n"), true);
  assertEquals(await send("ab"), true, "nobody wants it");
  assertEquals(await send(`cd${head}transfer-encoding: chunked\r\n\r\n`), true);
  for (let count = 1; count <= 20; count++) {
    assertEquals(await send("1\r\na\r\n"), count % 8 === 0, `chunk ${count}`);
  }
  assertEquals(await send("malformed\r\n\r\n"), true);
  assertEquals(await send("nobody wants"), true);
  connection.cut();
});

Deno.test("an HTTP server answers each of a crowd, requests that come together too", async () => {
  await using host = new Host();
  const peers = await Promise.all(Array.from({ length: MANY }, () => host.connect()));
  for (let round = 0; round < 3; round++) {
    await Promise.all(peers.map(async (peer, index) => {
      const twice = `GET /${index}-${round} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(2);
      await peer.send(twice);
      assertEquals((await peer.answer()).body, `GET /${index}-${round} `);
      assertEquals((await peer.answer()).body, `GET /${index}-${round} `);
    }));
  }
  for (const peer of peers) peer.close();
});

Deno.test("an HTTP server notices who leaves a crowd, between requests and within one", async () => {
  await using host = new Host();
  const peers: Peer[] = await Promise.all(Array.from({ length: MANY }, () => host.connect()));
  assertEquals(host.server.connections, MANY);
  const gone: Promise<void>[] = [];
  for (const peer of peers.slice(0, 8)) {
    await peer.send("GET /held HTTP/1.1\r\nhost: a\r\n\r\n");
    const { reply } = await host.next();
    gone.push(new Promise((resolve) => reply.onGone(resolve)));
  }
  for (const peer of peers.slice(8)) {
    await peer.ask("GET /short HTTP/1.1\r\nhost: a\r\n\r\n");
  }
  for (const peer of peers) peer.close();
  await withDeadline(Promise.all(gone), () => "Who left within a request was not noticed");
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => host.server.connections === 0 ? resolve() : void setImmediate(look);
  look();
  await withDeadline(promise, () => `${host.server.connections} are still there`);
});

Deno.test("requests that one client sends ahead let those of others between", async () => {
  await using host = new Host();
  using busy = await host.connect();
  using other = await host.connect();
  const count = 300;
  const ahead = "GET /ahead HTTP/1.1\r\nhost: a\r\n\r\n".repeat(count);
  await busy.send(`GET /held HTTP/1.1\r\nhost: a\r\n\r\n${ahead}`);
  const { reply } = await host.next();
  await other.send("GET /other HTTP/1.1\r\nhost: a\r\n\r\n");
  reply.answer({ status: 200 });
  assertEquals((await other.answer()).body, "GET /other ");
  await busy.answer();
  for (let at = 0; at < count; at++) assertEquals((await busy.answer()).body, "GET /ahead ");
  const before = host.screened.indexOf("/other");
  assert(before < count, `${before} were served before another client`);
});

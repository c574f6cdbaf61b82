// Clients that share a server over HTTP: one that keeps all its calls running, or as many streams and sessions as it can,
// does not keep the others waiting.

import { assertEquals } from "@std/assert";
import { isObject } from "../../src/jsonrpc/message.ts";
import { withDeadline } from "../harness/deadline.ts";
import { HttpClient, HttpExchange } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import type { RequestParts } from "../harness/http_wire.ts";
import { Ledger } from "../harness/ledger.ts";
import { getOracle } from "../harness/oracle.ts";
import { Held, say, scripted, textOf } from "../harness/scripted.ts";

const TOKENS = ["first-token-first-token", "second-token-second-token"] as const;
const PLACES = 4;

/** A tool that holds on in each of its calls until all are let go. */
class Hold {
  readonly #holds: Held[] = [];
  readonly #isTaken = Promise.withResolvers<void>();
  #isReleased = false;

  /** What the tool does. */
  readonly run: Held["run"] = (call) => {
    const held = new Held();
    this.#holds.push(held);
    if (this.#holds.length === PLACES - 1) this.#isTaken.resolve();
    if (this.#isReleased) held.release();
    return held.run(call);
  };

  /** Calls that were let in so far. */
  get count(): number {
    return this.#holds.length;
  }

  /** Resolves when one client runs as much as it may. */
  get taken(): Promise<void> {
    return withDeadline(this.#isTaken.promise, () => `Only ${this.count} calls were let in`);
  }

  /** Lets all go, those to come too. */
  release(): void {
    this.#isReleased = true;
    for (const held of this.#holds) held.release();
  }
}

function startHost(hold: Hold, tokens: readonly string[] = []): HttpHost {
  return new HttpHost({
    activations: [scripted({ hold: hold.run, quick: () => [say("quick")] })],
    core: { maxConcurrentCalls: PLACES },
    tokens,
    legacyEvents: true,
  });
}

async function callQuick(client: HttpClient): Promise<string> {
  return textOf(await withDeadline(client.call("quick"), () => "The other client has to wait"));
}

const CASES = [
  { name: "sessions without tokens", revision: "2025-11-25", tokens: [] },
  { name: "sessions with tokens", revision: "2025-11-25", tokens: TOKENS },
  { name: "the stateless wire with tokens", revision: "2026-07-28", tokens: TOKENS },
] as const;

for (const { name, revision, tokens } of CASES) {
  Deno.test(`${name}: others are served while one client holds all it can`, async () => {
    const hold = new Hold();
    await using host = startHost(hold, tokens);
    const open = async (index: number) => {
      const token = tokens[index];
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      return await HttpClient.open(host, { revision, headers });
    };
    const hog = await open(0);
    const calls = Promise.allSettled(
      Array.from({ length: PLACES * 2 }, async () => textOf(await hog.call("hold"))),
    );
    await host.settle("bulkhead_in_flight", PLACES * 2);
    await hold.taken;
    const polite = await open(1);
    for (let count = 0; count < 3; count++) {
      assertEquals(await callQuick(polite), "quick");
    }
    assertEquals(hold.count, PLACES - 1);
    hold.release();
    for (const call of await calls) {
      assertEquals(call, { status: "fulfilled", value: "released" });
    }
  });
}

Deno.test("HTTP+SSE: others are served while one client holds all it can", async () => {
  const hold = new Hold();
  await using host = startHost(hold);
  const { wire, ...head } = await host.open({ method: "GET", target: "/sse" });
  const ledger = new Ledger(await getOracle());
  using stream = new HttpExchange(wire, head, ledger);
  const target = (await stream.event())?.data ?? "";
  const post = async (message: Record<string, unknown>) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    ledger.note(body);
    const headers = { "Content-Type": "application/json" };
    assertEquals((await host.ask({ target, headers, body })).status, 202);
  };
  const clientInfo = { name: "test", version: "1.0.0" };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
  await post({ id: 0, method: "initialize", params });
  assertEquals(isObject((await stream.next())?.result), true);
  await post({ method: "notifications/initialized" });
  for (let id = 1; id <= PLACES; id++) {
    await post({ id, method: "tools/call", params: { name: "hold" } });
  }
  await host.settle("bulkhead_in_flight", PLACES);
  await hold.taken;
  const polite = await HttpClient.open(host, { revision: "2025-11-25" });
  assertEquals(await callQuick(polite), "quick");
  assertEquals(hold.count, PLACES - 1);
  hold.release();
});

/** The statuses of so many requests, one after the other; streams stay open until the test ends. */
async function openAll(
  count: number,
  open: () => Promise<Pick<HttpExchange, "status">>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push((await open()).status);
  return statuses;
}

function authorize(index: 0 | 1): Record<string, string> {
  return { Authorization: `Bearer ${TOKENS[index]}` };
}

Deno.test("streams that stay open count as requests under way, and leave room for others", async () => {
  const limits = { maxRequestsPerClient: 4 };
  await using host = new HttpHost({ activations: [], tokens: TOKENS, limits, legacyEvents: true });
  using streams = new DisposableStack();
  const listen = async () => {
    const hog = await HttpClient.open(host, { revision: "2025-11-25", headers: authorize(0) });
    return streams.use(await hog.listen());
  };
  assertEquals(await openAll(2, listen), [200, 200]);
  const open = async () => {
    const { wire, ...head } = await host.open({
      method: "GET",
      target: "/sse",
      headers: authorize(0),
    });
    return streams.use(new HttpExchange(wire, head, new Ledger(await getOracle())));
  };
  assertEquals(await openAll(2, open), [200, 429]);
  const polite = await HttpClient.open(host, { revision: "2025-11-25", headers: authorize(1) });
  using stream = await polite.listen();
  assertEquals(stream.status, 200);
  const hog = await HttpClient.open(host, { revision: "2025-11-25", headers: authorize(0) });
  assertEquals(await hog.end(), 204);
});

Deno.test("those who listen on the stateless wire leave room for requests", async () => {
  const limits = { maxRequestsPerClient: 4 };
  await using host = new HttpHost({ activations: [], limits });
  using streams = new DisposableStack();
  const client = await HttpClient.open(host, { revision: "2026-07-28" });
  const listen = async () =>
    streams.use(await client.post("subscriptions/listen", { notifications: {} }));
  assertEquals(await openAll(4, listen), [200, 200, 200, 429]);
  assertEquals((await client.ask("server/discover")).error, undefined);
  assertEquals(host.metrics.toText().includes('denials_total{reason="rate"} 1'), true);
});

Deno.test("a client that has all under way that it may can still cancel some", async () => {
  const held = new Held();
  const limits = { maxRequestsPerClient: 1 };
  await using host = new HttpHost({ activations: [scripted({ hold: held.run })], limits });
  const client = await HttpClient.open(host, { revision: "2025-11-25" });
  const calling = client.post("tools/call", { name: "hold" }, { id: 1 });
  await held.started;
  using refused = await client.post("ping", {}, { id: "refused" });
  assertEquals([refused.status, (await refused.answer()).id], [429, "refused"]);
  assertEquals(await client.notify("notifications/cancelled", { requestId: 1 }), 202);
  assertEquals(await held.ended, "aborted");
  using canceled = await calling;
  assertEquals(canceled.status, 202);
  assertEquals(await client.end(), 204);
});

Deno.test("sessions: one owner leaves some to the others", async () => {
  const limits = { maxSessions: 8 };
  await using host = new HttpHost({ activations: [], tokens: TOKENS, limits });
  using streams = new DisposableStack();
  const open = async () => {
    const hog = await HttpClient.create(host, { revision: "2025-11-25", headers: authorize(0) });
    using opened = await hog.post("initialize", hog.initializeParams());
    if (opened.status !== 200) return opened;
    await opened.answer();
    hog.session = opened.headers.get("mcp-session-id");
    await hog.notify("notifications/initialized");
    return streams.use(await hog.listen());
  };
  assertEquals(await openAll(8, open), [200, 200, 200, 200, 200, 200, 200, 503]);
  const polite = await HttpClient.open(host, { revision: "2025-11-25", headers: authorize(1) });
  assertEquals(await polite.end(), 204);
});

Deno.test("sessions: an owner that is alone with its token leaves none over", async () => {
  const limits = { maxSessions: 2 };
  await using host = new HttpHost({ activations: [], tokens: [TOKENS[0]], limits });
  for (let count = 0; count < 2; count++) {
    await HttpClient.open(host, { revision: "2025-11-25", headers: authorize(0) });
  }
  assertEquals(host.metric("bulkhead_sessions"), 2);
});

Deno.test("HTTP+SSE: one owner leaves some streams to the others", async () => {
  const limits = { maxSessions: 4 };
  await using host = new HttpHost({ activations: [], tokens: TOKENS, limits, legacyEvents: true });
  using streams = new DisposableStack();
  const openAs = (index: 0 | 1) => async () => {
    const headers = authorize(index);
    const { wire, status } = await host.open({ method: "GET", target: "/sse", headers });
    streams.use(wire);
    return { status };
  };
  assertEquals(await openAll(4, openAs(0)), [200, 200, 200, 503]);
  assertEquals(await openAll(2, openAs(1)), [200, 503]);
});

Deno.test("sessions: an initialize that is refused takes nobody's place", async () => {
  const limits = { maxSessions: 1, evictAfterMs: 0 };
  await using host = new HttpHost({ activations: [], limits });
  const client = await HttpClient.open(host, { revision: "2025-11-25" });
  const clumsy = await HttpClient.create(host, { revision: "2025-11-25" });
  using refused = await clumsy.post("initialize", {});
  const { error } = await refused.answer();
  assertEquals(isObject(error) && error.code, -32602);
  assertEquals(isObject(await client.result("ping")), true);
  await HttpClient.open(host, { revision: "2025-11-25" });
  using gone = await client.post("ping");
  assertEquals(gone.status, 404);
});

Deno.test("every kind of request counts against its client's rate, and wrong tokens do", async () => {
  const rows: readonly (readonly [RequestParts, number])[] = [
    [{ method: "DELETE", headers: { ...authorize(0), "Mcp-Session-Id": "none" } }, 404],
    [{ method: "GET", headers: { ...authorize(0), "Mcp-Session-Id": "none" } }, 404],
    [{ method: "GET", target: "/metrics", headers: { Authorization: "Bearer wrong" } }, 401],
    [{ method: "GET", target: "/metrics" }, 401],
  ];
  for (const [parts, status] of rows) {
    await using host = new HttpHost({ activations: [], tokens: TOKENS, limits: { maxRate: 0.01 } });
    assertEquals((await host.ask(parts)).status, 429, JSON.stringify(parts));
    await using free = new HttpHost({ activations: [], tokens: TOKENS });
    assertEquals((await free.ask(parts)).status, status, JSON.stringify(parts));
  }
});

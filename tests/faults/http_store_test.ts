// Stores that others wrote, and which fail or take their time: a client may lose its way back, nobody loses the server.

import { assert, assertEquals } from "@std/assert";
import { MemorySessionStore, type SessionRecord, type SessionStore } from "../../http.ts";
import { withDeadline } from "../harness/deadline.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { HttpPort, HttpWire, toRequestBytes } from "../harness/http_wire.ts";
import { Led, progress } from "../harness/led.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";

const revision = "2025-11-25";
const LIMITS = { maxSessionLength: 1e6, maxLength: 1e6 };

/** A store of this process, some methods of which the test replaces. */
function storeWith(parts: Partial<SessionStore>): SessionStore {
  const memory = new MemorySessionStore(LIMITS);
  return {
    save: (record) => memory.save(record),
    find: (id) => memory.find(id),
    drop: (id) => memory.drop(id),
    append: (session, event) => memory.append(session, event),
    eventsAfter: (session, stream, number) => memory.eventsAfter(session, stream, number),
    ...parts,
  };
}

function fail(): never {
  throw new Error("the disk is full");
}

const WAYS: readonly (readonly [string, () => Promise<void>])[] = [
  ["throws", fail],
  ["rejects", () => Promise.reject(new Error("the disk is full"))],
];

for (const [way, broken] of WAYS) {
  for (const method of ["save", "append", "drop"] as const) {
    Deno.test(`a store whose ${method}() ${way} costs nobody the server`, async () => {
      const tools = { steps: () => [progress(1), progress(2), say("done")] };
      const sessions = storeWith({ [method]: broken });
      await using host = new HttpHost({ activations: [scripted(tools)], store: { sessions } });
      const client = await HttpClient.create(host, { revision });
      using opened = await client.post("initialize", client.initializeParams());
      assertEquals(opened.status, 200);
      client.session = opened.headers.get("mcp-session-id");
      if (method !== "save") {
        await client.notify("notifications/initialized");
        const called = await client.call("steps", {}, { _meta: { progressToken: 1 } });
        assertEquals(textOf(called), "done");
        assertEquals(await client.end(), 204);
        using late = await client.post("ping");
        assertEquals(late.status, 404);
      }
      const other = await HttpClient.create(host, { revision });
      using greeted = await other.post("initialize", other.initializeParams());
      assertEquals(greeted.status, 200);
      assert(host.log.some((line) => line.includes("store_failed")));
    });
  }
}

Deno.test("a store that cannot find a session is told of, and takes nobody's place for good", async () => {
  let isBroken = false;
  const memory = new MemorySessionStore(LIMITS);
  const sessions = storeWith({
    save: (record) => memory.save(record),
    find: (id) => isBroken ? fail() : memory.find(id),
  });
  const limits = { maxRequestsPerClient: 2 };
  await using host = new HttpHost({ activations: [], store: { sessions }, limits });
  const client = await HttpClient.open(host, { revision });
  isBroken = true;
  for (let count = 0; count < 4; count++) {
    using exchange = await client.post("ping");
    assertEquals(exchange.status, 500);
    assertEquals(JSON.stringify(await exchange.answer()).includes("disk"), false);
  }
  isBroken = false;
  using exchange = await client.post("ping");
  assertEquals(exchange.status, 200);
});

Deno.test("a client that leaves while the store looks for its session does not keep it alive", async () => {
  const memory = new MemorySessionStore(LIMITS);
  const begun = Promise.withResolvers<void>();
  const look = Promise.withResolvers<void>();
  let isSlow = false;
  const sessions = storeWith({
    save: (record) => memory.save(record),
    async find(id) {
      if (isSlow) {
        begun.resolve();
        await look.promise;
      }
      return memory.find(id);
    },
  });
  const limits = { sessionIdleMs: 20, keepAliveMs: 20 };
  await using host = new HttpHost({ activations: [], store: { sessions }, limits });
  const client = await HttpClient.open(host, { revision });
  isSlow = true;
  using wire = await HttpWire.connect(host.port);
  const headers = client.headersOf({}, { accept: "text/event-stream" });
  const request = new HttpPort(host.port).complete({ method: "GET", headers });
  await wire.write(toRequestBytes(request));
  await withDeadline(begun.promise, () => "Nobody looks for the session");
  wire[Symbol.dispose]();
  await host.settle("bulkhead_connections", 0);
  look.resolve();
  await host.settle("bulkhead_sessions", 0);
});

Deno.test("a session that was ended while the store still kept it is not there again", async () => {
  const kept = new Map<string, SessionRecord>();
  const saving = Promise.withResolvers<void>();
  const writes: string[] = [];
  let isSlow = false;
  const sessions = storeWith({
    async save(record) {
      if (isSlow) await saving.promise;
      writes.push("save");
      kept.set(record.id, record);
    },
    find: (id) => kept.get(id),
    drop(id) {
      writes.push("drop");
      kept.delete(id);
    },
  });
  await using host = new HttpHost({ activations: [], store: { sessions } });
  const client = await HttpClient.open(host, { revision });
  isSlow = true;
  assertEquals(await client.notify("notifications/initialized"), 202);
  const ended = client.end();
  await host.settle("bulkhead_sessions", 0);
  saving.resolve();
  assertEquals(await withDeadline(ended, () => "The session does not end"), 204);
  assertEquals(writes.slice(-2), ["save", "drop"]);
  assertEquals(kept.size, 0);
});

const GAPS: readonly (readonly [string, (memory: MemorySessionStore) => Partial<SessionStore>])[] =
  [
    ["did not keep an event", (memory) => ({
      append: (session, event) => event.number === 2 ? fail() : memory.append(session, event),
      eventsAfter: (session, stream, number) =>
        [1, 3].includes(number + 1) ? [] : memory.eventsAfter(session, stream, number),
    })],
    ["kept one late", (memory) => ({
      append: async (session, event) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (event.number !== 2) memory.append(session, event);
      },
      eventsAfter: (_session, stream, number) =>
        number === 0 ? [{ stream, number: 1, text: "{}" }, { stream, number: 3, text: "{}" }] : [],
    })],
    ["cannot tell", () => ({ eventsAfter: fail })],
    ["cannot tell in time", () => ({ eventsAfter: () => Promise.reject(new Error("gone")) })],
  ];

for (const [name, partsOf] of GAPS) {
  Deno.test(`a client does not come back to a stream of which the store ${name}`, async () => {
    const memory = new MemorySessionStore(LIMITS);
    const sessions = storeWith({
      save: (record) => memory.save(record),
      find: (id) => memory.find(id),
      ...partsOf(memory),
    });
    const led = new Led();
    await using host = new HttpHost({
      activations: [scripted({ led: led.run })],
      store: { sessions },
    });
    const client = await HttpClient.open(host, { revision });
    for (const step of [1, 2, 3]) led.emit(progress(step));
    const params = { name: "led", _meta: { progressToken: 1 } };
    using exchange = await client.post("tools/call", params);
    const first = await exchange.event();
    for (let count = 0; count < 3; count++) await exchange.next();
    using lost = await client.listen(first?.id);
    assertEquals(lost.status, 404);
    led.finish(say("done"));
  });
}

Deno.test("a session that ends is over although a slow store still finds it", async () => {
  const memory = new MemorySessionStore(LIMITS);
  const dropping = Promise.withResolvers<void>();
  const sessions = storeWith({
    save: (record) => memory.save(record),
    find: (id) => Promise.resolve(memory.find(id)),
    async drop(id) {
      await dropping.promise;
      memory.drop(id);
    },
  });
  await using host = new HttpHost({ activations: [], store: { sessions } });
  const client = await HttpClient.open(host, { revision });
  const ended = client.end();
  await host.settle("bulkhead_sessions", 0);
  using late = await client.post("ping");
  assertEquals(late.status, 404);
  dropping.resolve();
  assertEquals(await ended, 204);
  assertEquals(host.metric("bulkhead_sessions"), 0);
});

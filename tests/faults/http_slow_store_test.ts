// Stores that take their time, as one behind a network does: whatever is asked while they do, nothing is lost, nothing
// comes twice and nothing that ended lives on.

import { assertEquals } from "@std/assert";
import type { SessionStore } from "../../http.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { withDeadline } from "../harness/deadline.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { Led, progress } from "../harness/led.ts";
import { getOracle } from "../harness/oracle.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";
import { PARAMS, revision, SlowStore, Stage } from "./slow_store.ts";

/** What a message of a stream says: how far it is, or what the answer is. */
function sayingOf({ params, result }: JsonObject): unknown {
  if (isObject(result)) return textOf(result);
  return isObject(params) ? params.progress : undefined;
}

Deno.test("an answer that the store does not have yet is waited for by who comes back", async () => {
  await using stage = await Stage.open();
  const { store, led, host, client } = stage;
  const last = await stage.cutBehindFirst();
  store.hold("append");
  led.finish(progress(2), say("done"));
  await store.until("append", 2);
  await host.settle("bulkhead_in_flight", 0);
  const resuming = client.listen(last);
  await host.settle("bulkhead_connections", 1);
  store.release("append");
  using resumed = await resuming;
  await resumed.finish();
  assertEquals([resumed.status, ...resumed.messages.map(sayingOf)], [200, 2, "done"]);
});

for (const which of ["first", "last"] as const) {
  Deno.test(`events that come while a client comes back reach it, each once, the ${which} kept first`, async () => {
    await using stage = await Stage.open();
    const { store, led, host, client } = stage;
    const last = await stage.cutBehindFirst();
    store.hold("append");
    led.emit(progress(2));
    await store.until("append");
    if (which === "last") led.emit(progress(3));
    if (which === "last") await store.until("append", 2);
    const resuming = client.listen(last);
    await host.settle("bulkhead_connections", 1);
    if (which === "first") led.emit(progress(3));
    await store.until("append", 2);
    store.step("append", which);
    assertEquals((await host.ask({ method: "GET", target: "/healthz" })).status, 200);
    store.hold("eventsAfter");
    store.release("append");
    await store.until("eventsAfter");
    store.hold("append");
    led.emit(progress(4), progress(5));
    await store.until("append", 2);
    store.step("append", which);
    store.release("eventsAfter");
    using resumed = await resuming;
    store.release("append");
    led.finish(say("done"));
    await resumed.finish();
    assertEquals([resumed.status, ...resumed.messages.map(sayingOf)], [200, 2, 3, 4, 5, "done"]);
  });
}

Deno.test("nothing of a session that was ended stays in the store", async () => {
  await using stage = await Stage.open();
  const { store, client } = stage;
  using exchange = await stage.begin();
  store.hold("append");
  const ended = client.end();
  await store.until("append");
  store.release("append");
  assertEquals(await ended, 204);
  assertEquals(store.events, []);
  await exchange.finish();
});

Deno.test("a session is not taken for ended by what the store found before it was kept", async () => {
  const store = new SlowStore();
  await using host = new HttpHost({ activations: [], store: { sessions: store } });
  const client = await HttpClient.create(host, { revision });
  store.hold("save", "find");
  using opened = await client.post("initialize", client.initializeParams());
  client.session = opened.headers.get("mcp-session-id");
  await store.until("save");
  const noted = client.notify("notifications/initialized");
  await store.until("find");
  store.release("save");
  assertEquals((await host.ask({ method: "GET", target: "/healthz" })).status, 200);
  store.release("find");
  assertEquals(await noted, 202);
  assertEquals((await client.ask("ping")).result, {});
  assertEquals(host.metric("bulkhead_sessions"), 1);
});

Deno.test("a session is not taken for ended by a store that finds at once and keeps later", async () => {
  const slow = new SlowStore();
  const sessions: SessionStore = {
    save: (record) => slow.save(record),
    find: (id) => slow.memory.find(id),
    drop: (id) => slow.drop(id),
    append: (session, event) => slow.append(session, event),
    eventsAfter: (session, stream, number) => slow.eventsAfter(session, stream, number),
  };
  const log = () => [{ kind: "log", level: "info", data: "told" }, say("logged")] as const;
  await using host = new HttpHost({ activations: [scripted({ log })], store: { sessions } });
  const client = await HttpClient.create(host, { revision });
  slow.hold("save");
  using opened = await client.post("initialize", client.initializeParams());
  await opened.answer();
  client.session = opened.headers.get("mcp-session-id");
  assertEquals(await client.notify("notifications/initialized"), 202);
  await client.result("logging/setLevel", { level: "error" });
  using exchange = await client.post("tools/call", { name: "log" });
  await exchange.answer();
  assertEquals(exchange.messages.length, 1, "the level holds");
  slow.release("save");
});

Deno.test("whether a silent call of another server goes on is not told by who cannot know", async () => {
  const [store, led] = [new SlowStore(), new Led()];
  const options = { activations: [scripted({ led: led.run })], store: { sessions: store } };
  await using first = new HttpHost(options);
  await using second = new HttpHost(options);
  const here = await HttpClient.open(first, { revision });
  led.emit({ kind: "detach", retryMs: 10 });
  using exchange = await here.post("tools/call", { name: "led" });
  await exchange.finish();
  const there = here.moveTo(second, await getOracle());
  using elsewhere = await there.listen(exchange.lastId);
  assertEquals(elsewhere.status, 404);
  led.finish(say("done"));
  using resumed = await here.listen(exchange.lastId);
  await resumed.finish();
  assertEquals(resumed.messages.map(sayingOf), ["done"]);
});

Deno.test("a server has ended when its store has the last events", async () => {
  await using stage = await Stage.open();
  const { store, host } = stage;
  using exchange = await stage.begin();
  store.hold("append");
  host.stop();
  const kept: string[] = [];
  const ended = host.ended.then(() => kept.push("ended"));
  await store.until("append");
  await exchange.finish();
  exchange[Symbol.dispose]();
  await host.settle("bulkhead_connections", 0);
  // Nobody is connected any more, and the store alone is waited for.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  kept.push("events");
  store.release("append");
  await ended;
  assertEquals(kept, ["events", "ended"]);
});

Deno.test("a server that stops keeps the sessions of its clients for another", async () => {
  const [store, led] = [new SlowStore(), new Led()];
  const options = {
    activations: [scripted({ led: led.run })],
    store: { sessions: store },
    // Looked at often, and nobody may be idle for long whose handshake is not finished.
    limits: { keepAliveMs: 10, handshakeMs: 1 },
  };
  await using first = new HttpHost(options);
  await using second = new HttpHost(options);
  const idle = await HttpClient.open(first, { revision });
  const busy = await HttpClient.open(first, { revision });
  using exchange = await busy.post("tools/call", PARAMS);
  store.hold("find");
  const leveling = busy.ask("logging/setLevel", { level: "error" });
  await store.until("find");
  first.stop();
  store.release("find");
  const { error } = await leveling;
  assertEquals(isObject(error) && error.code, -32002);
  await first.ended;
  await exchange.finish();
  for (const client of [idle, busy]) {
    const moved = client.moveTo(second, await getOracle());
    assertEquals(Object.keys(await moved.result("tools/list")), ["tools"]);
  }
});

Deno.test("a session that is idle at one server lives on at another, where the store forgets by itself", async () => {
  const store = new SlowStore({ expires: true });
  const options = { activations: [], store: { sessions: store } };
  await using first = new HttpHost({ ...options, limits: { keepAliveMs: 10, sessionIdleMs: 1 } });
  await using second = new HttpHost(options);
  const here = await HttpClient.open(first, { revision });
  const there = here.moveTo(second, await getOracle());
  assertEquals((await there.ask("ping")).result, {});
  await first.settle("bulkhead_sessions", 0);
  for (const client of [there, here]) assertEquals((await client.ask("ping")).result, {});
  assertEquals(await there.end(), 204);
  using gone = await here.post("ping");
  assertEquals(gone.status, 404);
});

Deno.test("servers follow what a client settles at another", async () => {
  const store = new SlowStore();
  const watched: string[] = [];
  const activations = [
    scripted({ log: () => [{ kind: "log", level: "info", data: "told" }, say("logged")] }, {
      resources: {
        list: () => Promise.resolve([]),
        templates: () => Promise.resolve([]),
        read: () => Promise.resolve(undefined),
        async *watch(uri, signal) {
          watched.push(uri);
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          watched.splice(watched.indexOf(uri), 1);
          yield* [];
        },
      },
    }),
  ];
  const options = { activations, store: { sessions: store } };
  await using first = new HttpHost(options);
  await using second = new HttpHost(options);
  const here = await HttpClient.create(first, { revision });
  using opened = await here.post("initialize", here.initializeParams());
  await opened.answer();
  here.session = opened.headers.get("mcp-session-id");
  const there = here.moveTo(second, await getOracle());
  assertEquals(await there.notify("notifications/initialized"), 202);
  assertEquals(Object.keys(await here.result("tools/list")), ["tools"]);
  await there.result("logging/setLevel", { level: "error" });
  await there.result("resources/subscribe", { uri: "test://one" });
  using exchange = await here.post("tools/call", { name: "log" });
  await exchange.answer();
  assertEquals(exchange.messages.length, 1, "the level holds");
  assertEquals(watched, ["test://one", "test://one"]);
  await there.result("resources/unsubscribe", { uri: "test://one" });
  await here.ask("ping");
  assertEquals(watched, []);
});

Deno.test("who listens goes on at another server, without having heard a word, and misses none", async () => {
  const store = new SlowStore();
  const announcer = Promise.withResolvers<void>();
  const announcing = scripted({}, {
    async *changes() {
      await announcer.promise;
      yield { kind: "tools" as const };
    },
  });
  await using first = new HttpHost({ activations: [scripted({})], store: { sessions: store } });
  await using second = new HttpHost({ activations: [announcing], store: { sessions: store } });
  const here = await HttpClient.open(first, { revision });
  using primed = await here.listen();
  await primed.event();
  primed[Symbol.dispose]();
  const there = here.moveTo(second, await getOracle());
  assertEquals((await there.ask("ping")).result, {});
  store.hold("eventsAfter");
  const resuming = there.listen(primed.lastId);
  await store.until("eventsAfter");
  announcer.resolve();
  await Promise.resolve();
  store.release("eventsAfter");
  using resumed = await resuming;
  assertEquals(resumed.status, 200);
  const news = await withDeadline(resumed.next(), () => "No news came");
  assertEquals(news?.method, "notifications/tools/list_changed");
});

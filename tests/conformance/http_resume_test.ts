// A stream whose connection breaks: the client comes back behind the last event it got, and gets the rest, each once.
// Sessions and streams outlive the server that opened them where servers share a store.

import { assert, assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { MemorySessionStore } from "../../http.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { HttpClient, type HttpExchange } from "../harness/http_client.ts";
import { HttpHost, type HttpHostOptions } from "../harness/http_host.ts";
import { Led, progress } from "../harness/led.ts";
import { getOracle } from "../harness/oracle.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";

/** Events of a long stream besides its answer. */
const STEPS = 40;

const NUMBERS = Array.from({ length: STEPS }, (_, index) => index + 1);

/** What a message of a stream says: how far it is, or what the answer is. */
function sayingOf({ params, result }: JsonObject): unknown {
  if (isObject(result)) return textOf(result);
  return isObject(params) ? params.progress : undefined;
}

function callParams(name: string): JsonObject {
  return { name, _meta: { progressToken: name } };
}

/** Resumes behind the last event of an exchange that was cut. */
async function resume(client: HttpClient, cut: HttpExchange): Promise<HttpExchange> {
  const resumed = await client.listen(cut.lastId);
  assertEquals(resumed.status, 200);
  assert(resumed.isStream);
  return resumed;
}

forEachRevision(
  "mcp.http.resume",
  "at every event of a stream that has ended: nothing is lost, nothing comes twice (substrate#22)",
  async (revision) => {
    const tools = { steps: () => [...NUMBERS.map(progress), say("done")] };
    await using host = new HttpHost({ activations: [scripted(tools)] });
    const client = await HttpClient.open(host, { revision });
    for (let cut = 1; cut <= STEPS; cut++) {
      using exchange = await client.post("tools/call", callParams("steps"));
      while (exchange.messages.length < cut) await exchange.next();
      exchange[Symbol.dispose]();
      using resumed = await resume(client, exchange);
      await resumed.finish();
      const all = [...exchange.messages, ...resumed.messages].map(sayingOf);
      assertEquals(all, [...NUMBERS, "done"], `cut behind ${cut}`);
    }
  },
);

forEachRevision(
  "mcp.http.resume",
  "behind the last event of a stream that has ended: nothing is left, and no client comes again",
  async (revision) => {
    const tools = { steps: () => [...NUMBERS.map(progress), say("done")] };
    await using host = new HttpHost({ activations: [scripted(tools)] });
    const client = await HttpClient.open(host, { revision });
    using exchange = await client.post("tools/call", callParams("steps"));
    await exchange.finish();
    using resumed = await client.listen(exchange.lastId);
    assertEquals(resumed.status, 204);
  },
);

forEachRevision(
  "mcp.http.resume",
  "after every event of several streams while their tools run (substrate#22)",
  async (revision) => {
    const names = ["red", "green", "blue"];
    const leds = new Map(names.map((name) => [name, new Led()]));
    const tools = Object.fromEntries([...leds].map(([name, led]) => [name, led.run]));
    await using host = new HttpHost({ activations: [scripted(tools)] });
    const client = await HttpClient.open(host, { revision });
    await Promise.all(names.map(async (name, offset) => {
      const led = leds.get(name) ?? new Led();
      led.emit(progress(1));
      let exchange = await client.post("tools/call", callParams(name));
      const said: unknown[] = [];
      for (const step of NUMBERS) {
        const message = await exchange.next();
        assertEquals(isObject(message?.params) && message.params.progressToken, name);
        said.push(sayingOf(message ?? {}));
        const next = () => step < STEPS ? led.emit(progress(step + 1)) : led.finish(say(name));
        exchange[Symbol.dispose]();
        // The tool goes on while its client is away, or not before it is back.
        const early = (step + offset) % 2 === 0;
        if (early) next();
        exchange = await resume(client, exchange);
        if (!early) next();
      }
      said.push(sayingOf(await exchange.next() ?? {}));
      assertEquals(await exchange.event(), undefined);
      exchange[Symbol.dispose]();
      assertEquals(said, [...NUMBERS, name]);
    }));
    await host.settle("bulkhead_in_flight", 0);
    await host.settle("bulkhead_connections", 0);
  },
);

forEachRevision(
  "mcp.http.resume",
  "takes the stream over from a connection that hangs",
  async (revision) => {
    const led = new Led();
    await using host = new HttpHost({ activations: [scripted({ led: led.run })] });
    const client = await HttpClient.open(host, { revision });
    led.emit(progress(1));
    using hanging = await client.post("tools/call", callParams("led"));
    await hanging.next();
    using resumed = await resume(client, hanging);
    await hanging.finish();
    led.finish(progress(2), say("done"));
    await resumed.finish();
    assertEquals(resumed.messages.map(sayingOf), [2, "done"]);
  },
);

forEachRevision(
  "mcp.http.resume",
  "brings the news that came while nobody listened",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision });
    using listening = await client.listen();
    await client.call("test_trigger_prompt_change");
    await listening.next();
    listening[Symbol.dispose]();
    await client.call("test_trigger_tool_change");
    await client.call("test_trigger_resource_change");
    using resumed = await resume(client, listening);
    const kinds = [(await resumed.next())?.method, (await resumed.next())?.method];
    assertEquals(kinds, [
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
    ]);
    await client.call("test_trigger_prompt_change");
    assertEquals((await resumed.next())?.method, "notifications/prompts/list_changed");
  },
);

forEachRevision("mcp.http.resume", "is 404 where part of the stream is gone", async (revision) => {
  const tools = { steps: () => [...NUMBERS.map(progress), say("done")] };
  const limits = { maxSessionReplay: 2000 };
  await using host = new HttpHost({ activations: [scripted(tools)], limits });
  const client = await HttpClient.open(host, { revision });
  using exchange = await client.post("tools/call", callParams("steps"));
  await exchange.answer();
  const ids = exchange.events.flatMap(({ event, id }) => event === "message" && id ? [id] : []);
  assertEquals(ids.length, STEPS + 1);
  let lost = 0;
  for (const [index, id] of ids.entries()) {
    using resumed = await client.listen(id);
    if (resumed.status === 404) {
      assertEquals(index, lost, "what is lost is the oldest");
      lost += 1;
      await resumed.finish();
      continue;
    }
    const { wire, ...head } = await host.open({
      method: "GET",
      headers: client.headersOf({}, { headers: { "Last-Event-ID": id } }),
    });
    // Read apart: an answer that comes again is no fault of a client that asks for it again.
    const body = await wire.body(head);
    wire[Symbol.dispose]();
    assertEquals(body.split("\n\n").length - 1, ids.length - 1 - index);
  }
  assert(lost > 10 && lost < STEPS);
  assertEquals(textOf(await client.call("steps")), "done");
});

forEachRevision("mcp.http.resume", "is 404 for events that never were", async (revision) => {
  const tools = { steps: () => [...NUMBERS.map(progress), say("done")] };
  await using host = new HttpHost({ activations: [scripted(tools)] });
  const client = await HttpClient.open(host, { revision });
  const other = await HttpClient.open(host, { revision });
  using exchange = await client.post("tools/call", callParams("steps"));
  await exchange.answer();
  const stream = exchange.lastId?.split("-")[0] ?? "";
  const strays = [
    `${stream}-999`,
    "zzz-1",
    "x",
    "-1",
    "1-",
    `${stream}-1-1`,
    `${stream}--1`,
    `${stream}-1e1`,
    "__proto__-1",
    "0-1",
    "9".repeat(1000),
  ];
  for (const id of strays) {
    using resumed = await client.listen(id);
    assertEquals(resumed.status, 404, id);
    await resumed.finish();
  }
  using foreign = await other.listen(`${stream}-1`);
  assertEquals(foreign.status, 404);
});

forEachRevision("mcp.http.resume", "serves a client that was let go", async (revision) => {
  await using host = new HttpHost({ activations: [new EverythingActivation()] });
  const client = await HttpClient.open(host, { revision });
  using exchange = await client.post("tools/call", { name: "test_reconnection" });
  await exchange.finish();
  if (revision !== "2025-11-25") {
    // Older clients do not know that they may be let go.
    return assertEquals(sayingOf(exchange.messages[0] ?? {}), "Reconnected");
  }
  assertEquals(exchange.messages, []);
  assertEquals(exchange.events.at(-1), { retry: "200" });
  using resumed = await resume(client, exchange);
  assertEquals(sayingOf(await resumed.answer()), "Reconnected");
});

Deno.test("mcp.http.resume of a call that was canceled before it said a word: none will come", async () => {
  const led = new Led();
  await using host = new HttpHost({ activations: [scripted({ led: led.run })] });
  const client = await HttpClient.open(host, { revision: "2025-11-25" });
  led.emit({ kind: "detach", retryMs: 10 });
  using exchange = await client.post("tools/call", { name: "led" }, { id: "led" });
  await exchange.finish();
  assertEquals(await client.notify("notifications/cancelled", { requestId: "led" }), 202);
  using resumed = await client.listen(exchange.lastId);
  assertEquals(resumed.status, 204);
});

/** Two servers that share what outlives a connection. */
function startTwins(options: () => HttpHostOptions): {
  readonly store: MemorySessionStore;
  readonly first: HttpHost;
  readonly second: HttpHost;
} {
  const store = new MemorySessionStore({ maxSessionLength: 1e6, maxLength: 1e7 });
  const start = () => new HttpHost({ ...options(), store: { sessions: store } });
  return { store, first: start(), second: start() };
}

forEachRevision(
  "mcp.http.replicas",
  "serve one session, with all that was settled",
  async (revision) => {
    const twins = startTwins(() => ({ activations: [new EverythingActivation()] }));
    await using first = twins.first;
    await using second = twins.second;
    const here = await HttpClient.open(first, { revision });
    await here.result("logging/setLevel", { level: "error" });
    await here.result("resources/subscribe", { uri: "test://watched-resource" });
    const there = here.moveTo(second, await getOracle());
    using exchange = await there.post("tools/call", { name: "test_logging_tool" });
    assertEquals(exchange.headers.get("mcp-session-id"), here.session);
    assertEquals(sayingOf(await exchange.answer()), "Logged");
    assertEquals(exchange.messages.length, 1, "the level holds");
    using listening = await there.listen();
    await there.call("test_trigger_resource_update");
    assertEquals((await listening.next())?.method, "notifications/resources/updated");
    assertEquals((await here.ask("ping")).result, {});
  },
);

forEachRevision("mcp.http.replicas", "finish each other's streams", async (revision) => {
  const tools = { steps: () => [...NUMBERS.map(progress), say("done")] };
  const twins = startTwins(() => ({ activations: [scripted(tools)] }));
  await using first = twins.first;
  await using second = twins.second;
  const here = await HttpClient.open(first, { revision });
  const there = here.moveTo(second, await getOracle());
  // Its own streams must not be taken for the other's.
  for (let count = 0; count < 3; count++) await there.call("steps", {}, callParams("steps"));
  using exchange = await here.post("tools/call", callParams("steps"));
  while (exchange.messages.length < 15) await exchange.next();
  exchange[Symbol.dispose]();
  await first.settle("bulkhead_in_flight", 0);
  const { wire, ...head } = await second.open({
    method: "GET",
    headers: there.headersOf({}, { headers: { "Last-Event-ID": exchange.lastId ?? "" } }),
  });
  assertEquals(head.status, 200);
  const body = await wire.body(head);
  wire[Symbol.dispose]();
  const data = body.split("\n").filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  assertEquals(data.map(sayingOf), [...NUMBERS.slice(15), "done"]);
});

forEachRevision(
  "mcp.http.replicas",
  "all forget a session that one has ended",
  async (revision) => {
    const twins = startTwins(() => ({ activations: [new EverythingActivation()] }));
    await using first = twins.first;
    await using second = twins.second;
    const here = await HttpClient.open(first, { revision });
    const there = here.moveTo(second, await getOracle());
    assertEquals((await there.ask("ping")).result, {});
    assertEquals(await here.end(), 204);
    for (const client of [here, there]) {
      using refused = await client.post("ping");
      assertEquals(refused.status, 404);
      await refused.finish();
    }
    await second.settle("bulkhead_sessions", 0);
    assertEquals(twins.store.length, 0);
  },
);

forEachRevision("mcp.http.replicas", "go on where one has stopped", async (revision) => {
  const twins = startTwins(() => ({ activations: [new EverythingActivation()] }));
  await using second = twins.second;
  const here = await HttpClient.open(twins.first, { revision });
  await twins.first[Symbol.asyncDispose]();
  const there = here.moveTo(second, await getOracle());
  assertEquals((await there.ask("ping")).result, {});
});

forEachRevision("mcp.http.replicas", "keep a session to its owner", async (revision) => {
  const tokens = ["first-token-first-token", "second-token-second-token"];
  const twins = startTwins(() => ({ activations: [new EverythingActivation()], tokens }));
  await using first = twins.first;
  await using second = twins.second;
  const [mine = {}, other = {}] = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
  const here = await HttpClient.open(first, { revision, headers: mine });
  const there = here.moveTo(second, await getOracle());
  using refused = await there.post("ping", {}, { headers: other });
  assertEquals(refused.status, 404);
  await refused.finish();
  assertEquals((await there.ask("ping")).result, {});
});

forEachRevision(
  "mcp.http.replicas",
  "go on with news where another one began to tell them",
  async (revision) => {
    const twins = startTwins(() => ({ activations: [new EverythingActivation()] }));
    await using first = twins.first;
    await using second = twins.second;
    const here = await HttpClient.open(first, { revision });
    const there = here.moveTo(second, await getOracle());
    using listening = await here.listen();
    for (let count = 0; count < 3; count++) await here.call("test_trigger_prompt_change");
    await listening.next();
    listening[Symbol.dispose]();
    using resumed = await resume(there, listening);
    for (let count = 0; count < 2; count++) {
      assertEquals((await resumed.next())?.method, "notifications/prompts/list_changed");
    }
    await there.call("test_trigger_tool_change");
    assertEquals((await resumed.next())?.method, "notifications/tools/list_changed");
    resumed[Symbol.dispose]();
    await there.call("test_trigger_resource_change");
    using again = await resume(there, resumed);
    assertEquals((await again.next())?.method, "notifications/resources/list_changed");
  },
);

Deno.test("mcp.http.replicas know what was settled within a batch (2025-03-26)", async () => {
  const twins = startTwins(() => ({ activations: [new EverythingActivation()] }));
  await using first = twins.first;
  await using second = twins.second;
  const here = await HttpClient.create(first, { revision: "2025-03-26" });
  using opened = await here.post("initialize", here.initializeParams());
  await opened.answer();
  here.session = opened.headers.get("mcp-session-id");
  const batch = [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "error" } },
  ];
  const headers = here.headersOf({ jsonrpc: "2.0" });
  using settled = await here.raw({ headers, body: JSON.stringify(batch) });
  await settled.finish();
  assertEquals(settled.messages.map(({ id }) => id), [1]);
  const there = here.moveTo(second, await getOracle());
  using exchange = await there.post("tools/call", { name: "test_logging_tool" });
  assertEquals(sayingOf(await exchange.answer()), "Logged");
  assertEquals(exchange.messages.length, 1, "the level holds");
});

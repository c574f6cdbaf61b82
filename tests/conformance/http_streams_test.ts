// Streams over HTTP: when an answer becomes one, what it looks like, who may leave it, and what is asked on it.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { Signal } from "../../fixtures/servers/everything/signal.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { withDeadline } from "../harness/deadline.ts";
import type { SchemaRevision } from "../harness/definitions.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { HttpClient, HttpExchange } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { HttpPort, HttpWire, type RequestParts, toRequestBytes } from "../harness/http_wire.ts";
import { Led, progress } from "../harness/led.ts";
import { Ledger } from "../harness/ledger.ts";
import { getOracle } from "../harness/oracle.ts";
import { Held, say, scripted, textOf } from "../harness/scripted.ts";

const PREFIX = "io.modelcontextprotocol/";
const TALK = { progressToken: "token", [`${PREFIX}logLevel`]: "info" };

/** Without what differs between two answers of one tool. */
function resultOf({ result }: JsonObject): JsonObject {
  if (!isObject(result)) throw new TypeError("No result");
  return result;
}

forEachRevision(
  "mcp.http.stream",
  "is none until there is something to stream",
  async (revision) => {
    await using host = new HttpHost({ activations: [scripted({ quick: () => [say("done")] })] });
    const client = await HttpClient.open(host, { revision });
    using exchange = await client.post("tools/call", { name: "quick" });
    assertEquals(exchange.headers.get("content-type"), "application/json");
    assertEquals(textOf(resultOf(await exchange.answer())), "done");
  },
);

forEachRevision(
  "mcp.http.stream",
  "carries progress and log while the tool still runs, then what a buffered answer says (substrate#16, substrate#18)",
  async (revision) => {
    const tools = { led: new Led(), buffered: new Led() };
    const { led, buffered } = tools;
    const activations = [scripted({ led: led.run, buffered: buffered.run })];
    await using host = new HttpHost({ activations });
    const client = await HttpClient.open(host, { revision });
    const posting = client.post("tools/call", { name: "led", _meta: TALK });
    await led.started;
    let running = true;
    led.ended.then(() => running = false);
    led.emit(progress(1));
    using exchange = await posting;
    assert(exchange.isStream);
    assertEquals(exchange.headers.get("cache-control"), "no-cache");
    assertEquals((await exchange.next())?.method, "notifications/progress");
    led.emit({ kind: "log", level: "info", data: "half" });
    assertEquals((await exchange.next())?.params, { level: "info", data: "half" });
    led.emit(progress(2));
    assertEquals((await exchange.next())?.params, { progressToken: "token", progress: 2 });
    assert(running);
    const end = [say("first"), say("second")];
    led.finish(...end);
    const streamed = resultOf(await exchange.answer());

    buffered.finish(progress(1), progress(2), ...end);
    const accept = { accept: "application/json" };
    using whole = await client.post("tools/call", { name: "buffered", _meta: TALK }, accept);
    assertEquals(whole.isStream, false);
    assertEquals(resultOf(await whole.answer()), streamed);
  },
);

forEachRevision(
  "mcp.http.stream",
  "tells progress by the client's own token, always more of it; none without (substrate#17)",
  async (revision) => {
    const events = [1, 1, 0.5, 2, -1, Number.NaN, 3].map(progress);
    const activations = [scripted({ steps: () => [...events, say("done")] })];
    await using host = new HttpHost({ activations });
    const client = await HttpClient.open(host, { revision });
    for (const progressToken of [0, 7, "", "seven", undefined]) {
      const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
      using exchange = await client.post("tools/call", { name: "steps", ...meta });
      await exchange.answer();
      const told = exchange.messages.filter(({ method }) => method !== undefined)
        .map(({ params }) => params);
      const expected = progressToken === undefined
        ? []
        : [1, 2, 3].map((value) => ({ progressToken, progress: value }));
      assertEquals<unknown>(told, expected);
      assertEquals(exchange.isStream, progressToken !== undefined);
    }
  },
);

/** What a stream of two messages is made of, byte for byte. */
function formatOf(revision: SchemaRevision): RegExp {
  const primed = revision === "2025-11-25" ? "id: [0-9a-z]+-0\\nretry: \\d+\\ndata:\\n\\n" : "";
  const events = [1, 2].map((number) => {
    const id = revision === "2026-07-28" ? "" : `id: [0-9a-z]+-${number}\\n`;
    return `event: message\\n${id}data: \\{[^\\r\\n]*\\}\\n\\n`;
  });
  return new RegExp(`^${primed}${events.join("")}$`);
}

forEachRevision(
  "mcp.http.stream",
  "is events of one line each, with ids where they can be resumed (substrate#19)",
  async (revision) => {
    const text = "a\nb\r\nc\rd\u2028e\u2029f\u0085 🚢 data: x\n\nevent: y";
    const activations = [scripted({ tell: () => [progress(1), say(text)] })];
    await using host = new HttpHost({ activations });
    const client = await HttpClient.open(host, { revision });
    const request = client.request("tools/call", { name: "tell", _meta: TALK });
    const { status, headers, body } = await host.ask({
      headers: client.headersOf(request),
      body: JSON.stringify(request),
    });
    assertEquals(status, 200);
    assertEquals(headers.get("content-type"), "text/event-stream");
    assertEquals(headers.get("cache-control"), "no-cache");
    assertEquals(headers.get("x-accel-buffering"), "no");
    assertEquals(headers.get("transfer-encoding"), "chunked");
    assertEquals(headers.get("mcp-session-id"), client.session);
    assertMatch(body, formatOf(revision));
    const last = JSON.parse(body.trimEnd().split("\ndata: ").at(-1) ?? "");
    assertEquals(textOf(last.result), text);
  },
);

/** What is accepted, and whether a quiet call and a telling one become streams: sessions, then stateless. */
const ACCEPTS: readonly (readonly [string | undefined, string, string])[] = [
  ["application/json", "json json", "json json"],
  ["text/event-stream", "stream stream", "stream stream"],
  ["application/json, text/event-stream", "json stream", "json stream"],
  ["text/event-stream, application/json", "stream stream", "json stream"],
  ["TEXT/EVENT-STREAM;q=0.9,Application/JSON;q=0.1", "stream stream", "json stream"],
  [undefined, "json stream", "json stream"],
  ["*/*", "json stream", "json stream"],
  ["application/*", "json json", "json json"],
  ["text/*", "stream stream", "stream stream"],
  ["text/html, */*;q=0.1", "json stream", "json stream"],
];

forEachRevision("mcp.http.accept", "chooses the mode (substrate#20)", async (revision, t) => {
  const tools = { quiet: () => [say("done")], telling: () => [progress(1), say("done")] };
  await using host = new HttpHost({ activations: [scripted(tools)] });
  const client = await HttpClient.open(host, { revision });
  for (const [Accept, session, stateless] of ACCEPTS) {
    await t.step(`Accept: ${Accept}`, async () => {
      const modes: string[] = [];
      for (const name of ["quiet", "telling"]) {
        const params = { name, _meta: TALK };
        using exchange = await client.post("tools/call", params, { headers: { Accept } });
        modes.push(exchange.isStream ? "stream" : "json");
        assertEquals(textOf(resultOf(await exchange.answer())), "done");
        const told = modes.at(-1) === "stream" && name === "telling" ? 2 : 1;
        assertEquals(exchange.messages.length, told);
      }
      assertEquals(modes.join(" "), client.isStateless ? stateless : session);
    });
  }
});

forEachRevision(
  "mcp.subscription.listen",
  "over HTTP needs a client that takes events",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision });
    const accept = { accept: "application/json" };
    using exchange = await client.post("subscriptions/listen", { notifications: {} }, accept);
    assertEquals((await exchange.finish()).status, 406);
  },
);

forEachRevision(
  "mcp.http.stream",
  "shows that it is alive while a tool is quiet",
  async (revision) => {
    const held = new Held();
    await using host = new HttpHost({
      activations: [scripted({ hold: held.run })],
      limits: { keepAliveMs: 5 },
    });
    const client = await HttpClient.open(host, { revision });
    using exchange = await client.post("tools/call", { name: "hold" });
    while (exchange.events.filter(({ comment }) => comment === "keep-alive").length < 3) {
      await exchange.event();
    }
    held.release();
    assertEquals(textOf(resultOf(await exchange.answer())), "released");
  },
);

forEachRevision(
  "mcp.http.listen",
  "hears of changed lists and resources, on its own stream alone (substrate#21, substrate#28)",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision });
    const uri = "test://watched-resource";
    using listening = await openListening(client, uri);
    for (const kind of ["tool", "prompt", "resource"]) {
      using exchange = await client.post("tools/call", { name: `test_trigger_${kind}_change` });
      await exchange.answer();
      assertEquals(exchange.messages.length, 1);
      const news = await listening.next();
      assertEquals(news?.method, `notifications/${kind}s/list_changed`);
      assertEquals(subscriptionOf(news), client.isStateless ? "listen" : undefined);
    }
    await client.call("test_trigger_resource_update");
    const update = await listening.next();
    assertEquals(update?.method, "notifications/resources/updated");
    assertEquals(isObject(update?.params) && update.params.uri, uri);
    if (client.isStateless) return;
    await client.result("resources/unsubscribe", { uri });
    await client.call("test_trigger_resource_update");
    await client.call("test_trigger_prompt_change");
    assertEquals((await listening.next())?.method, "notifications/prompts/list_changed");
  },
);

/** Opens whatever the revision hears news on. */
async function openListening(client: HttpClient, uri: string): Promise<HttpExchange> {
  if (!client.isStateless) {
    await client.result("resources/subscribe", { uri });
    const listening = await client.listen();
    assertEquals(listening.status, 200);
    assert(listening.isStream);
    return listening;
  }
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [uri],
  };
  const listening = await client.post("subscriptions/listen", { notifications }, { id: "listen" });
  const acknowledged = await listening.next();
  assertEquals(acknowledged?.method, "notifications/subscriptions/acknowledged");
  return listening;
}

function subscriptionOf(message: JsonObject | undefined): unknown {
  const params = isObject(message?.params) ? message.params : {};
  return isObject(params._meta) ? params._meta[`${PREFIX}subscriptionId`] : undefined;
}

forEachRevision(
  "mcp.http.listen",
  "is kept alive by comments, and ended at the end",
  async (revision) => {
    await using host = new HttpHost({
      activations: [new EverythingActivation()],
      limits: { keepAliveMs: 5 },
    });
    const client = await HttpClient.open(host, { revision });
    using listening = await openListening(client, "test://watched-resource");
    for (let count = 0; count < 5;) {
      const event = await listening.event();
      if (event?.comment === "keep-alive") count += 1;
    }
    host.stop();
    await listening.finish();
    await host.ended;
    const last = listening.messages.at(-1);
    if (!client.isStateless) return assertEquals(last, undefined);
    assertEquals(last?.id, "listen");
    assertEquals(isObject(last?.result) && last.result.resultType, "complete");
    assertEquals(subscriptionOf({ params: last?.result ?? {} }), "listen");
  },
);

forEachRevision(
  "mcp.http.session",
  "has one stream of news: a new one ends the old",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision });
    using first = await client.listen();
    using second = await client.listen();
    await first.finish();
    await client.call("test_trigger_prompt_change");
    assertEquals((await second.next())?.method, "notifications/prompts/list_changed");
    assertEquals(first.messages, []);
  },
);

forEachRevision(
  "mcp.http.listen",
  "leaves nothing behind when its client goes",
  async (revision) => {
    const watched = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const activation = scripted({}, {
      resources: {
        list: () => Promise.resolve([]),
        templates: () => Promise.resolve([]),
        read: () => Promise.resolve(undefined),
        watch: (_uri, signal) => {
          signal.addEventListener("abort", () => ended.resolve(), { once: true });
          watched.resolve();
          return new Signal<void>().listen(signal);
        },
      },
    });
    await using host = new HttpHost({ activations: [activation] });
    const client = await HttpClient.open(host, { revision });
    const listening = await openListening(client, "a:b");
    await withDeadline(watched.promise, () => "Nobody watches");
    listening[Symbol.dispose]();
    // A session goes on without its stream, until it is ended.
    if (!client.isStateless) assertEquals(await client.end(), 204);
    await withDeadline(ended.promise, () => "The resource is still watched");
  },
);

/** A tool that tells a first word, so that its stream is there, and then holds on. */
function telling(held: Held) {
  return scripted({
    async *hold(call) {
      yield progress(1);
      yield* held.run(call);
    },
  });
}

for (const kind of ["before the answer begins", "in the middle of a stream"] as const) {
  forEachRevision(
    "mcp.http.disconnect",
    `${kind} ends the work of the stateless wire, and of no other (substrate#25)`,
    async (revision) => {
      const held = new Held();
      await using host = new HttpHost({ activations: [telling(held)] });
      const client = await HttpClient.open(host, { revision });
      const streams = kind === "in the middle of a stream";
      const params = { name: "hold", ...(streams ? { _meta: TALK } : {}) };
      const request = client.request("tools/call", params);
      const parts = { headers: client.headersOf(request), body: JSON.stringify(request) };
      if (streams) {
        using exchange = await client.send(request);
        await exchange.next();
      } else {
        await leaveEarly(host, parts, held.started);
      }
      await held.started;
      if (client.isStateless) {
        assertEquals(await held.ended, "aborted");
      } else {
        await host.settle("bulkhead_connections", 0);
        held.release();
        assertEquals(await held.ended, "answered");
      }
      await host.settle("bulkhead_in_flight", 0);
    },
  );
}

/** Sends a request and leaves once its work has begun. */
async function leaveEarly(
  host: HttpHost,
  parts: RequestParts,
  begun: Promise<void>,
): Promise<void> {
  using wire = await HttpWire.connect(host.port);
  await wire.write(toRequestBytes(new HttpPort(host.port).complete(parts)));
  await begun;
}

forEachRevision(
  "mcp.http.disconnect",
  "is not the way to cancel in a session: a notification on another request is (substrate#25)",
  async (revision) => {
    const held = new Held();
    await using host = new HttpHost({ activations: [telling(held)] });
    const client = await HttpClient.open(host, { revision });
    using exchange = await client.post("tools/call", { name: "hold", _meta: TALK }, { id: 77 });
    await exchange.next();
    const params = { requestId: 77, reason: "no longer wanted" };
    assertEquals(await client.notify("notifications/cancelled", params), 202);
    if (client.isStateless) {
      // Nobody knows whose 77 that would be.
      held.release();
      assertEquals(await held.ended, "answered");
      assertEquals(textOf(resultOf(await exchange.answer())), "released");
      return;
    }
    assertEquals(await held.ended, "aborted");
    await exchange.finish();
    assertEquals(exchange.messages.length, 1);
    await host.settle("bulkhead_in_flight", 0);
  },
);

forEachRevision(
  "mcp.http.disconnect",
  "of one client is nothing to another's same id",
  async (revision) => {
    const tools = { one: new Held(), two: new Held() };
    await using host = new HttpHost({
      activations: [scripted({ one: tools.one.run, two: tools.two.run })],
    });
    const clients = [
      await HttpClient.open(host, { revision }),
      await HttpClient.open(host, { revision }),
    ];
    const posted = ["one", "two"].map((name, index) =>
      clients[index]?.post("tools/call", { name }, { id: 5 })
    );
    await Promise.all([tools.one.started, tools.two.started]);
    await clients[0]?.notify("notifications/cancelled", { requestId: 5 });
    if (!clients[0]?.isStateless) assertEquals(await tools.one.ended, "aborted");
    tools.one.release();
    tools.two.release();
    assertEquals(await tools.two.ended, "answered");
    for (const exchange of await Promise.all(posted)) {
      await exchange?.finish();
      exchange?.[Symbol.dispose]();
    }
  },
);

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

/** What the client answers each question with. */
const GIVEN: Readonly<Record<string, JsonObject>> = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "sampling/createMessage": {
    role: "assistant",
    content: { type: "text", text: "Paris" },
    model: "m",
  },
  "roots/list": { roots: [{ uri: "file:///home" }] },
};

/** Tools that ask, the method they ask with, and what their result shows. */
const ASKED: readonly (readonly [string, string, RegExp])[] = [
  ["test_input_required_result_elicitation", "elicitation/create", /Hello, Ada!/],
  ["test_input_required_result_sampling", "sampling/createMessage", /Paris/],
  ["test_input_required_result_list_roots", "roots/list", /file:\/\/\/home/],
];

/** Questions that a revision has. */
function canAsk(revision: SchemaRevision, method: string): boolean {
  return method !== "elicitation/create" || revision >= "2025-06-18";
}

forEachRevision(
  "mcp.http.ask",
  "goes to the stream of the call, and comes back by POST",
  async (revision, t) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision, capabilities: CAPABILITIES });
    for (const [name, method, shown] of ASKED) {
      if (!canAsk(revision, method)) continue;
      await t.step(method, async () => {
        const result = client.isStateless
          ? await askByRetry(client, name, method)
          : await askByRequest(client, name, method);
        assertMatch(textOf(result), shown);
      });
    }
  },
);

/** On the handshake wire: a real request, on the stream of the call. */
async function askByRequest(client: HttpClient, name: string, method: string): Promise<JsonObject> {
  using exchange = await client.post("tools/call", { name });
  assert(exchange.isStream);
  const question = await exchange.next();
  assertEquals(question?.method, method);
  assertEquals(await client.respond(question?.id, GIVEN[method] ?? {}), 202);
  return resultOf(await exchange.answer());
}

/** On the stateless wire: an answer that asks, and the request once more. */
async function askByRetry(client: HttpClient, name: string, method: string): Promise<JsonObject> {
  const first = await client.call(name);
  assertEquals(first.resultType, "input_required");
  const requests = isObject(first.inputRequests) ? first.inputRequests : {};
  const inputResponses = Object.fromEntries(
    Object.entries(requests).map(([key, request]) => {
      assertEquals(isObject(request) && request.method, method);
      return [key, GIVEN[method] ?? {}];
    }),
  );
  const { requestState } = first;
  const second = await client.call(name, {}, { inputResponses, requestState });
  assertEquals(second.resultType, "complete");
  return second;
}

forEachRevision(
  "mcp.http.session",
  "asks nobody who takes no events",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const client = await HttpClient.open(host, { revision, capabilities: CAPABILITIES });
    const params = { name: "test_input_required_result_sampling" };
    const result = resultOf(await client.ask("tools/call", params, { accept: "application/json" }));
    assertEquals(result.isError, true);
  },
);

forEachRevision("mcp.http.session", "takes no answer from another one", async (revision) => {
  await using host = new HttpHost({ activations: [new EverythingActivation()] });
  const client = await HttpClient.open(host, { revision, capabilities: CAPABILITIES });
  const other = await HttpClient.open(host, { revision, capabilities: CAPABILITIES });
  using exchange = await client.post("tools/call", { name: "test_input_required_result_sampling" });
  const question = await exchange.next();
  const forged = { ...GIVEN["sampling/createMessage"], content: { type: "text", text: "Forged" } };
  assertEquals(await other.respond(question?.id, forged), 202);
  await client.respond(question?.id, GIVEN["sampling/createMessage"] ?? {});
  assertMatch(textOf(resultOf(await exchange.answer())), /Paris/);
});

forEachRevision(
  "mcp.http.status",
  "is 429 for a client with too much under way",
  async (revision) => {
    const held = new Held();
    const activations = [scripted({ hold: held.run, quick: () => [say("quick")] })];
    await using host = new HttpHost({ activations, limits: { maxRequestsPerClient: 1 } });
    const client = await HttpClient.open(host, { revision });
    const posting = client.post("tools/call", { name: "hold" });
    await held.started;
    using refused = await client.post("tools/call", { name: "quick" });
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    await refused.finish();
    held.release();
    using exchange = await posting;
    await exchange.answer();
    assertEquals(textOf(await client.call("quick")), "quick");
  },
);

forEachRevision(
  "mcp.http.events",
  "names where to post, and carries everything else",
  async (revision) => {
    await using host = new HttpHost({
      activations: [new EverythingActivation()],
      legacyEvents: true,
    });
    const ledger = new Ledger(await getOracle());
    const { wire, ...head } = await host.open({ method: "GET", target: "/sse" });
    using stream = new HttpExchange(wire, head, ledger);
    assert(stream.isStream);
    const first = await stream.event();
    assertEquals(first?.event, "endpoint");
    const target = first?.data ?? "";
    assertMatch(target, /^\/messages\?session=[0-9a-f-]{36}$/);
    const post = async (message: JsonObject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      ledger.note(body);
      const headers = { "Content-Type": "application/json" };
      assertEquals((await host.ask({ target, headers, body })).status, 202);
    };
    const params = {
      protocolVersion: revision,
      capabilities: CAPABILITIES,
      clientInfo: { name: "test", version: "1.0.0" },
    };
    await post({ id: 1, method: "initialize", params });
    assertEquals(resultOf(await stream.next() ?? {}).protocolVersion, revision);
    await post({ method: "notifications/initialized" });
    const progressing = { name: "test_tool_with_progress", _meta: { progressToken: 9 } };
    await post({ id: 2, method: "tools/call", params: progressing });
    for (const value of [0, 50, 100]) {
      const { params } = await stream.next() ?? {};
      assertEquals(isObject(params) && params.progress, value);
    }
    assertEquals((await stream.next())?.id, 2);
    await post({
      id: 3,
      method: "tools/call",
      params: { name: "test_input_required_result_sampling" },
    });
    const question = await stream.next();
    assertEquals(question?.method, "sampling/createMessage");
    await post({ id: question?.id, result: GIVEN["sampling/createMessage"] });
    assertMatch(textOf(resultOf(await stream.next() ?? {})), /Paris/);
    await post({ id: 4, method: "tools/call", params: { name: "test_trigger_prompt_change" } });
    const both = [(await stream.next())?.method, (await stream.next())?.method];
    assertEquals(both.toSorted(), ["notifications/prompts/list_changed", undefined].toSorted());
    assertEquals(host.metric("bulkhead_sessions"), 1);
    stream[Symbol.dispose]();
    await host.settle("bulkhead_sessions", 0);
    const headers = { "Content-Type": "application/json" };
    assertEquals((await host.ask({ target, headers, body: "{}" })).status, 404);
  },
);

forEachRevision("mcp.http.events", "refuses other methods and other people's streams", async () => {
  const tokens = ["first-token-first-token", "second-token-second-token"];
  await using host = new HttpHost({ activations: [], legacyEvents: true, tokens });
  const [first = {}, second = {}] = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
  const typed = { "Content-Type": "application/json" };
  assertEquals((await host.ask({ method: "GET", target: "/sse" })).status, 401);
  const put = await host.ask({ method: "PUT", target: "/sse", headers: first });
  assertEquals([put.status, put.headers.get("allow")], [405, "GET"]);
  const get = await host.ask({ method: "GET", target: "/messages", headers: first });
  assertEquals([get.status, get.headers.get("allow")], [405, "POST"]);
  const posted = await host.ask({ target: "/sse", headers: { ...first, ...typed }, body: "{}" });
  assertEquals([posted.status, posted.headers.get("allow")], [405, "GET"]);
  const { wire, headers, status } = await host.open({
    method: "GET",
    target: "/sse",
    headers: first,
  });
  using stream = new HttpExchange(wire, { headers, status }, new Ledger(await getOracle()));
  const target = (await stream.event())?.data ?? "";
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const foreign = await host.ask({ target, headers: { ...second, ...typed }, body });
  assertEquals(foreign.status, 404);
  const own = await host.ask({ target, headers: { ...first, ...typed }, body });
  assertEquals(own.status, 202);
});

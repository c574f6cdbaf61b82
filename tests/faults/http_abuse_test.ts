// Clients over HTTP that mean harm or simply leave: memory stays bounded, the status is right, and nobody else notices.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import type { CallEvent } from "../../mod.ts";
import { GREETING } from "../harness/greeting.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { HttpPort, HttpWire, toRequestBytes } from "../harness/http_wire.ts";
import { Led, progress } from "../harness/led.ts";
import { Held, say, scripted, textOf } from "../harness/scripted.ts";
import { LiveServer } from "./live_server.ts";

/** One revision of each wire. */
const WIRES = ["2025-11-25", "2026-07-28"] as const;

/** The most that a server may hold for clients whose requests are refused or short, in MiB. */
const MAX_MIB = 200;
/** The same with as many unfinished bodies as there is room for, 256 MiB. */
const MAX_LADEN_MIB = 256 + MAX_MIB;

const MEBI = 2 ** 20;

/** Tests one behaviour on both wires. */
function forEachWire(
  behaviour: string,
  run: (revision: typeof WIRES[number]) => Promise<void>,
): void {
  for (const revision of WIRES) Deno.test(`${behaviour} (${revision})`, () => run(revision));
}

/** The demo server over HTTP, and its port once it listens. */
async function startDemo(
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<{ readonly server: LiveServer; readonly port: HttpPort }> {
  const server = new LiveServer({
    module: "mod.ts",
    args: ["demo", "--http", "127.0.0.1:0", ...args],
    flags: ["--allow-net=127.0.0.1:0", ...flags],
  });
  const { url } = await server.logged("serving");
  return { server, port: new HttpPort(Number(new URL(String(url)).port)) };
}

/** A number as `/metrics` tells it. */
async function readMetric(port: HttpPort, name: string): Promise<number> {
  const { body } = await port.ask({ method: "GET", target: "/metrics" });
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(body)?.[1]);
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  },
});

Deno.test("10,000 half-open sessions are bounded, and a good client does not notice", async () => {
  const { server, port } = await startDemo();
  await using _server = server;
  const client = await HttpClient.open(port, { revision: "2025-11-25" });
  const parts = port.complete({
    headers: { "Content-Type": "application/json" },
    body: INITIALIZE,
  });
  let most = 0;
  using wire = await HttpWire.connect(port.port);
  for (let round = 0; round < 100; round++) {
    for (let count = 0; count < 100; count++) {
      assertEquals((await wire.ask(parts)).status, 200);
    }
    assertEquals(textOf(await client.call("echo", { message: `${round}` })), `${round}`);
    if (round % 10 === 9) most = Math.max(most, await readMetric(port, "bulkhead_sessions"));
  }
  assertEquals(most, 1000);
  assert(await server.peakMib() < MAX_MIB, `${await server.peakMib()} MiB`);
});

Deno.test("a body of 1 GiB is refused, announced or not, and never held", async () => {
  const { server, port } = await startDemo();
  await using _server = server;
  const client = await HttpClient.open(port, { revision: "2025-11-25" });
  const headers = { "Content-Type": "application/json" };
  const announced = { ...headers, "Content-Length": `${2 ** 30}` };
  assertEquals((await port.ask({ headers: announced })).status, 413);
  using wire = await HttpWire.connect(port.port);
  const chunked = { ...headers, "Transfer-Encoding": "chunked" };
  await wire.write(toRequestBytes(port.complete({ headers: chunked })));
  const answered = wire.answer();
  const mebi = new TextEncoder().encode(`100000\r\n${" ".repeat(2 ** 20)}\r\n`);
  let sent = 0;
  while (sent < 1024 && await wire.write(mebi)) {
    sent += 1;
    assertEquals(textOf(await client.call("echo", { message: `${sent}` })), `${sent}`);
  }
  assertEquals((await answered).status, 413);
  assertEquals(textOf(await client.call("echo", { message: "here" })), "here");
  assert(await server.peakMib() < MAX_MIB, `${await server.peakMib()} MiB after ${sent} MiB`);
});

Deno.test("heads and bodies that never end are bounded, and a good client does not notice", async () => {
  const { server, port } = await startDemo();
  await using _server = server;
  const client = await HttpClient.open(port, { revision: "2025-11-25" });
  using wires = new DisposableStack();
  const begin = async (...parts: readonly Uint8Array[]) => {
    const wire = wires.use(await HttpWire.connect(port.port));
    // Where there is no room left, the server closes in the middle.
    for (const part of parts) await wire.write(part);
  };
  const headers = { "Content-Type": "application/json", "Content-Length": `${9 * MEBI}` };
  const request = toRequestBytes(port.complete({ headers }));
  const body = new Uint8Array(8 * MEBI);
  const head = new TextEncoder().encode(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${"x".repeat(15_000)}`,
  );
  // 800 MiB in all: far more than the server may hold.
  for (let round = 0; round < 100; round++) {
    await begin(request, body);
    for (let count = 0; count < 5; count++) await begin(head);
    assertEquals(textOf(await client.call("echo", { message: `${round}` })), `${round}`);
  }
  assert(await server.peakMib() < MAX_LADEN_MIB, `${await server.peakMib()} MiB`);
});

Deno.test("HTTP+SSE: a client that never reads is not listened to, and nobody else notices", async () => {
  await using host = new HttpHost({
    activations: [scripted({ long: () => [say("x".repeat(MEBI))], quick: () => [say("quick")] })],
    legacyEvents: true,
  });
  const { wire } = await host.open({ method: "GET", target: "/sse" });
  using _wire = wire;
  const [, target = ""] = /^data: (.+)$/m.exec(await wire.chunk() ?? "") ?? [];
  const post = (message: JsonObject) =>
    host.ask({
      target,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  for (const message of GREETING) assertEquals((await post(message)).status, 202);
  const other = await HttpClient.open(host, { revision: "2025-11-25" });
  let last = await post({ id: 2, method: "ping" });
  for (let id = 3; last.status === 202 && id < 100; id++) {
    last = await post({ id, method: "tools/call", params: { name: "long" } });
    assertEquals(textOf(await other.call("quick")), "quick");
  }
  assertEquals(last.status, 429);
  assert(last.body.includes("Server busy: read the events of /sse first"), last.body);
  assertEquals(last.headers.get("retry-after"), "1");
});

Deno.test("a requestState with any bit flipped is refused", async () => {
  await using host = new HttpHost({ activations: [new EverythingActivation()] });
  const capabilities = { elicitation: {} };
  const client = await HttpClient.open(host, { revision: "2026-07-28", capabilities });
  const name = "test_input_required_result_tampered_state";
  const { requestState } = await client.call(name);
  const state = String(requestState);
  const inputResponses = { "user_name": { action: "accept", content: { name: "Ada" } } };
  const retry = async (forged: string) => {
    const params = { name, arguments: {}, inputResponses, requestState: forged };
    using exchange = await client.post("tools/call", params);
    const answer = await exchange.answer();
    return [exchange.status, isObject(answer.error) ? answer.error.code : undefined];
  };
  for (let index = 0; index < state.length; index++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = String.fromCharCode(state.charCodeAt(index) ^ (1 << bit));
      const forged = state.slice(0, index) + flipped + state.slice(index + 1);
      assertEquals(await retry(forged), [200, -32602], `byte ${index}, bit ${bit}`);
    }
  }
  for (const forged of ["", ".", state.slice(1), state.slice(0, -1), `${state}A`, `${state}.A`]) {
    assertEquals(await retry(forged), [200, -32602], forged);
  }
  assertEquals(await retry(state), [200, undefined]);
});

Deno.test("a requestState is of no use to another owner, or for another request", async () => {
  const tokens = ["first-token-first-token", "second-token-second-token"];
  await using host = new HttpHost({ activations: [new EverythingActivation()], tokens });
  const [mine = {}, theirs = {}] = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
  const capabilities = { elicitation: {} };
  const client = await HttpClient.open(host, {
    revision: "2026-07-28",
    capabilities,
    headers: mine,
  });
  const { requestState } = await client.call("test_input_required_result_tampered_state");
  const retry = (name: string, headers: Readonly<Record<string, string>>) =>
    client.ask("tools/call", { name, arguments: {}, requestState, inputResponses: {} }, {
      headers,
    });
  const stolen = await retry("test_input_required_result_tampered_state", theirs);
  assertEquals(isObject(stolen.error) && stolen.error.code, -32602);
  const other = await retry("test_input_required_result_elicitation", mine);
  assertEquals(isObject(other.error) && other.error.code, -32602);
  const good = await retry("test_input_required_result_tampered_state", mine);
  assertEquals(good.error, undefined);
});

Deno.test("a flood of missing and wrong tokens opens nothing and tells nothing", async () => {
  const token = "right-token-right-token";
  const file = await Deno.makeTempFile({ dir: "/tmp" });
  await Deno.writeTextFile(file, `${token}\n`);
  const { server, port } = await startDemo(
    ["--token-file", file, "--log-level", "debug"],
    [`--allow-read=${file}`],
  );
  await using _server = server;
  const headers = { Authorization: `Bearer ${token}` };
  const client = await HttpClient.open(port, { revision: "2025-11-25", headers });
  const guesses = [undefined, "wrong-token-wrong-token", `${token}x`, token.slice(1)];
  await Promise.all(guesses.map(async (guess) => {
    using wire = await HttpWire.connect(port.port);
    const given: Record<string, string> = guess === undefined
      ? {}
      : { Authorization: `Bearer ${guess}` };
    const parts = port.complete({
      headers: { "Content-Type": "application/json", ...given },
      body: INITIALIZE,
    });
    for (let count = 0; count < 500; count++) assertEquals((await wire.ask(parts)).status, 401);
  }));
  assertEquals(textOf(await client.call("echo", { message: "here" })), "here");
  const { body } = await port.ask({ method: "GET", target: "/metrics", headers });
  assert(body.includes('bulkhead_denials_total{reason="token"} 2000'), body);
  assert(/^bulkhead_sessions 1$/m.test(body));
  server.kill("SIGTERM");
  assertEquals(await server.ended(), { code: 0, signal: null });
  const told = [...server.errorLines, body].join("\n");
  for (const secret of [token, "wrong-token", client.session ?? "", token.slice(1)]) {
    assertEquals(told.includes(secret), false, `"${secret}" is told`);
  }
  await Deno.remove(file);
});

Deno.test("a page that points its own name at this machine reaches nothing", async () => {
  const { server, port } = await startDemo();
  await using _server = server;
  const names = [
    "evil.example.com",
    "evil.example.com:80",
    "127.0.0.1.nip.example",
    "localhost.example",
    "a.localhost",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "127.1",
  ];
  for (const Host of names) {
    for (const target of ["/mcp", "/metrics", "/healthz", "/"]) {
      const get = await port.ask({ method: "GET", target, headers: { Host } });
      assertEquals(get.status, 403, `GET ${target} of ${Host}`);
    }
    const headers = { Host, "Content-Type": "application/json" };
    assertEquals((await port.ask({ headers, body: INITIALIZE })).status, 403, Host);
    const crossing = { Host, Origin: `http://${Host}`, "Access-Control-Request-Method": "POST" };
    const preflight = await port.ask({ method: "OPTIONS", headers: crossing });
    assertEquals([preflight.status, preflight.headers.has("access-control-allow-origin")], [
      403,
      false,
    ]);
  }
  assertEquals(await readMetric(port, "bulkhead_sessions"), 0);
});

/** Characters of each event of a flood, and of all that the system and the server take for a client that never reads. */
const FLOOD_LENGTH = 10_000;
const MAX_FLOOD = 32 * 2 ** 20;

forEachWire("a reader that never reads holds its own tool up and nobody else", async (revision) => {
  let told = 0;
  const flood = async function* (): AsyncGenerator<CallEvent> {
    // An end, so that a server that holds nothing up fails instead of running out of memory.
    while (told * FLOOD_LENGTH < 2 * MAX_FLOOD) {
      told += 1;
      yield { kind: "log", level: "info", data: "x".repeat(FLOOD_LENGTH) };
    }
  };
  await using host = new HttpHost({
    activations: [scripted({ flood, quick: () => [say("quick")] })],
    core: { maxNotificationsPerMinute: 1e9 },
  });
  const meta = { _meta: { "io.modelcontextprotocol/logLevel": "info" } };
  const client = await HttpClient.open(host, { revision });
  const other = await HttpClient.open(host, { revision });
  using exchange = await client.post("tools/call", { name: "flood", ...meta });
  assert(exchange.isStream);
  // The tool stands still when the others get every turn and it gets none.
  let before = -1;
  for (let turn = 0; before !== told && turn < 1000; turn++) {
    before = told;
    for (let count = 0; count < 20; count++) {
      assertEquals(textOf(await other.call("quick")), "quick");
    }
  }
  assert(told * FLOOD_LENGTH < MAX_FLOOD, `${told} events were taken`);
  const held = told;
  // It goes on as soon as its reader does.
  while (exchange.messages.length <= held) await exchange.next();
  assert(told > held);
});

forEachWire(
  "1,000 calls among other requests leave nothing under way (substrate#26)",
  async (revision) => {
    await using host = new HttpHost({ activations: [new EverythingActivation()] });
    const clients = await Promise.all(
      Array.from({ length: 10 }, () => HttpClient.open(host, { revision })),
    );
    const methods = ["tools/list", "resources/list", "prompts/list", "no/such"];
    await Promise.all(clients.map(async (client, index) => {
      for (let count = 0; count < 100; count++) {
        await client.call("test_simple_text");
        await client.ask(methods[(count + index) % methods.length] ?? "");
      }
      if (!client.isStateless) assertEquals(await client.end(), 204);
    }));
    await host.settle("bulkhead_in_flight", 0);
    await host.settle("bulkhead_connections", 0);
    assertEquals(host.metric("bulkhead_sessions"), 0);
    assertEquals(host.metric("bulkhead_calls_total"), 1000);
  },
);

forEachWire("200 clients that vanish in mid-stream leave nothing behind", async (revision) => {
  const leds: Led[] = [];
  const led: (call: Parameters<Led["run"]>[0]) => ReturnType<Led["run"]> = (call) => {
    const tool = new Led();
    leds.push(tool);
    tool.emit(progress(1));
    return tool.run(call);
  };
  await using host = new HttpHost({
    activations: [scripted({ led, quick: () => [say("quick")] })],
    limits: { maxRequestsPerClient: 8, maxSessions: 300 },
    core: { maxConcurrentCalls: 8 },
  });
  for (let count = 0; count < 200; count++) {
    const client = await HttpClient.open(host, { revision });
    using exchange = await client.post("tools/call", { name: "led", _meta: { progressToken: 1 } });
    assertEquals(exchange.status, 200, `the ${count}th is let in`);
    await exchange.next();
    exchange[Symbol.dispose]();
    await host.settle("bulkhead_connections", 0);
    const tool = leds.at(-1);
    // A session goes on working for a client that may come back.
    if (!client.isStateless) tool?.finish(say("done"));
    assertEquals(await tool?.ended, client.isStateless ? "aborted" : "answered");
  }
  await host.settle("bulkhead_in_flight", 0);
  await host.settle("bulkhead_connections", 0);
  const client = await HttpClient.open(host, { revision });
  assertEquals(textOf(await client.call("quick")), "quick");
});

forEachWire(
  "200 clients that vanish before their answer leave nothing behind",
  async (revision) => {
    const holds: Held[] = [];
    const hold: Held["run"] = (call) => {
      const held = new Held();
      holds.push(held);
      return held.run(call);
    };
    await using host = new HttpHost({
      activations: [scripted({ hold, quick: () => [say("quick")] })],
      limits: { maxRequestsPerClient: 8 },
    });
    const client = await HttpClient.open(host, { revision });
    for (let count = 0; count < 200; count++) {
      using wire = await HttpWire.connect(host.port);
      const request = client.request("tools/call", { name: "hold" });
      const parts = { headers: client.headersOf(request), body: JSON.stringify(request) };
      await wire.write(toRequestBytes(new HttpPort(host.port).complete(parts)));
      await host.settle("bulkhead_in_flight", 1);
      wire[Symbol.dispose]();
      if (!client.isStateless) holds.at(-1)?.release();
      await host.settle("bulkhead_in_flight", 0);
    }
    await host.settle("bulkhead_connections", 0);
    assertEquals(textOf(await client.call("quick")), "quick");
  },
);

forEachWire("SIGTERM lets a call finish that takes longer than a moment", async (revision) => {
  const { server, port } = await startDemo(["--grace-ms", "20000"]);
  await using _server = server;
  const client = await HttpClient.open(port, { revision });
  const given = { to: 20, intervalMs: 100 };
  const params = { name: "count", arguments: given, _meta: { progressToken: 1 } };
  using exchange = await client.post("tools/call", params);
  await exchange.next();
  server.kill("SIGTERM");
  await exchange.next();
  await refusesSoon(port.port);
  const { result } = await exchange.answer();
  assertEquals(textOf(isObject(result) ? result : {}), "Counted to 20");
  assertEquals(await server.ended(), { code: 0, signal: null });
});

/** Connects until nobody listens any more. */
async function refusesSoon(port: number): Promise<void> {
  await assertRejects(async () => {
    for (let turn = 0; turn < 1000; turn++) (await HttpWire.connect(port))[Symbol.dispose]();
  }, Deno.errors.ConnectionRefused);
}

forEachWire(
  "SIGTERM ends a call that outlives the grace, and the server all the same",
  async (revision) => {
    const { server, port } = await startDemo(["--grace-ms", "100"]);
    await using _server = server;
    const client = await HttpClient.open(port, { revision });
    const given = { to: 1000, intervalMs: 100 };
    const params = { name: "count", arguments: given, _meta: { progressToken: 1 } };
    using exchange = await client.post("tools/call", params);
    await exchange.next();
    server.kill("SIGTERM");
    assertEquals(await server.ended(), { code: 0, signal: null });
  },
);

Deno.test("SIGTERM ends a server whose clients only listen, at once and in good order", async () => {
  const { server, port } = await startDemo(["--grace-ms", "20000", "--legacy-sse"]);
  await using _server = server;
  const session = await HttpClient.open(port, { revision: "2025-11-25" });
  using listening = await session.listen();
  const stateless = await HttpClient.open(port, { revision: "2026-07-28" });
  using subscribed = await stateless.post("subscriptions/listen", { notifications: {} });
  await subscribed.next();
  const { wire, ...head } = await port.open({ method: "GET", target: "/sse" });
  using _wire = wire;
  assertEquals(head.status, 200);
  server.kill("SIGTERM");
  await listening.finish();
  const last: JsonObject = await subscribed.answer();
  assertEquals(isObject(last.result) && last.result.resultType, "complete");
  await wire.body(head);
  assertEquals(await server.ended(), { code: 0, signal: null });
});

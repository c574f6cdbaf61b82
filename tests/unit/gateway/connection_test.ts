// One client's messages, from the line to the answer, without any transport.

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Activation, Call, CallEvent } from "../../../src/activation/activation.ts";
import { Connection, type ConnectionOptions } from "../../../src/gateway/connection.ts";
import { Gateway } from "../../../src/gateway/gateway.ts";
import type { Limits } from "../../../src/gateway/limits.ts";
import { createLog } from "../../../src/gateway/log.ts";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { RecordingOutlet, settle } from "./recorded_exchange.ts";

/** A tool `wait` that ends when it is told to or canceled, and a tool `throw` that throws. */
class WaitingActivation implements Activation {
  readonly namespace = "w";
  readonly started: string[] = [];
  readonly #release = Promise.withResolvers<void>();

  tools() {
    return ["wait", "throw"].map((name) => ({ name, inputSchema: { type: "object" } }));
  }

  async *call(call: Call): AsyncGenerator<CallEvent> {
    if (call.tool === "throw") throw new Error("secret");
    this.started.push(call.tool);
    await this.#release.promise;
    yield { kind: "content", block: { type: "text", text: "done" } };
  }

  release(): void {
    this.#release.resolve();
  }

  async [Symbol.asyncDispose]() {}
}

interface Setup {
  readonly limits?: Partial<Limits>;
  readonly options?: ConnectionOptions;
}

async function connect({ limits = {}, options }: Setup = {}) {
  const activation = new WaitingActivation();
  const gateway = new Gateway({
    server: { implementation: { name: "s", version: "1" } },
    activations: [activation],
    log: createLog({ level: "emergency", sink: () => {} }),
    limits,
  });
  await gateway.workroom;
  const outlet = new RecordingOutlet();
  const connection = new Connection(gateway, outlet, options);
  const receive = (message: JsonObject) =>
    connection.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const initialize = (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    receive({ id: "init", method: "initialize", params });
    receive({ method: "notifications/initialized" });
    outlet.sent.length = 0;
  };
  return { activation, gateway, outlet, connection, receive, initialize };
}

/** Waits until no request is under way any more. */
async function idle(connection: Connection): Promise<void> {
  while (connection.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 0));
}

const CALL = { method: "tools/call", params: { name: "wait" } };

Deno.test("Gateway refuses a key that is too short to be a secret", () => {
  assertThrows(
    () =>
      new Gateway({
        server: { implementation: { name: "tested", version: "1.0.0" } },
        activations: [],
        log: { write() {} },
        store: { stateKey: new Uint8Array(31) },
      }),
    TypeError,
    "Cannot seal with a key of 31 bytes: give at least 32 random ones",
  );
});

Deno.test("Gateway refuses two activations with one namespace", () => {
  const options = {
    server: { implementation: { name: "s", version: "1" } },
    activations: [new WaitingActivation(), new WaitingActivation()],
    log: createLog({ level: "emergency", sink: () => {} }),
  };
  assertThrows(() => new Gateway(options), TypeError, 'the namespace "w"');
});

Deno.test("Connection refuses lines that are no messages and lives on", async () => {
  const { gateway, outlet, connection, receive } = await connect();
  await using _gateway = gateway;
  using _connection = connection;
  connection.receive("nonsense");
  connection.receive({ kind: "too_long", maxBytes: 5 });
  connection.receive({ kind: "not_utf8" });
  connection.receive("[]");
  connection.receive("");
  receive({ id: 1, method: "ping" });
  assertEquals(outlet.messages.map((message) => Object(message).error?.code ?? "pong"), [
    -32700,
    -32600,
    -32700,
    -32600,
    "pong",
  ]);
});

Deno.test("Connection refuses a second request with an id in use, and only that", async () => {
  const { activation, gateway, outlet, connection, receive, initialize } = await connect();
  await using _gateway = gateway;
  using _connection = connection;
  initialize("2025-11-25");
  receive({ id: 1, ...CALL });
  receive({ id: 1, ...CALL });
  receive({ id: "1", ...CALL });
  assertEquals(connection.inFlight, 2);
  assertEquals(outlet.sent.length, 1);
  assertStringIncludes(outlet.sent[0] ?? "", '"id":1,"error":{"code":-32600');
  activation.release();
  await idle(connection);
  assertEquals(outlet.sent.length, 3);
});

const CANCELED: readonly (readonly [string | number, string | number, boolean])[] = [
  [0, "", false],
  [0, " 0", false],
  [16, "0x10", false],
  ["01", 1, false],
  ["", 0, false],
  [7, "7", true],
  ["7", 7, true],
  [0, 0, true],
  ["", "", true],
];

Deno.test("Connection cancels by id, the number's own spelling included", async (t) => {
  for (const [id, requestId, isCanceled] of CANCELED) {
    await t.step(`${JSON.stringify(id)} by ${JSON.stringify(requestId)}`, async () => {
      const { gateway, outlet, connection, receive, initialize } = await connect();
      await using _gateway = gateway;
      using _connection = connection;
      initialize("2025-11-25");
      receive({ id, ...CALL });
      receive({ method: "notifications/cancelled", params: { requestId } });
      assertEquals(connection.inFlight, isCanceled ? 0 : 1);
      assertEquals(outlet.sent, []);
    });
  }
});

Deno.test("Connection ignores cancellations that name nothing", async () => {
  const { gateway, outlet, connection, receive, initialize } = await connect();
  await using _gateway = gateway;
  using _connection = connection;
  initialize("2025-11-25");
  receive({ id: 1, ...CALL });
  for (const params of [{}, { requestId: null }, { requestId: 1.5 }, { requestId: 2 }]) {
    receive({ method: "notifications/cancelled", params });
  }
  connection.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}');
  assertEquals([connection.inFlight, outlet.sent.length], [1, 0]);
});

Deno.test("Connection answers a batch in one array on 2025-03-26 and refuses it elsewhere", async () => {
  const batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7]';
  for (const revision of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    const { gateway, outlet, connection, initialize } = await connect();
    await using _gateway = gateway;
    using _connection = connection;
    initialize(revision);
    connection.receive(batch);
    assertEquals(outlet.messages.length, 1);
    assertStringIncludes(outlet.sent[0] ?? "", "-32600");
  }
  const { gateway, outlet, connection, initialize } = await connect({ limits: { maxBatch: 3 } });
  await using _gateway = gateway;
  using _connection = connection;
  initialize("2025-03-26");
  connection.receive(batch);
  assertEquals(outlet.messages.map((answers) => Array.isArray(answers) && answers.length), [2]);
  connection.receive(`[${Array(4).fill("1").join()}]`);
  assertStringIncludes(outlet.sent[1] ?? "", "at most 3 messages");
});

Deno.test("Connection takes batches apart when told to", async () => {
  const { gateway, outlet, connection } = await connect({ options: { splitBatches: true } });
  await using _gateway = gateway;
  using _connection = connection;
  connection.receive(
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]',
  );
  assertEquals(outlet.messages, [
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);
});

Deno.test("Connection hides what a tool throws", async () => {
  const { gateway, outlet, connection, receive, initialize } = await connect();
  await using _gateway = gateway;
  using _connection = connection;
  initialize("2025-11-25");
  receive({ id: 1, method: "tools/call", params: { name: "throw" } });
  await idle(connection);
  assertStringIncludes(outlet.sent[0] ?? "", '"isError":true');
  assertEquals(outlet.sent[0]?.includes("secret"), false);
});

Deno.test("Connection.drain() lets work end within the grace, then cancels it and tells a client that is there", async () => {
  const patient = await connect({ limits: { graceMs: 100_000 } });
  await using _patient = patient.gateway;
  patient.initialize("2025-11-25");
  patient.receive({ id: 1, ...CALL });
  const drained = patient.connection.drain({ clientGone: true });
  patient.receive({ id: 2, ...CALL });
  patient.activation.release();
  await drained;
  assertEquals(
    patient.outlet.messages.map((message) => Object(message).id),
    [2, 1],
  );
  assertStringIncludes(patient.outlet.sent[0] ?? "", "Server shutting down");
  const impatient = await connect({ limits: { graceMs: 1 } });
  await using _impatient = impatient.gateway;
  impatient.initialize("2025-11-25");
  impatient.receive({ id: 1, ...CALL });
  await impatient.connection.drain({ clientGone: false });
  assertEquals(impatient.connection.inFlight, 0);
  assertEquals(impatient.outlet.messages, [{
    jsonrpc: "2.0",
    id: 1,
    error: {
      code: -32603,
      message: "The request was canceled: the session has ended",
    },
  }]);
  const left = await connect({ limits: { graceMs: 1 } });
  await using _left = left.gateway;
  left.initialize("2025-11-25");
  left.receive({ id: 1, ...CALL });
  await left.connection.drain({ clientGone: true });
  assertEquals([left.connection.inFlight, left.outlet.sent], [0, []]);
});

Deno.test("Connection.exited after shutdown and exit, not after exit alone", async () => {
  const { gateway, outlet, connection, receive, initialize } = await connect();
  await using _gateway = gateway;
  using _connection = connection;
  let isOver = false;
  connection.exited.then(() => isOver = true);
  initialize("2025-11-25");
  receive({ method: "exit" });
  await gateway.workroom;
  assertEquals(isOver, false);
  receive({ id: 1, method: "shutdown" });
  assertEquals(outlet.messages, [{ jsonrpc: "2.0", id: 1, result: {} }]);
  receive({ method: "exit" });
  await connection.exited;
  receive({ id: 2, ...CALL });
  assertStringIncludes(outlet.sent[1] ?? "", "Server shutting down");
});

Deno.test("Connection listens to what can be watched when something that was asked for cannot", async () => {
  const activation: Activation = {
    namespace: "w",
    tools: () => [],
    async *call() {},
    resources: {
      list: () => Promise.resolve([]),
      templates: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
      watch(uri, signal) {
        if (uri === "x:bad") throw new Error("no watching today");
        return untilAborted(signal);
      },
    },
    async [Symbol.asyncDispose]() {},
  };
  await using gateway = new Gateway({
    server: { implementation: { name: "s", version: "1" } },
    activations: [activation],
    log: createLog({ level: "emergency", sink: () => {} }),
  });
  const outlet = new RecordingOutlet();
  const connection = new Connection(gateway, outlet);
  connection.receive(JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: {
      notifications: { resourceSubscriptions: ["x:good", "x:bad"] },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }));
  await settle();
  assertStringIncludes(outlet.sent.join(), '"resourceSubscriptions":["x:good"]');
  assertEquals(gateway.audience.watched, 1);
  connection[Symbol.dispose]();
  await settle();
  assertEquals([connection.inFlight, gateway.audience.watched], [0, 0]);
});

async function* untilAborted(signal: AbortSignal): AsyncGenerator<void> {
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve());
  await aborted.promise;
  yield;
}

// After a thousand calls, most of them ended badly, nothing is left behind: no request, no place, no watch, no question.

import { assertEquals } from "@std/assert";
import { type Activation, type Call, type CallEvent, createLog, Gateway } from "../../mod.ts";
import { Connection } from "../../src/gateway/connection.ts";

const CALLS = 1000;

/** Counts the streams that were begun and those that were ended, however that came. */
class Counting implements Activation {
  readonly namespace = "counting";
  begun = 0;
  ended = 0;

  readonly resources = {
    list: () => Promise.resolve([]),
    templates: () => Promise.resolve([]),
    read: () => Promise.resolve(undefined),
    watch: (_uri: string, signal: AbortSignal): AsyncIterable<void> => watch(signal),
  };

  tools() {
    return ["hang", "fail", "throw", "ask", "work"].map((name) => ({
      name,
      inputSchema: { type: "object" as const },
    }));
  }

  async *call(call: Call): AsyncGenerator<CallEvent> {
    this.begun += 1;
    try {
      switch (call.tool) {
        case "hang":
          await untilAborted(call.signal);
          break;
        case "fail":
          yield { kind: "failure", message: "Failed as told" };
          break;
        case "throw":
          throw new Error("Thrown as told");
        case "ask":
          await call.ask("key", {
            kind: "form",
            message: "?",
            schema: { type: "object", properties: {} },
          });
      }
      yield { kind: "content", block: { type: "text", text: "done" } };
    } finally {
      this.ended += 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

async function* watch(signal: AbortSignal): AsyncGenerator<void> {
  await untilAborted(signal);
  yield;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Keeps what the server says, and wakes who waits for it. */
class Ears {
  readonly said: { id?: number | string; method?: string; result?: object; error?: object }[] = [];
  #woken = Promise.withResolvers<void>();

  send(text: string): void {
    this.said.push(JSON.parse(text));
    this.#woken.resolve();
    this.#woken = Promise.withResolvers<void>();
  }

  ready(): undefined {
    return undefined;
  }

  async until(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) await this.#woken.promise;
  }
}

/** The tool of a call: a third hangs and is canceled, a third fails in one of three ways, a third works. */
function toolOf(id: number): string {
  return ["hang", ["fail", "throw", "ask"][id % 9 / 3 | 0] ?? "fail", "work"][id % 3] ?? "work";
}

Deno.test("a thousand calls, a third canceled and a third failing, leave nothing pending", async () => {
  const activation = new Counting();
  await using gateway = new Gateway({
    server: { implementation: { name: "pending", version: "1.0.0" } },
    activations: [activation],
    log: createLog({ level: "emergency", sink: () => {} }),
  });
  const ears = new Ears();
  using connection = new Connection(gateway, ears);
  const send = (message: object) =>
    connection.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  send({
    id: "initialize",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} } },
  });
  send({ method: "notifications/initialized" });
  for (let index = 0; index < 10; index++) {
    send({ id: `watch ${index}`, method: "resources/subscribe", params: { uri: `x://${index}` } });
  }
  for (let id = 0; id < CALLS; id++) {
    send({ id, method: "tools/call", params: { name: toolOf(id), arguments: {} } });
  }
  assertEquals(connection.inFlight, CALLS);
  await gateway.workroom;
  for (let id = 0; id < CALLS; id += 3) {
    send({ method: "notifications/cancelled", params: { requestId: id } });
  }
  await refuseQuestions(ears, send, connection);
  for (let index = 0; index < 10; index++) {
    send({
      id: `leave ${index}`,
      method: "resources/unsubscribe",
      params: { uri: `x://${index}` },
    });
  }
  const answered = ears.said.filter(({ id, method }) =>
    typeof id === "number" && method === undefined
  );
  assertEquals(answered.length, CALLS - Math.ceil(CALLS / 3));
  assertEquals(new Set(answered.map(({ id }) => id)).size, answered.length);
  const { slots } = await gateway.workroom;
  const left = {
    inFlight: connection.inFlight,
    asked: connection.asked,
    running: slots.running,
    waiting: slots.waiting,
    watched: gateway.audience.watched,
    streams: activation.begun - activation.ended,
  };
  assertEquals(left, { inFlight: 0, asked: 0, running: 0, waiting: 0, watched: 0, streams: 0 });
});

/** Answers every question with an error until no request is left. */
async function refuseQuestions(
  ears: Ears,
  send: (message: object) => void,
  connection: Connection,
): Promise<void> {
  let heard = 0;
  while (connection.inFlight > 0) {
    await ears.until(() => ears.said.length > heard || connection.inFlight === 0);
    for (; heard < ears.said.length; heard++) {
      const { id, method } = ears.said[heard] ?? {};
      if (method === "elicitation/create") send({ id, error: { code: -1, message: "No" } });
    }
  }
}

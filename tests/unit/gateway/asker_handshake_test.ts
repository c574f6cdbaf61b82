// Asking a client of the handshake wire: a request to it, and what can become of it.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AskError, HandshakeAsker } from "../../../src/gateway/asker.ts";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import type { ResponseOutcome } from "../../../src/jsonrpc/message.ts";
import { PendingRequests } from "../../../src/jsonrpc/pending.ts";
import type { Question } from "../../../src/mcp/question.ts";
import { SchemaValidator } from "../../../src/router/validation.ts";
import { recordExchange, settle } from "./recorded_exchange.ts";

const FORM: Question = {
  kind: "form",
  message: "Name?",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const ID = "bulkhead-1";

function askerOf(options: { timeoutMs?: number; capabilities?: { elicitation?: object } } = {}) {
  const { timeoutMs = 1_000_000, capabilities = { elicitation: {} } } = options;
  const pending = new PendingRequests();
  const recorded = recordExchange({
    capabilities: JSON.parse(JSON.stringify(capabilities)),
    wire: { kind: "handshake", pending },
  });
  const { exchange } = recorded;
  const validator = new SchemaValidator();
  const asker = new HandshakeAsker({ exchange, pending, validator, timeoutMs });
  return { ...recorded, pending, asker };
}

Deno.test("HandshakeAsker.ask() refuses what the client cannot be asked, and sends nothing", async () => {
  const { asker, outlet } = askerOf({ capabilities: {} });
  await assertRejects(() => asker.ask("k", FORM), AskError, "does not offer");
  assertEquals(outlet.sent, []);
});

const REFUSED: readonly (readonly [string, ResponseOutcome, string])[] = [
  [
    "an error",
    { kind: "error", code: -1, message: "no time", data: undefined },
    "The client refused: no time",
  ],
  ["no answer at all", { kind: "result", result: {} }, "is no result of elicitation/create"],
  [
    "a form that does not fit",
    { kind: "result", result: { action: "accept", content: { name: 1 } } },
    'does not fit: "name" must be string, not number',
  ],
];

Deno.test("HandshakeAsker.ask() refuses answers that are none", async (t) => {
  for (const [name, outcome, message] of REFUSED) {
    await t.step(name, async () => {
      const { asker, pending } = askerOf();
      const answer = asker.ask("k", FORM);
      await settle();
      pending.settle(ID, outcome);
      await assertRejects(() => answer, AskError, message);
    });
  }
});

Deno.test("HandshakeAsker.ask() gives up in time and takes the question back", async () => {
  const { asker, outlet, pending } = askerOf({ timeoutMs: 1 });
  await assertRejects(() => asker.ask("k", FORM), AskError, "did not answer within 0.001 seconds");
  assertStringIncludes(outlet.sent[1] ?? "", `"requestId":"${ID}"`);
  assertStringIncludes(outlet.sent[1] ?? "", "notifications/cancelled");
  assertEquals(pending.size, 0);
});

Deno.test("HandshakeAsker.ask() ends with its request and takes the question back", async () => {
  const { asker, outlet, exchange, pending } = askerOf();
  const answer = asker.ask("k", FORM);
  await settle();
  exchange.cancel("enough");
  await assertRejects(() => answer, CanceledError, "enough");
  assertEquals(outlet.sent.length, 2);
  assertEquals(pending.size, 0);
});

Deno.test("HandshakeAsker.ask() ends with the connection", async () => {
  const { asker, outlet, pending } = askerOf();
  const answer = asker.ask("k", FORM);
  await settle();
  pending.close();
  await assertRejects(() => answer, AskError, "The client has disconnected");
  assertEquals(outlet.sent.length, 1);
});

Deno.test("HandshakeAsker.ask() returns the answer to a real request", async () => {
  const { asker, outlet, pending } = askerOf();
  const answer = asker.ask("k", FORM);
  await settle();
  assertEquals(outlet.messages, [{
    jsonrpc: "2.0",
    id: ID,
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Name?",
      requestedSchema: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
      },
    },
  }]);
  pending.settle(ID, { kind: "result", result: { action: "accept", content: { name: "n" } } });
  assertEquals(await answer, { kind: "elicited", action: "accept", content: { name: "n" } });
});

Deno.test("HandshakeAsker.ask() does not judge the form of one who declines", async () => {
  const { asker, pending } = askerOf();
  const answer = asker.ask("k", FORM);
  await settle();
  pending.settle(ID, { kind: "result", result: { action: "decline" } });
  assertEquals(await answer, { kind: "elicited", action: "decline", content: {} });
});

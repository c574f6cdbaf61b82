// Asking a client of the stateless wire: the answer is at hand, or the request ends with the question.

import { assertEquals, assertRejects } from "@std/assert";
import { RequestStates } from "../../../src/gateway/request_state.ts";
import { InputRequiredError, StatelessAsker } from "../../../src/gateway/asker.ts";
import { type JsonObject, RpcError } from "../../../src/jsonrpc/message.ts";
import type { Question } from "../../../src/mcp/question.ts";
import { SchemaValidator } from "../../../src/router/validation.ts";
import { recordExchange } from "./recorded_exchange.ts";

const FORM: Question = {
  kind: "form",
  message: "Name?",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const ROOTS: Question = { kind: "roots" };
const ACCEPTED = { action: "accept", content: { name: "n" } };
const STATES = new RequestStates(1_000_000);

async function askerOf(
  params: JsonObject,
  capabilities: JsonObject = { elicitation: {}, roots: {} },
) {
  const { exchange } = recordExchange({ revision: "2026-07-28", capabilities });
  const asker = new StatelessAsker({
    exchange,
    binding: { method: "tools/call", params, owner: "" },
    states: STATES,
    validator: new SchemaValidator(),
  });
  await asker.load();
  return asker;
}

Deno.test("StatelessAsker.load() refuses answers and states that are none", async () => {
  for (const inputResponses of [[], "x", 1]) {
    const error = await assertRejects(
      () => askerOf({ inputResponses }),
      RpcError,
      "inputResponses",
    );
    assertEquals(error.code, -32602);
  }
  const error = await assertRejects(
    () => askerOf({ requestState: "x.y" }),
    RpcError,
    "requestState",
  );
  assertEquals(error.code, -32602);
});

Deno.test("StatelessAsker.ask() refuses what the client can never be asked", async () => {
  const asker = await askerOf({}, {});
  const error = await assertRejects(() => asker.ask("k", FORM), RpcError);
  assertEquals(error.code, -32021);
  assertEquals(asker.needsInput, false);
});

Deno.test("StatelessAsker.ask() asks again for what does not fit", async (t) => {
  const ANSWERS = [
    ["no answer", { action: "maybe" }],
    ["a form that does not fit", { action: "accept", content: { name: 1 } }],
    ["nothing", null],
  ] as const;
  for (const [name, answer] of ANSWERS) {
    await t.step(name, async () => {
      const asker = await askerOf({ inputResponses: { k: answer } });
      await assertRejects(() => asker.ask("k", FORM), InputRequiredError);
      assertEquals(asker.needsInput, true);
    });
  }
});

Deno.test("StatelessAsker.ask() does not take what every object inherits for an answer", async () => {
  const asker = await askerOf({ inputResponses: {} });
  await assertRejects(() => asker.ask("constructor", ROOTS), InputRequiredError);
});

Deno.test("StatelessAsker asks all questions of one moment together", async () => {
  const asker = await askerOf({});
  const asked = await Promise.allSettled([asker.ask("a", FORM), asker.ask("b", ROOTS)]);
  assertEquals(asked.map(({ status }) => status), ["rejected", "rejected"]);
  const result = await asker.toResult();
  assertEquals(result.kind === "input_required" ? [...result.requests.keys()] : [], ["a", "b"]);
});

Deno.test("StatelessAsker finds earlier answers in the state and new ones in the request", async () => {
  const params = { name: "tool", arguments: {} };
  const first = await askerOf({ ...params, inputResponses: { a: ACCEPTED } });
  assertEquals((await first.ask("a", FORM)).kind, "elicited");
  await assertRejects(() => first.ask("b", ROOTS), InputRequiredError);
  const result = await first.toResult();
  const requestState = result.kind === "input_required" ? result.state : "";
  const second = await askerOf({
    ...params,
    requestState,
    inputResponses: { b: { roots: [{ uri: "file:///a" }] } },
  });
  assertEquals(await second.ask("a", FORM), { kind: "elicited", ...ACCEPTED, action: "accept" });
  assertEquals(await second.ask("b", ROOTS), { kind: "roots", roots: [{ uri: "file:///a" }] });
  assertEquals(second.needsInput, false);
});

Deno.test("StatelessAsker.toResult() carries only answers that were used", async () => {
  const params = { name: "tool" };
  const first = await askerOf({ ...params, inputResponses: { a: ACCEPTED, unused: ACCEPTED } });
  await first.ask("a", FORM);
  await assertRejects(() => first.ask("b", ROOTS), InputRequiredError);
  const result = await first.toResult();
  const requestState = result.kind === "input_required" ? result.state : "";
  const second = await askerOf({ ...params, requestState });
  await second.ask("a", FORM);
  await assertRejects(() => second.ask("unused", FORM), InputRequiredError);
});

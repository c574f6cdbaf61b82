// Questions to a client: who may be asked what, how it is asked, and what counts as an answer.

import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/jsonrpc/message.ts";
import { getCodec } from "../../../src/mcp/codec.ts";
import {
  encodeQuestion,
  findAnswer,
  isAskable,
  missingCapability,
  type Question,
} from "../../../src/mcp/question.ts";
import type { Revision } from "../../../src/mcp/revision.ts";

const FORM_SCHEMA = { type: "object", properties: { name: { type: "string" } } };
const FORM: Question = { kind: "form", message: "Name?", schema: FORM_SCHEMA };
const URL_QUESTION: Question = { kind: "url", message: "Go", url: "https://x.test" };
const SAMPLING: Question = { kind: "sampling", params: { maxTokens: 1 } };
const SAMPLING_TOOLS: Question = { kind: "sampling", params: { maxTokens: 1, tools: [] } };
const ROOTS: Question = { kind: "roots" };

const MULTIPLE: Question = {
  kind: "form",
  message: "Which?",
  schema: { type: "object", properties: { names: { type: "array" } } },
};

const ASKABLE: readonly (readonly [Question, JsonObject, Revision, boolean])[] = [
  [FORM, {}, "2025-11-25", false],
  [FORM, { elicitation: null }, "2025-11-25", false],
  [FORM, { elicitation: true }, "2025-11-25", false],
  [FORM, { elicitation: { url: {} } }, "2025-11-25", false],
  [FORM, { elicitation: {} }, "2025-03-26", false],
  [FORM, { elicitation: {} }, "2025-06-18", true],
  [FORM, { elicitation: { form: {} } }, "2025-11-25", true],
  [FORM, { elicitation: { form: {}, url: {} } }, "2026-07-28", true],
  [MULTIPLE, { elicitation: {} }, "2025-06-18", false],
  [MULTIPLE, { elicitation: {} }, "2025-11-25", true],
  [URL_QUESTION, { elicitation: {} }, "2025-11-25", false],
  [URL_QUESTION, { elicitation: { url: true } }, "2025-11-25", false],
  [URL_QUESTION, { elicitation: { url: {} } }, "2025-06-18", false],
  [URL_QUESTION, { elicitation: { url: {} } }, "2025-11-25", true],
  [SAMPLING, {}, "2024-11-05", false],
  [SAMPLING, { sampling: {} }, "2024-11-05", true],
  [SAMPLING_TOOLS, { sampling: {} }, "2025-11-25", false],
  [SAMPLING_TOOLS, { sampling: { tools: {} } }, "2025-06-18", false],
  [SAMPLING_TOOLS, { sampling: { tools: {} } }, "2025-11-25", true],
  [ROOTS, {}, "2025-11-25", false],
  [ROOTS, { roots: [] }, "2025-11-25", false],
  [ROOTS, { roots: {} }, "2024-11-05", true],
];

Deno.test("isAskable() goes by the client's capabilities and its revision", async (t) => {
  for (const [question, capabilities, revision, expected] of ASKABLE) {
    await t.step(`${question.kind} ${JSON.stringify(capabilities)} ${revision}`, () => {
      assertEquals(isAskable(question, capabilities, getCodec(revision).shape), expected);
    });
  }
});

Deno.test("missingCapability() names what the client would have to offer", () => {
  const CASES = [
    [FORM, { elicitation: {} }],
    [URL_QUESTION, { elicitation: { url: {} } }],
    [SAMPLING, { sampling: {} }],
    [SAMPLING_TOOLS, { sampling: { tools: {} } }],
    [ROOTS, { roots: {} }],
  ] as const;
  for (const [question, requiredCapabilities] of CASES) {
    const error = missingCapability(question);
    assertEquals(error.code, -32021);
    assertEquals<unknown>(error.data, { requiredCapabilities });
    assertMatch(error.message, new RegExp(Object.keys(requiredCapabilities).join()));
  }
});

const REFUSED: readonly (readonly [Question, JsonValue])[] = [
  [FORM, null],
  [FORM, []],
  [FORM, {}],
  [FORM, { action: "yes" }],
  [FORM, { action: "accept", content: [] }],
  [FORM, { action: "accept", content: "x" }],
  [URL_QUESTION, { action: 1 }],
  [SAMPLING, {}],
  [SAMPLING, { role: "assistant" }],
  [SAMPLING, { role: 1, content: {} }],
  [ROOTS, {}],
  [ROOTS, { roots: {} }],
  [ROOTS, { roots: [1] }],
  [ROOTS, { roots: [{ name: "x" }] }],
  [ROOTS, { roots: [{ uri: "file:///a" }, { uri: 1 }] }],
];

Deno.test("findAnswer() takes nothing else for an answer", async (t) => {
  for (const [question, result] of REFUSED) {
    await t.step(`${question.kind} ${JSON.stringify(result)}`, () => {
      assertEquals(findAnswer(question, result), undefined);
    });
  }
});

Deno.test("findAnswer() reads what was answered", () => {
  assertEquals(findAnswer(FORM, { action: "accept", content: { a: 1 } }), {
    kind: "elicited",
    action: "accept",
    content: { a: 1 },
  });
  assertEquals(findAnswer(FORM, { action: "decline" }), {
    kind: "elicited",
    action: "decline",
    content: {},
  });
  assertEquals(findAnswer(URL_QUESTION, { action: "cancel", content: null }), {
    kind: "elicited",
    action: "cancel",
    content: {},
  });
  const message = { role: "assistant", content: { type: "text", text: "a" }, model: "m" };
  assertEquals(findAnswer(SAMPLING, message), { kind: "sampled", message });
  assertEquals(
    findAnswer(ROOTS, { roots: [{ uri: "file:///a", name: "a" }, { uri: "b", name: 1 }] }),
    {
      kind: "roots",
      roots: [{ uri: "file:///a", name: "a" }, { uri: "b" }],
    },
  );
});

Deno.test("encodeQuestion() names the mode where there are modes", () => {
  const params = { message: "Name?", requestedSchema: FORM_SCHEMA };
  assertEquals<unknown>(encodeQuestion(FORM, getCodec("2025-06-18").shape), {
    method: "elicitation/create",
    params,
  });
  assertEquals<unknown>(encodeQuestion(FORM, getCodec("2025-11-25").shape), {
    method: "elicitation/create",
    params: { mode: "form", ...params },
  });
});

Deno.test("encodeQuestion() gives a URL an id on 2025-11-25 alone", () => {
  const wire = { mode: "url", message: "Go", url: "https://x.test" };
  assertEquals<unknown>(encodeQuestion(URL_QUESTION, getCodec("2026-07-28").shape).params, wire);
  const { elicitationId, ...rest } =
    encodeQuestion(URL_QUESTION, getCodec("2025-11-25").shape).params ?? {};
  assertEquals<unknown>(rest, wire);
  assertMatch(String(elicitationId), /^[\da-f-]{36}$/);
});

Deno.test("encodeQuestion() hands sampling and roots on as they are", () => {
  const { shape } = getCodec("2025-11-25");
  assertEquals<unknown>(encodeQuestion(SAMPLING, shape), {
    method: "sampling/createMessage",
    params: { maxTokens: 1 },
  });
  assertEquals(encodeQuestion(ROOTS, shape), { method: "roots/list", params: undefined });
});

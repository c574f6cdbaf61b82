// The judge judged: what a server must never send is found out, and what it may send passes.

import { assertThrows } from "@std/assert";
import type { SchemaRevision } from "./definitions.ts";
import { type Circumstances, getOracle, OracleError } from "./oracle.ts";

interface Case {
  readonly name: string;
  readonly revision: SchemaRevision;
  readonly message: unknown;
  readonly answers?: string;
}

const CONTENT = [{ type: "text", text: "hi" }];
const AUDIO = [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }];

/** Found out even where the official schemas are not at hand. */
const NEVER: readonly Case[] = [
  { name: "no object", revision: "2025-11-25", message: 1 },
  { name: "no version", revision: "2025-11-25", message: { id: 1, result: {} }, answers: "ping" },
  {
    name: "a result that answers nothing",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", id: 1, result: {} },
  },
  {
    name: "a server's request on the stateless wire",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", id: 1, method: "roots/list" },
  },
  {
    name: "an unknown notification",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", method: "notifications/unknown" },
  },
  {
    name: "an unknown request",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  },
  {
    name: "an error without an id whose request was readable",
    revision: "2025-06-18",
    message: { jsonrpc: "2.0", id: null, error: { code: -32601, message: "No" } },
  },
  {
    name: "a stateless error number on the handshake wire",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", id: 1, error: { code: -32021, message: "No" } },
  },
  {
    name: "a list that asks for input",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", id: 1, result: { resultType: "input_required" } },
    answers: "tools/list",
  },
];

const TASK = {
  taskId: "x".repeat(32),
  status: "working",
  createdAt: "2026-07-28T00:00:00.000Z",
  lastUpdatedAt: "2026-07-28T00:00:00.000Z",
  ttlMs: 1,
  resultType: "complete",
};

const DONE = { content: CONTENT, resultType: "complete" };

function taskCase(what: string, result: object, answers: string): Case {
  const name = `${what}: ${JSON.stringify(result)}`;
  return { name, revision: "2026-07-28", message: { jsonrpc: "2.0", id: 1, result }, answers };
}

/** Found out by the official schemas. */
const MISFITS: readonly Case[] = [
  {
    name: "id null where it is left out",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "No" } },
  },
  {
    name: "no id where it is null",
    revision: "2025-06-18",
    message: { jsonrpc: "2.0", error: { code: -32700, message: "No" } },
  },
  {
    name: "audio before it existed",
    revision: "2024-11-05",
    message: { jsonrpc: "2.0", id: 1, result: { content: AUDIO } },
    answers: "tools/call",
  },
  {
    name: "bytes that are not base64",
    revision: "2025-03-26",
    message: {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "audio", data: "A", mimeType: "audio/wav" }] },
    },
    answers: "tools/call",
  },
  {
    name: "a result without its type",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", id: 1, result: { content: CONTENT } },
    answers: "tools/call",
  },
  {
    name: "structured content that is no object",
    revision: "2025-06-18",
    message: { jsonrpc: "2.0", id: 1, result: { content: CONTENT, structuredContent: [1] } },
    answers: "tools/call",
  },
  {
    name: "elicitation before it existed",
    revision: "2025-03-26",
    message: { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: { message: "?" } },
  },
  {
    name: "an unsupported revision without the supported ones",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", id: 1, error: { code: -32022, message: "No", data: {} } },
  },
  {
    name: "progress without a token",
    revision: "2025-11-25",
    message: { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } },
  },
  ...[
    { taskId: "short" },
    { ttlMs: 0.5 },
    { ttlMs: undefined },
    { createdAt: "now" },
    { status: "canceled" },
    { task: {} },
    { result: { content: CONTENT } },
    { requestState: "s" },
  ].map((parts) => taskCase("a new task", { ...TASK, resultType: "task", ...parts }, "tools/call")),
  ...[
    { resultType: "task" },
    { status: "completed" },
    { status: "completed", result: { content: CONTENT } },
    { status: "completed", result: DONE, error: { code: 1, message: "m" } },
    { status: "failed", error: {} },
    { status: "input_required", inputRequests: {} },
    { status: "working", inputRequests: { a: { method: "roots/list" } } },
  ].map((parts) => taskCase("a task", { ...TASK, ...parts }, "tasks/get")),
  taskCase("an acknowledgement with a task", TASK, "tasks/update"),
  taskCase("a list that is a task", { ...TASK, resultType: "task" }, "tools/list"),
  {
    name: "news of a task that nobody listens to",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", method: "notifications/tasks", params: TASK },
  },
];

const ALLOWED: readonly Case[] = [
  {
    name: "id null of an unreadable message",
    revision: "2025-06-18",
    message: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "No" } },
  },
  {
    name: "no id of an unreadable message",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", error: { code: -32700, message: "No" } },
  },
  {
    name: "a tool's result",
    revision: "2026-07-28",
    message: { jsonrpc: "2.0", id: 1, result: { content: CONTENT, resultType: "complete" } },
    answers: "tools/call",
  },
  {
    name: "audio",
    revision: "2025-03-26",
    message: { jsonrpc: "2.0", id: 1, result: { content: AUDIO } },
    answers: "tools/call",
  },
  taskCase("a new task", { ...TASK, resultType: "task" }, "tools/call"),
  taskCase("a task", { ...TASK, status: "completed", result: DONE }, "tasks/get"),
  taskCase("an acknowledgement", { resultType: "complete" }, "tasks/cancel"),
];

function circumstancesOf({ revision, answers }: Case): Circumstances {
  return { revision, answers };
}

Deno.test("Oracle.check() finds out what no server may send", async (t) => {
  const oracle = await getOracle();
  for (const test of NEVER) {
    await t.step(test.name, () => {
      assertThrows(() => oracle.check(test.message, circumstancesOf(test)), OracleError);
    });
  }
});

Deno.test("Oracle.check() finds out what the schema of the revision does not allow", async (t) => {
  const oracle = await getOracle();
  for (const test of MISFITS) {
    await t.step({
      name: test.name,
      ignore: !oracle.knows(test.revision),
      fn: () => {
        assertThrows(() => oracle.check(test.message, circumstancesOf(test)), OracleError);
      },
    });
  }
});

Deno.test("Oracle.check() lets pass what the revision allows", async (t) => {
  const oracle = await getOracle();
  for (const test of ALLOWED) {
    await t.step(test.name, () => oracle.check(test.message, circumstancesOf(test)));
  }
});

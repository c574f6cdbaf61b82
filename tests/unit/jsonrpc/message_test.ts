// What is a message, and what is not and why.

import { assertEquals } from "@std/assert";
import { classify, isRequestId, type JsonValue } from "../../../src/jsonrpc/message.ts";

const NO_METHOD = 'A message needs a "method", a "result" or an "error"';
const VERSION = 'Member "jsonrpc" must be the string "2.0"';
const ID =
  'Member "id" must be a string of at most 1024 characters or an integer within ±(2^53 - 1)';
const PARAMS = 'Member "params" must be an object';
const RESPONSE_ID = "A response needs the id of its request";
const ERROR = "An error needs an integer code and a message";
const EITHER = "A response carries a result or an error object";

function invalid(reason: string, id?: string | number, reply = true) {
  return { kind: "invalid", reason, id, reply } as const;
}

const INVALID: readonly (readonly [JsonValue, ReturnType<typeof invalid>])[] = [
  [null, invalid("A message must be a JSON object")],
  [7, invalid("A message must be a JSON object")],
  ["text", invalid("A message must be a JSON object")],
  [[], invalid("A message must be a JSON object")],
  [{}, invalid(VERSION)],
  [{ id: 1 }, invalid(VERSION, 1)],
  [{ id: 1, error: {} }, invalid(VERSION, 1, false)],
  [{ id: 1, method: "a" }, invalid(VERSION, 1)],
  [{ jsonrpc: "1.0", id: "x", method: "a" }, invalid(VERSION, "x")],
  [{ jsonrpc: 2.0, id: 1, method: "a" }, invalid(VERSION, 1)],
  [{ jsonrpc: "1.0", id: 1, result: {} }, invalid(VERSION, 1, false)],
  [{ jsonrpc: "2.0" }, invalid(NO_METHOD)],
  [{ jsonrpc: "2.0", id: 1 }, invalid(NO_METHOD, 1)],
  [{ jsonrpc: "2.0", id: 1, method: null }, invalid('Member "method" must be a string', 1)],
  [{ jsonrpc: "2.0", id: 1, method: 5 }, invalid('Member "method" must be a string', 1)],
  [{ jsonrpc: "2.0", id: 1, method: "a", params: null }, invalid(PARAMS, 1)],
  [{ jsonrpc: "2.0", id: 1, method: "a", params: "b" }, invalid(PARAMS, 1)],
  [{ jsonrpc: "2.0", id: 1, method: "a", params: 1 }, invalid(PARAMS, 1)],
  [{ jsonrpc: "2.0", id: null, method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: 1.5, method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: 2 ** 53, method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: true, method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: "x".repeat(1025), method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: {}, method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", id: ["1"], method: "a" }, invalid(ID)],
  [{ jsonrpc: "2.0", result: {} }, invalid(RESPONSE_ID, undefined, false)],
  [{ jsonrpc: "2.0", id: null, error: {} }, invalid(RESPONSE_ID, undefined, false)],
  [{ jsonrpc: "2.0", id: 1, result: 1, error: {} }, invalid(EITHER, undefined, false)],
  [{ jsonrpc: "2.0", id: 1, error: "no" }, invalid(EITHER, undefined, false)],
  [{ jsonrpc: "2.0", id: 1, error: {} }, invalid(ERROR, undefined, false)],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "" } }, invalid(ERROR, undefined, false)],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, invalid(ERROR, undefined, false)],
];

Deno.test("classify() says why a value is no message, and whether to answer", async (t) => {
  for (const [value, message] of INVALID) {
    await t.step(JSON.stringify(value), () => assertEquals<unknown>(classify(value), message));
  }
});

const VALID: readonly (readonly [JsonValue, unknown])[] = [
  [
    { jsonrpc: "2.0", id: 0, method: "ping" },
    { kind: "request", id: 0, method: "ping", params: undefined },
  ],
  [
    { jsonrpc: "2.0", id: "", method: "", params: {} },
    { kind: "request", id: "", method: "", params: {} },
  ],
  [
    { jsonrpc: "2.0", id: -5, method: "a", params: [1] },
    { kind: "request", id: -5, method: "a", params: [1] },
  ],
  [
    { jsonrpc: "2.0", id: "x".repeat(300), method: "a" },
    { kind: "request", id: "x".repeat(300), method: "a", params: undefined },
  ],
  [
    { jsonrpc: "2.0", method: "a", params: { b: 1 } },
    { kind: "notification", method: "a", params: { b: 1 } },
  ],
  [
    { jsonrpc: "2.0", id: "1", result: null },
    { kind: "response", id: "1", outcome: { kind: "result", result: null } },
  ],
  [
    { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no", data: [1] } },
    { kind: "response", id: 1, outcome: { kind: "error", code: -1, message: "no", data: [1] } },
  ],
];

Deno.test("classify() keeps ids by type and value", async (t) => {
  for (const [value, message] of VALID) {
    await t.step(JSON.stringify(value).slice(0, 80), () => {
      assertEquals<unknown>(classify(value), message);
    });
  }
});

Deno.test("isRequestId() takes strings and exact integers alone", () => {
  for (const value of ["", "1", 0, -1, Number.MAX_SAFE_INTEGER]) {
    assertEquals(isRequestId(value), true, String(value));
  }
  for (const value of [null, undefined, 0.5, 2 ** 53, NaN, Infinity, true, {}, [], 1n]) {
    assertEquals(isRequestId(value), false, String(value));
  }
});

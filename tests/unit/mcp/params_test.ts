// Parameters: each reader names the field that it cannot accept.

import { assertEquals, assertThrows } from "@std/assert";
import { RpcError } from "../../../src/jsonrpc/message.ts";
import {
  checkCapabilities,
  parseLevel,
  parseListenFilter,
  parseOptionalObject,
  parseParams,
  parseReference,
  parseString,
  parseStrings,
  toClientName,
} from "../../../src/mcp/params.ts";

const REFUSED: readonly (readonly [string, () => unknown, string])[] = [
  ["parseParams() of positions", () => parseParams([1]), "expected an object"],
  [
    "checkCapabilities() of too many",
    () => checkCapabilities({ roots: "x".repeat(8192) }),
    "capabilities may have at most 8192 characters",
  ],
  ["parseString() of nothing", () => parseString({}, "uri"), '"uri" must be a string'],
  ["parseString() of null", () => parseString({ uri: null }, "uri"), '"uri" must be a string'],
  ["parseString() of a number", () => parseString({ uri: 1 }, "uri"), '"uri" must be a string'],
  [
    "parseOptionalObject() of an array",
    () => parseOptionalObject({ arguments: [] }, "arguments"),
    '"arguments" must be an object',
  ],
  [
    "parseOptionalObject() of a string",
    () => parseOptionalObject({ arguments: "{}" }, "arguments"),
    '"arguments" must be an object',
  ],
  [
    "parseStrings() of a number",
    () => parseStrings({ arguments: { a: "b", c: 1 } }, "arguments"),
    '"arguments.c" must be a string',
  ],
  ["parseLevel() of nothing", () => parseLevel({}), "a level must be one of debug, info"],
  ["parseLevel() in capitals", () => parseLevel({ level: "INFO" }), "a level must be one of"],
  ["parseReference() of nothing", () => parseReference({}), '"ref.type" must be'],
  ["parseReference() of an array", () => parseReference({ ref: [] }), '"ref" must be an object'],
  [
    "parseReference() of another type",
    () => parseReference({ ref: { type: "ref/tool", name: "x" } }),
    '"ref.type" must be "ref/prompt" or "ref/resource"',
  ],
  [
    "parseReference() of a prompt without a name",
    () => parseReference({ ref: { type: "ref/prompt" } }),
    '"name" must be a string',
  ],
  [
    "parseReference() of a resource without a URI",
    () => parseReference({ ref: { type: "ref/resource", name: "x" } }),
    '"uri" must be a string',
  ],
  [
    "parseListenFilter() of an array",
    () => parseListenFilter({ notifications: [] }),
    '"notifications" must be an object',
  ],
  [
    "parseListenFilter() of one URI",
    () => parseListenFilter({ notifications: { resourceSubscriptions: "a" } }),
    '"notifications.resourceSubscriptions" must be an array of strings',
  ],
  [
    "parseListenFilter() of numbers",
    () => parseListenFilter({ notifications: { resourceSubscriptions: ["a", 1] } }),
    '"notifications.resourceSubscriptions" must be an array of strings',
  ],
];

Deno.test("readers of parameters refuse with -32602 and name the field", async (t) => {
  for (const [name, read, message] of REFUSED) {
    await t.step(name, () => {
      const error = assertThrows(read, RpcError, message);
      assertEquals(error.code, -32602);
      assertEquals(error.message.startsWith("Invalid params: "), true);
    });
  }
});

Deno.test("parseParams() takes none as empty", () => {
  assertEquals(parseParams(undefined), {});
  assertEquals(parseParams({ a: 1 }), { a: 1 });
});

Deno.test("parseOptionalObject() takes nothing and null as empty", () => {
  assertEquals(parseOptionalObject({}, "a"), {});
  assertEquals(parseOptionalObject({ a: null }, "a"), {});
  assertEquals(parseOptionalObject({ a: { b: 1 } }, "a"), { b: 1 });
});

Deno.test("parseStrings() keeps hostile keys as plain members", () => {
  const params = JSON.parse('{"a":{"__proto__":"x","constructor":"y"}}');
  const strings = parseStrings(params, "a");
  assertEquals(Object.getPrototypeOf(strings), null);
  assertEquals(Object.entries(strings), [["__proto__", "x"], ["constructor", "y"]]);
});

Deno.test("parseLevel() and parseReference() read what is right", () => {
  assertEquals(parseLevel({ level: "emergency" }), "emergency");
  assertEquals(parseReference({ ref: { type: "ref/prompt", name: "p" } }), {
    kind: "prompt",
    name: "p",
  });
  assertEquals(parseReference({ ref: { type: "ref/resource", uri: "a:b" } }), {
    kind: "resource",
    uri: "a:b",
  });
});

Deno.test("parseListenFilter() takes true alone for yes and each URI and task once", () => {
  assertEquals(parseListenFilter({}), {
    toolsListChanged: false,
    promptsListChanged: false,
    resourcesListChanged: false,
    resourceSubscriptions: [],
    taskIds: undefined,
  });
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: "true",
    resourcesListChanged: 1,
    resourceSubscriptions: ["b", "a", "b"],
    taskIds: ["t", "t"],
  };
  assertEquals(parseListenFilter({ notifications }), {
    toolsListChanged: true,
    promptsListChanged: false,
    resourcesListChanged: false,
    resourceSubscriptions: ["b", "a"],
    taskIds: ["t"],
  });
});

Deno.test("toClientName() is the name, or as much of it as a name has", () => {
  assertEquals(toClientName({ name: "😀".repeat(60) }), "😀".repeat(50));
  assertEquals(toClientName({ name: "inspector" }), "inspector");
  assertEquals([toClientName({}), toClientName(undefined)], ["", ""]);
});

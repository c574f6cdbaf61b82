// Schemas that are small to write and endless to use.

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { refuseSchema } from "../../../src/router/validation.ts";

/** Each definition applies the next twice: 2^count steps on one value. */
function doubling(count: number, keyword: string): JsonObject {
  const $defs: Record<string, JsonObject> = { [`d${count}`]: { type: "string" } };
  for (let index = 0; index < count; index++) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { [keyword]: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
  ["a long schema", { description: "x".repeat(300_000) }, "characters; at most 262144"],
  ["doubling by allOf", doubling(30, "allOf"), "more than 10000 steps"],
  ["doubling by anyOf", doubling(30, "anyOf"), "more than 10000 steps"],
  ["doubling by oneOf", doubling(30, "oneOf"), "more than 10000 steps"],
  ["a reference to itself", { $ref: "#" }, "refers to itself without end"],
  ["a ring", {
    allOf: [{ $ref: "#/$defs/a" }],
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
  }, "without end"],
  ["a ring by not", { not: { $ref: "#" } }, "without end"],
  ["a ring by if", { if: true, then: { $ref: "#" } }, "without end"],
  ["a ring by else", { if: false, else: { $ref: "#" } }, "without end"],
  ["a ring by dependentSchemas", { dependentSchemas: { a: { $ref: "#" } } }, "without end"],
  ["a ring by $dynamicRef", { $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] }, "without end"],
  ["a ring by $anchor", { $anchor: "n", anyOf: [{ $ref: "#n" }] }, "without end"],
  ["a ring within a property", { properties: { a: { $ref: "#/properties/a" } } }, "without end"],
  [
    "a ring by an escaped pointer",
    { $defs: { "a/b~c %": { $ref: "#/$defs/a~1b~0c%20%25" } } },
    "without end",
  ],
  ["a ring through a list", { allOf: [{ $ref: "#/allOf/0" }] }, "without end"],
];

Deno.test("refuseSchema() refuses what would never end", async (t) => {
  for (const [name, schema, reason] of REFUSED) {
    await t.step(name, () => assertStringIncludes(refuseSchema(schema) ?? "nothing", reason));
  }
});

const TAKEN: readonly (readonly [string, JsonObject])[] = [
  ["an empty schema", {}],
  ["doubling within reason", doubling(10, "allOf")],
  ["a tree, which ends with the value", {
    properties: { left: { $ref: "#" }, right: { $ref: "#" } },
  }],
  ["a list of itself", { type: "array", items: { $ref: "#" } }],
  ["a wide choice", { anyOf: Array.from({ length: 5000 }, (_, index) => ({ const: index })) }],
  ["a reference to nowhere, which the engine refuses", { $ref: "#/$defs/none" }],
  ["a pointer that is no pointer", { $ref: "#/a/%E0%A4%A", properties: {} }],
  ["a reference through a scalar", { $ref: "#/type/x", type: "object" }],
  ["an anchor to nowhere", { $ref: "#none" }],
  ["a remote reference, which the engine refuses", { $ref: "https://x.test/schema" }],
  ["keywords of other shapes", { allOf: 1, not: true, if: [], dependentSchemas: 2, $ref: 3 }],
];

Deno.test("refuseSchema() takes what ends", async (t) => {
  for (const [name, schema] of TAKEN) {
    await t.step(name, () => assertEquals(refuseSchema(schema), undefined));
  }
});

// Arguments that travel as headers: what a schema may declare.

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { findToolHeaders } from "../../../src/mcp/tool_header.ts";

function declaring(name: unknown, type: unknown = "string"): JsonObject {
  return JSON.parse(JSON.stringify({ type, "x-mcp-header": name }));
}

const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
  ["a name that is no string", { properties: { a: declaring(1) } }, "must be a header token"],
  ["an empty name", { properties: { a: declaring("") } }, "must be a header token"],
  ["a name with a space", { properties: { a: declaring("a b") } }, "must be a header token"],
  ["a name with a line break", { properties: { a: declaring("a\r\n") } }, "must be a header token"],
  ["a name with a colon", { properties: { a: declaring("a:") } }, "must be a header token"],
  ["a name that is not ASCII", { properties: { a: declaring("é") } }, "must be a header token"],
  ["the root", declaring("A"), "not reachable"],
  ["items of a list", { properties: { a: { items: declaring("A") } } }, "not reachable"],
  ["a branch", { allOf: [{ properties: { a: declaring("A") } }] }, "not reachable"],
  ["a definition", { $defs: { a: { properties: { b: declaring("A") } } } }, "not reachable"],
  ["an object", { properties: { a: declaring("A", "object") } }, "needs type string, integer or"],
  ["a number", { properties: { a: declaring("A", "number") } }, "needs type string, integer or"],
  ["several types", { properties: { a: declaring("A", ["string"]) } }, "needs type"],
  [
    "a name twice, whatever its case",
    { properties: { a: declaring("Region"), b: declaring("region") } },
    'repeats "region"',
  ],
  [
    "a name twice in capitals",
    { properties: { a: declaring("region"), b: declaring("Region") } },
    'repeats "Region"',
  ],
];

Deno.test("findToolHeaders() refuses what no client could send", async (t) => {
  for (const [name, schema, reason] of REFUSED) {
    await t.step(name, () => {
      const found = findToolHeaders(schema);
      assertEquals(found.kind, "refused");
      if (found.kind === "refused") assertStringIncludes(found.reason, reason);
    });
  }
});

Deno.test("findToolHeaders() finds headers at any depth of properties", () => {
  assertEquals(findToolHeaders({ type: "object" }), { kind: "headers", headers: [] });
  const schema = {
    properties: {
      region: declaring("Region"),
      nested: { properties: { flag: declaring("Flag", "boolean"), n: declaring("N", "integer") } },
    },
  };
  assertEquals(findToolHeaders(schema), {
    kind: "headers",
    headers: [
      { name: "Region", path: ["region"] },
      { name: "Flag", path: ["nested", "flag"] },
      { name: "N", path: ["nested", "n"] },
    ],
  });
});

Deno.test("findToolHeaders() takes a property of that name for a property", () => {
  const schema = {
    properties: { "x-mcp-header": { type: "string" }, properties: { type: "string" } },
  };
  assertEquals(findToolHeaders(schema), { kind: "headers", headers: [] });
});

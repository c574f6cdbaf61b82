// Tools: which are offered, whose calls are refused and how, arguments and outputs against their schemas.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import type { JsonObject } from "../../mod.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";

async function listTools(client: TestClient): Promise<JsonObject[]> {
  const { tools } = await client.result("tools/list", { limit: 200 });
  assert(Array.isArray(tools));
  return tools;
}

forEachRevision(
  "mcp.tools.list",
  "has a name, a description and an object schema for each, always in one order (substrate#8)",
  async (revision) => {
    const activations = [new EverythingActivation()];
    await using client = await openInProcess({ activations, revision });
    const tools = await listTools(client);
    assertEquals(tools.length, activations[0]?.tools().length);
    for (const { name, description, inputSchema } of tools) {
      assert(/^[A-Za-z0-9_.-]{1,64}$/.test(String(name)), `${name}`);
      assert(typeof description === "string" && description !== "");
      assert(typeof inputSchema === "object" && inputSchema !== null && "type" in inputSchema);
      assertEquals(inputSchema.type, "object");
    }
    const names = tools.map((tool) => String(tool.name));
    assertEquals(names, names.toSorted());
    assertEquals(await listTools(client), tools);
  },
);

forEachRevision(
  "mcp.tools.list",
  "keeps schemas as they are, keyword for keyword",
  async (revision) => {
    const inputSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { a: { $anchor: "x", type: "string" } },
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, b: { oneOf: [{ const: 1 }, { not: {} }] } },
      unevaluatedProperties: false,
      "x-own": [null, { deep: true }],
    };
    const activations = [scripted({ kept: { inputSchema, run: () => [] } })];
    await using client = await openInProcess({ activations, revision });
    const [tool] = await listTools(client);
    assertEquals(JSON.stringify(tool?.inputSchema), JSON.stringify(inputSchema));
  },
);

forEachRevision(
  "mcp.tools.list",
  "leaves out a tool that no client could use, and the log says why (substrate#8)",
  async (revision) => {
    const activations = [scripted({
      good: () => [],
      untyped: { inputSchema: {}, run: () => [] },
      listed: { inputSchema: { type: "array" }, run: () => [] },
      "bad name": () => [],
    })];
    await using client = await openInProcess({ activations, revision });
    assertEquals((await listTools(client)).map((tool) => tool.name), ["good"]);
    for (const name of ["untyped", "listed", "bad name"]) {
      assertStringIncludes(client.stderr, name);
      assertEquals((await client.error("tools/call", { name })).code, -32602);
    }
  },
);

forEachRevision(
  "mcp.tools.unknown",
  "names and malformed parameters are refused with -32602 (substrate#13)",
  async (revision) => {
    const activations = [scripted({ "ns.known": () => [say("ran")] })];
    await using client = await openInProcess({ activations, revision });
    for (const name of ["nodot", "x.y", "ns.", "", "NS.known", "ns_known", "__proto__"]) {
      const { code, message } = await client.error("tools/call", { name });
      assertEquals(code, -32602, name);
      assertStringIncludes(String(message), `"${name}"`);
    }
    const malformed = [
      {},
      { name: null },
      { name: 5 },
      { name: "ns.known", arguments: [] },
      { name: "ns.known", arguments: "x" },
    ];
    for (const params of malformed) {
      assertEquals((await client.error("tools/call", params)).code, -32602, JSON.stringify(params));
    }
    for (const given of [undefined, null, {}]) {
      assertEquals(
        textOf(await client.result("tools/call", { name: "ns.known", arguments: given })),
        "ran",
      );
    }
  },
);

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[a-z]+$" },
    age: { type: "integer", minimum: 0 },
    mood: { enum: ["calm", "storm"] },
    place: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

/** Arguments that do not fit, and the words that the refusal must hold. */
const MISFITS = [
  { given: {}, words: ['must have "name"'] },
  { given: { name: 5 }, words: ['"name"', "must be string", "not number"] },
  { given: { name: null }, words: ['"name"', "must be string", "not null"] },
  { given: { name: "x" }, words: ['"name"', "2 characters"] },
  { given: { name: "ABC" }, words: ['"name"', "^[a-z]+$"] },
  { given: { name: "ab", age: -1 }, words: ['"age"', ">= 0"] },
  { given: { name: "ab", age: 1.5 }, words: ['"age"', "must be integer"] },
  { given: { name: "ab", age: "7" }, words: ['"age"', "must be integer", "not string"] },
  { given: { name: "ab", mood: "wild" }, words: ['"mood"', '["calm","storm"]'] },
  { given: { name: "ab", place: {} }, words: ['"place"', 'must have "city"'] },
  { given: { name: "ab", place: { city: 1 } }, words: ['"place.city"', "must be string"] },
  { given: { name: "ab", tags: ["a", 2] }, words: ['"tags.1"', "must be string"] },
  { given: { name: "ab", nmae: "x" }, words: ['must not have "nmae"', '"name", "age"'] },
] as const;

forEachRevision(
  "mcp.tools.arguments",
  "that do not fit are a result with isError that names the field and the fix",
  async (revision) => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return [say("ran")];
    };
    const activations = [scripted({ strict: { inputSchema: SCHEMA, run } })];
    await using client = await openInProcess({ activations, revision });
    for (const { given, words } of MISFITS) {
      const result = await client.call("strict", given);
      assertEquals(result.isError, true, JSON.stringify(given));
      for (const word of [...words, '"strict"', "call again"]) {
        assertStringIncludes(textOf(result), word);
      }
    }
    assertEquals(runs, 0);
    const fits = { name: "ab", age: 7, mood: "calm", place: { city: "x" }, tags: ["a"] };
    assertEquals((await client.call("strict", fits)).isError, undefined);
    assertEquals(runs, 1);
  },
);

forEachRevision(
  "mcp.tools.arguments",
  "are never judged by a schema from elsewhere",
  async (revision) => {
    const inputSchema = {
      type: "object",
      properties: { a: { $ref: "https://example.com/schema.json" } },
    };
    const activations = [scripted({ remote: { inputSchema, run: () => [say("ran")] } })];
    await using client = await openInProcess({ activations, revision });
    const result = await client.call("remote", { a: 1 });
    assertEquals(result.isError, true);
    assertStringIncludes(textOf(result), "its input schema is bad");
  },
);

forEachRevision(
  "mcp.tools.output",
  "that does not fit its schema is a result with isError that names the field",
  async (revision) => {
    const outputSchema = {
      type: "object",
      properties: { place: { type: "object", properties: { depth: { type: "integer" } } } },
      required: ["place"],
    };
    const tool = (value: JsonObject | undefined) => ({
      outputSchema,
      run: () => value === undefined ? [say("text")] : [{ kind: "structured" as const, value }],
    });
    const activations = [scripted({
      good: tool({ place: { depth: 3 } }),
      nested: tool({ place: { depth: "deep" } }),
      missing: tool({}),
      none: tool(undefined),
      failed: { outputSchema, run: () => [{ kind: "failure", message: "Sunk" }] },
    })];
    await using client = await openInProcess({ activations, revision });
    const words = { nested: '"place.depth"', missing: '"place"', none: "no structured content" };
    for (const [name, word] of Object.entries(words)) {
      const result = await client.call(name);
      assertEquals(result.isError, true, name);
      assertEquals(result.structuredContent, undefined, name);
      assertStringIncludes(textOf(result), word);
    }
    assertEquals((await client.call("good")).isError, undefined);
    assertEquals(textOf(await client.call("failed")), "Sunk");
  },
);

const HEADERS = [
  { name: "none", schema: {}, offered: true },
  { name: "text", schema: { type: "string", "x-mcp-header": "Region" }, offered: true },
  { name: "integer", schema: { type: "integer", "x-mcp-header": "Count" }, offered: true },
  { name: "boolean", schema: { type: "boolean", "x-mcp-header": "Dry-Run" }, offered: true },
  {
    name: "nested",
    schema: { type: "object", properties: { b: { type: "string", "x-mcp-header": "B" } } },
    offered: true,
  },
  { name: "number", schema: { type: "number", "x-mcp-header": "N" }, offered: false },
  { name: "object", schema: { type: "object", "x-mcp-header": "O" }, offered: false },
  { name: "array", schema: { type: "array", "x-mcp-header": "A" }, offered: false },
  { name: "untyped", schema: { "x-mcp-header": "U" }, offered: false },
  { name: "empty", schema: { type: "string", "x-mcp-header": "" }, offered: false },
  { name: "space", schema: { type: "string", "x-mcp-header": "a b" }, offered: false },
  { name: "colon", schema: { type: "string", "x-mcp-header": "a:b" }, offered: false },
  { name: "accent", schema: { type: "string", "x-mcp-header": "é" }, offered: false },
  { name: "control", schema: { type: "string", "x-mcp-header": "a\nb" }, offered: false },
  { name: "no_string", schema: { type: "string", "x-mcp-header": 5 }, offered: false },
  {
    name: "items",
    schema: { type: "array", items: { type: "string", "x-mcp-header": "I" } },
    offered: false,
  },
  { name: "choice", schema: { anyOf: [{ type: "string", "x-mcp-header": "C" }] }, offered: false },
  { name: "twin", schema: { type: "string", "x-mcp-header": "OTHER" }, offered: false },
] as const;

forEachRevision(
  "mcp.tools.headers",
  "decide whether a tool is offered: token, once, on a plain property of a plain type",
  async (revision) => {
    const other = { type: "string", "x-mcp-header": "Other" };
    const tools = HEADERS.map(({ name, schema }) => [name, {
      inputSchema: { type: "object", properties: { other, own: schema } },
      run: () => [],
    }]);
    const activations = [scripted(Object.fromEntries(tools))];
    await using client = await openInProcess({ activations, revision });
    const offered = (await listTools(client)).map((tool) => tool.name);
    assertEquals(
      offered,
      HEADERS.filter((header) => header.offered).map((header) => header.name).toSorted(),
    );
    for (const { name } of HEADERS.filter((header) => !header.offered)) {
      assertStringIncludes(client.stderr, `\\"${name}\\"`);
    }
  },
);

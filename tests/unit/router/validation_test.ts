// Values against schemas: what is wrong, where, and what would be right.

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/jsonrpc/message.ts";
import { SchemaEngine } from "../../../src/router/schema_engine.ts";
import { SchemaValidator } from "../../../src/router/validation.ts";

const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

const BAD_SCHEMAS: readonly (readonly [string, JsonObject, string])[] = [
  ["a remote reference", { $ref: "https://x.test/schema.json" }, "can't resolve reference"],
  ["a reference to a file", { $ref: "file:///etc/passwd" }, "can't resolve reference"],
  ["a relative reference", { $ref: "other.json#/a" }, "can't resolve reference"],
  ["a reference to nowhere", { $ref: "#/$defs/none" }, "can't resolve reference"],
  [
    "a remote reference of draft-07",
    { $schema: DRAFT_7, $ref: "https://x.test/a" },
    "can't resolve",
  ],
  ["a malformed pattern", { properties: { a: { pattern: "(" } } }, "Invalid regular expression"],
  ["a hostile pattern", { properties: { a: { pattern: "^(?=a)(a+)+$" } } }, "it may take too long"],
  ["a ring", { $ref: "#" }, "refers to itself"],
];

Deno.test("SchemaValidator.judge() blames a schema that cannot be used", async (t) => {
  const validator = new SchemaValidator();
  for (const [name, schema, reason] of BAD_SCHEMAS) {
    await t.step(name, async () => {
      for (const round of ["first", "again"]) {
        const verdict = await validator.judge(schema, {});
        assertEquals(verdict.kind, "bad_schema", round);
        if (verdict.kind === "bad_schema") assertStringIncludes(verdict.reason, reason);
      }
    });
  }
});

const PERSON: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    mood: { enum: ["good", "bad"] },
    version: { const: 2 },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    id: { type: ["string", "null"] },
    code: { pattern: "^[A-Z]+$" },
  },
  required: ["name", "age"],
  additionalProperties: false,
};

const MISFITS: readonly (readonly [JsonObject, JsonValue, string])[] = [
  [PERSON, [], "the arguments must be object, not array"],
  [PERSON, null, "the arguments must be object, not null"],
  [PERSON, {}, 'the arguments must have "name", "age"'],
  [PERSON, { name: "a" }, 'the arguments must have "age"'],
  [PERSON, { name: 1, age: 1 }, '"name" must be string, not number'],
  [PERSON, { name: null, age: 1 }, '"name" must be string, not null'],
  [PERSON, { name: "", age: 1 }, '"name" must NOT have fewer than 1 characters'],
  [PERSON, { name: "a", age: 1.5 }, '"age" must be integer, not number'],
  [PERSON, { name: "a", age: -1 }, '"age" must be >= 0'],
  [PERSON, { name: "a", age: 1, mood: "so" }, '"mood" must be one of ["good","bad"]'],
  [PERSON, { name: "a", age: 1, version: 1 }, '"version" must be 2'],
  [PERSON, { name: "a", age: 1, tags: ["x", 2] }, '"tags.1" must be string, not number'],
  [PERSON, { name: "a", age: 1, tags: ["", "", ""] }, '"tags" must NOT have more than 2 items'],
  [PERSON, { name: "a", age: 1, id: 1 }, '"id" must be string or null, not number'],
  [PERSON, { name: "a", age: 1, code: "x" }, '"code" must match pattern "^[A-Z]+$"'],
  [
    PERSON,
    { name: "a", age: 1, nmae: "x" },
    'the arguments must not have "nmae"; it takes "name", "age", "mood", "version", "tags", "id", "code"',
  ],
  [
    { type: "object", properties: {}, additionalProperties: false },
    { a: 1 },
    'the arguments must not have "a"; it takes none',
  ],
  [
    { type: "object", additionalProperties: false },
    { a: 1 },
    'the arguments must not have "a"',
  ],
  [
    { type: "object", properties: { a: true }, unevaluatedProperties: false },
    { b: 1 },
    'the arguments must not have "b"; it takes "a"',
  ],
  [
    { type: "object", dependentRequired: { a: ["b"] } },
    { a: 1 },
    "must have propert",
  ],
];

Deno.test("SchemaValidator.judge() names the field, the fault and the fix", async (t) => {
  const validator = new SchemaValidator();
  for (const [schema, value, reason] of MISFITS) {
    await t.step(reason, async () => {
      const verdict = await validator.judge(schema, value);
      assertEquals(verdict.kind, "misfit");
      if (verdict.kind === "misfit") assertStringIncludes(verdict.reason, reason);
    });
  }
  assertEquals((await validator.judge(PERSON, { name: "a", age: 1, id: null })).kind, "fits");
});

Deno.test("SchemaValidator.judge() ends with a value that a schema multiplies", async () => {
  const twice = [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }];
  const schema = {
    $ref: "#/$defs/node",
    $defs: { node: { properties: { next: { allOf: twice } } } },
  };
  let value: JsonObject = {};
  for (let depth = 0; depth < 100; depth++) value = { next: value };
  for (const dialect of [{}, { $schema: DRAFT_7 }]) {
    const validator = new SchemaValidator();
    const whole = { ...schema, ...dialect };
    assertEquals(await validator.judge(whole, value), {
      kind: "misfit",
      reason: "takes too much work to check",
    });
    // The next value is judged with a whole budget.
    assertEquals(await validator.judge(whole, {}), { kind: "fits" });
  }
});

Deno.test("SchemaValidator.judge() counts anew for each value", async () => {
  const validator = new SchemaValidator();
  const schema = {
    type: "array",
    items: { $ref: "#/$defs/item" },
    $defs: { item: { type: "number" } },
  };
  const value = new Array<number>(400_000).fill(1);
  for (let round = 0; round < 4; round++) {
    assertEquals((await validator.judge(schema, value)).kind, "fits");
  }
});

Deno.test("SchemaValidator.judge() reads 2020-12 unless the schema says draft-07", async () => {
  const validator = new SchemaValidator();
  const tuple = { type: "array", prefixItems: [{ type: "string" }] };
  assertEquals((await validator.judge(tuple, [1])).kind, "misfit");
  assertEquals((await validator.judge({ ...tuple, $schema: DRAFT_7 }, [1])).kind, "fits");
  const items = { $schema: DRAFT_7, type: "array", items: [{ type: "string" }] };
  assertEquals((await validator.judge(items, [1])).kind, "misfit");
  const latest = { ...tuple, $schema: "https://json-schema.org/draft/2020-12/schema" };
  assertEquals((await validator.judge(latest, [1])).kind, "misfit");
});

Deno.test("SchemaValidator.judge() keeps schemas with one $id apart", async () => {
  const validator = new SchemaValidator();
  const first = { $id: "https://x.test/a", type: "string" };
  const second = { $id: "https://x.test/a", type: "number" };
  assertEquals((await validator.judge(first, "a")).kind, "fits");
  assertEquals((await validator.judge(second, 1)).kind, "fits");
  assertEquals((await validator.judge(first, 1)).kind, "misfit");
});

Deno.test("SchemaValidator.judge() compiles once and then answers at once", async () => {
  const validator = new SchemaValidator();
  const schema = { type: "string" };
  assertEquals(validator.loading, undefined);
  const first = validator.judge(schema, "a");
  assertEquals(first instanceof Promise, true);
  assertEquals(validator.loading instanceof Promise, true);
  await first;
  await validator.loading;
  assertEquals(validator.loading, undefined);
  assertEquals(validator.judge(schema, "a"), { kind: "fits" });
  assertEquals(validator.judge(schema, 1) instanceof Promise, false);
});

Deno.test("SchemaEngine.compile() does not see what an argument's prototype has", () => {
  const validate = new SchemaEngine().compile({
    type: "object",
    required: ["constructor", "toString"],
  });
  assertEquals(validate({}), 'the arguments must have "constructor", "toString"');
});

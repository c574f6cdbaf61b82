// What `@std/yaml` reads and refuses, true of the original and of the stand-in. The last tests pin
// the stand-in alone, which is stricter.

import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { parse, stringify } from "@std/yaml";
import { parse as parseStrict } from "../../../src/std/yaml.ts";

const REFUSED = [
  { name: "an equal key", text: "a: 1\na: 2" },
  { name: "an equal key in flow style", text: "{a: 1, a: 2}" },
  { name: "an equal key in other quotes", text: "'a': 1\n\"a\": 2" },
  { name: "an open sequence", text: "a: [1" },
  { name: "an open quote", text: "a: 'b\n" },
  { name: "two colons in a line", text: "a: b: c" },
  { name: "an unknown alias", text: "*x" },
  { name: "an alias without a name", text: "x: *" },
  { name: "an unknown tag", text: "!foo x" },
  { name: "a function", text: "!!js/function x" },
  { name: "a reserved character", text: "a: @b" },
  { name: "an empty integer", text: '!!int ""' },
  { name: "a second document", text: "a: 1\n---\nb: 2" },
] as const;

Deno.test("parse() refuses malformed text with a SyntaxError", async (t) => {
  for (const { name, text } of REFUSED) {
    await t.step(name, () => void assertThrows(() => parse(text), SyntaxError));
  }
});

Deno.test("parse() says where the text is wrong", () => {
  const error = assertThrows(() => parse("ok: 1\na: b: c"), SyntaxError);
  assertStringIncludes(error.message, "line 2");
});

const READ = [
  { name: "nothing", text: "", value: null },
  { name: "blank lines", text: " \n\n ", value: null },
  { name: "comments only", text: "# a\n # b", value: null },
  { name: "a byte order mark", text: "\uFEFFa: 1", value: { a: 1 } },
  { name: "CRLF", text: "a: 1\r\nb: 2\r\n", value: { a: 1, b: 2 } },
  { name: "YAML 1.2 booleans", text: "[true, True, FALSE]", value: [true, true, false] },
  {
    name: "words that YAML 1.1 took for booleans",
    text: "[yes, No, on, OFF, y, tRue]",
    value: ["yes", "No", "on", "OFF", "y", "tRue"],
  },
  { name: "nulls", text: "- ~\n- null\n- NULL\n-\n- nil", value: [null, null, null, null, "nil"] },
  { name: "integers", text: "[0, +42, -42, 1_000]", value: [0, 42, -42, 1000] },
  {
    name: "binary, octal and hexadecimal",
    text: "[0b1010_1010, 012, 012_34, 0x1A]",
    value: [170, 10, 668, 26],
  },
  {
    name: "what only looks like a number",
    text: "[0o17, 08, 1_, _1, '1:15', 1.2.3, 1e]",
    value: ["0o17", "08", "1_", "_1", "1:15", "1.2.3", "1e"],
  },
  { name: "sexagesimals as strings", text: "- 1:15\n- -1:15:20", value: ["1:15", "-1:15:20"] },
  {
    name: "floats",
    text: "[3.14, -3.14, .5, 1., 12e03, .inf, -.inf, .nan, !!float 12000]",
    value: [3.14, -3.14, 0.5, 1, 12000, Infinity, -Infinity, NaN, 12000],
  },
  { name: "a tagged string", text: "- !!str 1", value: ["1"] },
  { name: "a quoted number", text: "- '1'\n- \"2\"", value: ["1", "2"] },
  {
    name: "dates as Date",
    text: "- 2001-12-15T02:59:43.1Z\n- 2001-12-14 21:59:43.10 -5\n- 2002-12-14\n- 2001-1-1",
    value: [
      new Date("2001-12-15T02:59:43.100Z"),
      new Date("2001-12-15T02:59:43.100Z"),
      new Date("2002-12-14T00:00:00Z"),
      "2001-1-1",
    ],
  },
  { name: "binary", text: '!!binary "SGVsbG8="', value: new TextEncoder().encode("Hello") },
  { name: "an alias", text: "- &a {x: 1}\n- *a", value: [{ x: 1 }, { x: 1 }] },
  {
    name: "merge keys, own keys first wherever they stand",
    text: "- &a {x: 1, y: 1}\n- <<: *a\n  x: 8\n- x: 9\n  <<: *a",
    value: [{ x: 1, y: 1 }, { x: 8, y: 1 }, { x: 9, y: 1 }],
  },
  {
    name: "a list of merge keys, the first wins",
    text: "<<: [{a: 1, b: 1}, {b: 2, c: 2}]",
    value: { a: 1, b: 1, c: 2 },
  },
  {
    name: "keys as strings",
    text: "1: a\ntrue: b\n~: c",
    value: { "1": "a", true: "b", null: "c" },
  },
  { name: "a sequence as deep as its key", text: "a:\n- 1\n- 2", value: { a: [1, 2] } },
  {
    name: "literal and folded text",
    text: "- |\n  x\n  y\n- >-\n  x\n  y\n",
    value: ["x\ny\n", "x y"],
  },
] as const;

Deno.test("parse() reads YAML 1.2", async (t) => {
  for (const { name, text, value } of READ) {
    await t.step(name, () => assertEquals<unknown>(parse(text), value));
  }
});

Deno.test("parse() keeps a __proto__ key as a plain property", () => {
  const value = parse("__proto__: {isAdmin: true}");
  assertInstanceOf(value, Object);
  assertEquals(Object.keys(value), ["__proto__"]);
  assertEquals(Reflect.get(value, "isAdmin"), undefined);
});

Deno.test("parse() with allowDuplicateKeys lets the last key win", () => {
  assertEquals(parse("a: 1\na: 2", { allowDuplicateKeys: true }), { a: 2 });
});

Deno.test("parse() with a narrower schema leaves more as strings", () => {
  assertEquals(parse("[1, true, 2002-12-14]", { schema: "core" }), [1, true, "2002-12-14"]);
  assertEquals(parse("[1, true, 2002-12-14]", { schema: "json" }), [1, true, "2002-12-14"]);
  assertEquals(parse("[1, true, ~]", { schema: "failsafe" }), ["1", "true", "~"]);
  assertEquals(parse("<<: {a: 1}", { schema: "core" }), { "<<": { a: 1 } });
});

const WRITTEN = [
  { name: "a mapping", value: { id: 1, name: "Alice" }, text: "id: 1\nname: Alice\n" },
  { name: "nesting", value: { a: [1, { b: 2 }], d: {} }, text: "a:\n  - 1\n  - b: 2\nd: {}\n" },
  { name: "null", value: null, text: "null\n" },
  { name: "a date", value: { d: new Date(0) }, text: "d: 1970-01-01T00:00:00.000Z\n" },
] as const;

Deno.test("stringify() writes block style", async (t) => {
  for (const { name, value, text } of WRITTEN) {
    await t.step(name, () => assertEquals(stringify(value), text));
  }
});

Deno.test("stringify() writes text that parse() reads back unchanged", () => {
  const strings = ["yes", "no", "true", "1", "1e3", "", " x", "a: b", "#", "~", "0o7", "a\nb\n"];
  const value = { strings, number: 1.5, nested: [[], {}, [null, false]], "key: odd": "it's" };
  assertEquals(parse(stringify(value)), value);
});

Deno.test("stringify() refuses what YAML cannot hold unless told to skip it", () => {
  for (const value of [{ f() {} }, { u: undefined }, [undefined], undefined, Symbol("s"), 1n]) {
    assertThrows(() => stringify(value), TypeError);
  }
  assertEquals(stringify({ a: 1, u: undefined }, { skipInvalid: true }), "a: 1\n");
  assertEquals(stringify({ a: 1, f() {} }, { skipInvalid: true }), "a: 1\n");
});

Deno.test("stringify() with sortKeys sorts and with useAnchors off repeats", () => {
  const shared = { k: 1 };
  const value = { b: shared, a: shared };
  assertEquals(stringify(value, { sortKeys: true, useAnchors: false }), "a:\n  k: 1\nb:\n  k: 1\n");
  assertEquals(stringify([shared, shared]), "- &ref_0\n  k: 1\n- *ref_0\n");
});

function layers(depth: number): string {
  const line = (level: number) => `l${level}: &l${level} [${`*l${level - 1},`.repeat(9)}]`;
  return ["l0: &l0 [x]", ...Array.from({ length: depth }, (_, index) => line(index + 1))].join(
    "\n",
  );
}

Deno.test("src/std/yaml.ts parse() refuses what multiplies or never ends", async (t) => {
  const cases = [
    { name: "billion laughs", text: layers(10) },
    { name: "a cycle", text: "&a [*a]" },
    { name: "nesting beyond 100", text: "[".repeat(150) + "]".repeat(150) },
    { name: "a set, which it does not read", text: "!!set {a, b}" },
  ];
  for (const { name, text } of cases) {
    await t.step(name, () => void assertThrows(() => parseStrict(text), SyntaxError));
  }
});

Deno.test("src/std/yaml.ts parse() takes aliases and large documents without them", () => {
  assertEquals(Object.keys(Object(parseStrict(layers(3)))), ["l0", "l1", "l2", "l3"]);
  assertEquals(parseStrict("- 1\n".repeat(200_000)), Array(200_000).fill(1));
});

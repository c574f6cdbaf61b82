// What `@std/jsonc` reads and refuses, true of the original and of the stand-in.

import { assertEquals, assertThrows } from "@std/assert";
import { parse } from "@std/jsonc";

const REFUSED = [
  ...["", " ", "//x", "/* x", "[", "]", '{"a":', '{"a" 1}', "[1 2]", "1 2", "{} {}", "1,"],
  ...["[,]", "{,}", "[1,,]", '{"a":1,,}', "{a:1}", "{'a':1}", "tru", "undefined"],
  ...["01", "-", "+1", "1.", ".5", "1e", "NaN", "Infinity", "0x10", "1_0"],
  ...['"abc', '"a\nb"', '"a\tb"', '"\\x"', '"\\u12"', "\uFEFF1", "\u00a01", "\f1"],
] as const;

Deno.test("parse() refuses malformed text with a SyntaxError", async (t) => {
  for (const text of REFUSED) {
    await t.step(JSON.stringify(text), () => void assertThrows(() => parse(text), SyntaxError));
  }
});

const READ = [
  { text: "{} // comment", value: {} },
  { text: "/* a */ 1", value: 1 },
  { text: "//\n1", value: 1 },
  { text: "// a\r1", value: 1 },
  { text: "1 // a\u2028 2", value: 1 },
  { text: "[/**/]", value: [] },
  { text: "[1,]", value: [1] },
  { text: '{"a": [1, 2,], }', value: { a: [1, 2] } },
  { text: '"// no comment /* */"', value: "// no comment /* */" },
  { text: '{"a":1,"a":2}', value: { a: 2 } },
  { text: '"\\u00e9\\n\\/\\ud83d\\ude00"', value: "é\n/😀" },
  { text: "[1e5, -1.5E-2, true, false, null]", value: [100000, -0.015, true, false, null] },
  { text: "1e999", value: Infinity },
] as const;

Deno.test("parse() reads JSON with comments and trailing commas", async (t) => {
  for (const { text, value } of READ) {
    await t.step(text, () => assertEquals<unknown>(parse(text), value));
  }
});

Deno.test("parse() keeps a __proto__ key as a plain property", () => {
  const value = parse('{"__proto__": {"isAdmin": true}}');
  assertEquals(Object.keys(Object(value)), ["__proto__"]);
  assertEquals(Reflect.get(Object(value), "isAdmin"), undefined);
});

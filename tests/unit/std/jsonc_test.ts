// What `@std/jsonc` reads and refuses, true of the original and of the stand-in; the stand-in is also
// compared with npm `jsonc-parser`, the parser of VS Code.

import { assertEquals, assertThrows } from "@std/assert";
import { parse } from "@std/jsonc";
import { parse as parseTolerant, type ParseError } from "jsonc-parser";
import { parse as parseOwn } from "../../../src/std/jsonc.ts";

const REFUSED = [
  ...["", " ", "//x", "/* x", "[", "]", '{"a":', '{"a" 1}', "[1 2]", "1 2", "{} {}", "1,"],
  ...["[,]", "{,}", "[1,,]", '{"a":1,,}', "{a:1}", "{'a':1}", "tru", "undefined"],
  ...["01", "-", "+1", "1.", ".5", "1e", "NaN", "Infinity", "0x10", "1_0"],
  ...['"abc', '"a\nb"', '"a\tb"', '"\\x"', '"\\u12"', "\uFEFF1", "\u00a01", "\f1"],
  ...["/", "1/", "1/**/2", "[1,/**/,]", '{"a":,}', '{"a",}', ",", "[1},", "/*/ 1", "1 */", '"\\'],
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

/** Every text of up to five of these pieces, in brackets and bare. */
function* allTexts(): Generator<string> {
  const pieces = ["[", "]", "{", "}", ",", ":", '"a"', "1", "//", "/*", "*/", "\n"];
  let texts = [""];
  for (let length = 0; length < 4; length++) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
    for (const text of texts) yield* [text, `[${text}]`, `{"k":${text}}`];
  }
}

function attempt(fn: () => unknown): unknown {
  try {
    return { value: fn() };
  } catch (error) {
    if (error instanceof SyntaxError) return "refused";
    throw error;
  }
}

Deno.test("src/std/jsonc.ts parse() agrees with jsonc-parser on every short text", () => {
  for (const text of allTexts()) {
    const errors: ParseError[] = [];
    const value: unknown = parseTolerant(text, errors, { allowTrailingComma: true });
    assertEquals(attempt(() => parseOwn(text)), errors.length > 0 ? "refused" : { value }, text);
  }
});

Deno.test("src/std/jsonc.ts parse() takes deep and long text", () => {
  const depth = 5_000;
  assertEquals(JSON.stringify(parseOwn("[".repeat(depth) + "]".repeat(depth))).length, 2 * depth);
  assertEquals(parseOwn(`[${"1, // one\n".repeat(50_000)}]`), Array(50_000).fill(1));
  assertEquals(parseOwn(JSON.stringify("\\é\n".repeat(500_000))), "\\é\n".repeat(500_000));
  assertThrows(() => parseOwn(`"${"\\".repeat(100_001)}`), SyntaxError);
  assertThrows(() => parseOwn("/*".repeat(500_000)), SyntaxError);
});

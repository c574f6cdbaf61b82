// Patterns: none may hang the server, and what is matched is matched as in a schema.

import { assertEquals, assertThrows } from "@std/assert";
import { compilePattern } from "../../../src/router/pattern.ts";

Deno.test("compilePattern() refuses what is malformed", () => {
  for (const source of ["(", "[", "a**", "\\", "(?<n>a)(?<n>b)", "a{2,1}", "(?="]) {
    assertThrows(() => compilePattern(source), SyntaxError);
  }
});

Deno.test("compilePattern() refuses look-around with a repetition of something ambiguous", async (t) => {
  const SOURCES = [
    "^(?=a)(a+)+$",
    "^(?=a)(a*)*$",
    "^(?=a)(?:a|aa)+$",
    "^(?=a)(?:a?a?)*$",
    "^(?=a)((a+)b?)*$",
    "^(?=a)(a+){2,}$",
    "(a*)*\\1",
    `(?=b)${"a?".repeat(30)}`,
    `(?=b)${"(a|a)".repeat(30)}`,
  ];
  for (const source of SOURCES) {
    await t.step(source, () => {
      assertThrows(() => compilePattern(source), SyntaxError, "it may take too long");
    });
  }
});

Deno.test("compilePattern() takes hostile patterns that RE2 can match, and matches in no time", async (t) => {
  const text = `${"a".repeat(50_000)}!`;
  for (const source of ["^(a+)+$", "(a|aa)+$", "(a?){100}a{100}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]) {
    await t.step(source, () => assertEquals(compilePattern(source).test(text), false));
  }
});

/** Each matches the text, but shows that only where no text of that length could take long. */
const LENGTHS: readonly (readonly [string, (length: number) => string, number, number])[] = [
  ["^(?!x)a$|a{5}$", (length) => "a".repeat(length), 4096, 4097],
  ["^(?=a)a*$", (length) => "a".repeat(length), 4096, 4097],
  ["^(?=a)a*a*a*$", (length) => "a".repeat(length), 464, 465],
  ["(?=a)a*a*a*$", (length) => "a".repeat(length), 100, 101],
  ["^(?=x)y|a*a*a$", (length) => "a".repeat(length), 368, 369],
  ["((?=a+)a)*b?", (length) => "a".repeat(length), 368, 369],
  ["^(?=a*(?=a*$))a*$", (length) => "a".repeat(length), 464, 465],
  ["(a*)\\1b", (length) => "b".padStart(length, "a"), 464, 465],
  ["(?<n>a*)\\k<n>(?!c)b", (length) => "b".padStart(length, "a"), 464, 465],
];

Deno.test("compilePattern() tries what RE2 cannot match on short texts only", async (t) => {
  for (const [source, text, longest, tooLong] of LENGTHS) {
    await t.step(source, () => {
      const pattern = compilePattern(source);
      assertEquals(pattern.test(text(longest)), true);
      assertEquals(pattern.test(text(tooLong)), false);
    });
  }
});

const MATCHES: readonly (readonly [string, string, boolean])[] = [
  ["^[a-z]+$", "abc", true],
  ["^[a-z]+$", "abC", false],
  ["b", "abc", true],
  ["", "", true],
  ["^\\d{4}-\\d{2}$", "2026-11", true],
  ["^\\p{Lu}", "É", true],
  ["^.$", "😀", true],
  ["\\u00e9", "é", true],
  ["^(?!-)[a-z-]+$", "a-b", true],
  ["^(?!-)[a-z-]+$", "-ab", false],
  ["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$", "Passw0rd", true],
  ["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$", "password", false],
  ["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$", `Passw0rd${"x".repeat(2000)}`, true],
  ["^(a)\\1$", "aa", true],
  ["^(a)\\1$", "ab", false],
  ["^(?!con|prn|aux|nul)\\w+$", "console", false],
  ["^(?!con$|prn$)\\w+$", "console", true],
  ["^(?<year>\\d{4})(?=-)", "2026-", true],
  ["^(?!x)[|*+?()]+$", "|*+?()", true],
  ["^(?!x)\\*\\?\\|$", "*?|", true],
  ["^(?!x)(?:\\d{3},)+$", "123,456,", true],
];

Deno.test("compilePattern() matches as a schema means it", async (t) => {
  for (const [source, text, expected] of MATCHES) {
    await t.step(`${source} ${text.slice(0, 12)}`, () => {
      assertEquals(compilePattern(source).test(text), expected);
    });
  }
});

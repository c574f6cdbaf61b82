/** Text as Rust quotes it, previews of bytes, and token estimates. */
import { assertEquals } from "@std/assert";
import { findTextStart, quote } from "../../../src/bcp/bytes.ts";
import { estimateCodeTokens, estimateTokens } from "../../../src/bcp/block_text.ts";

Deno.test("quote() escapes as Rust's Debug does", async (t) => {
  const cases = [
    { text: "plain 'text'", quoted: `"plain 'text'"` },
    { text: 'a"b\\c', quoted: '"a\\"b\\\\c"' },
    { text: "\n\r\t\0", quoted: '"\\n\\r\\t\\0"' },
    { text: "\x1b\x7f\x85", quoted: '"\\u{1b}\\u{7f}\\u{85}"' },
    { text: "\xa0\u200b\u2028", quoted: '"\\u{a0}\\u{200b}\\u{2028}"' },
    { text: "é日🦀", quoted: '"é日🦀"' },
    { text: "e\u0301", quoted: '"e\\u{301}"' },
    { text: "\u{e0001}", quoted: '"\\u{e0001}"' },
  ] as const;
  for (const { text, quoted } of cases) {
    await t.step(quoted, () => assertEquals(quote(text), quoted));
  }
});

Deno.test("findTextStart() counts code points and replaced parts", async (t) => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const cases = [
    { name: "shorter", bytes: encode("abc"), start: { text: "abc", isCut: false } },
    { name: "exact", bytes: encode("abcd"), start: { text: "abcd", isCut: false } },
    { name: "longer", bytes: encode("abcde"), start: { text: "abcd", isCut: true } },
    { name: "wide", bytes: encode("🦀🦀🦀🦀🦀🦀"), start: { text: "🦀🦀🦀🦀", isCut: true } },
    {
      name: "not UTF-8",
      bytes: Uint8Array.of(0xff, 0xe2, 0x82),
      start: { text: "\ufffd\ufffd", isCut: false },
    },
    {
      name: "many invalid",
      bytes: new Uint8Array(99).fill(0xff),
      start: { text: "\ufffd".repeat(4), isCut: true },
    },
  ] as const;
  for (const { name, bytes, start } of cases) {
    await t.step(name, () => assertEquals(findTextStart(bytes, 4), start));
  }
});

Deno.test("estimateTokens() and estimateCodeTokens() divide UTF-8 bytes", async (t) => {
  const cases = [
    { name: "empty", text: "", plain: 0, code: 0 },
    { name: "short", text: "a", plain: 1, code: 1 },
    { name: "bytes, not characters", text: "日本語日", plain: 3, code: 3 },
    { name: "30 percent indented is not code", text: lines(3, 7), plain: 10, code: 10 },
    { name: "more than 30 percent is", text: lines(4, 6), plain: 10, code: 14 },
    {
      name: "blank lines do not count",
      text: `${lines(1, 1)}\n \n\t\r\n\u3000\n`,
      plain: 4,
      code: 6,
    },
    {
      name: "a byte order mark is not space",
      text: "\ufeff\n\ufeff\n\ufeff\n a\n",
      plain: 3,
      code: 3,
    },
  ] as const;
  for (const { name, text, plain, code } of cases) {
    await t.step(name, () => {
      assertEquals([estimateTokens(text), estimateCodeTokens(text)], [plain, code]);
    });
  }
});

/** Indented lines of five bytes, flat ones of four, minus the last newline's one. */
function lines(indented: number, flat: number): string {
  return [...new Array(indented).fill(" abc"), ...new Array(flat).fill("abc")].join("\n");
}

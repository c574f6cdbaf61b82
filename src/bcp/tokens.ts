/**
 * Token estimates without a tokenizer: bytes divided by a constant, as the reference does it. Both
 * count UTF-8 bytes, give 0 for nothing and at least 1 for anything.
 */
import { toUtf8 } from "./text.ts";

const BYTES_PER_TOKEN = 4;
const BYTES_PER_CODE_TOKEN = 3;
/** Percent of non-blank lines that must be indented for text to count as code. */
const CODE_INDENT_PERCENT = 30;

/** Unicode White_Space beyond ASCII; `trim()` has U+FEFF too many and U+0085 too few. */
const WIDE_SPACE = /[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** A quarter of the bytes: what `stats` prints. */
export function estimateTokens(text: string): number {
  return divide(toUtf8(text).length, BYTES_PER_TOKEN);
}

/** A third of the bytes for indented text, else a quarter: what the budget engine counts. */
export function estimateCodeTokens(text: string): number {
  return divide(toUtf8(text).length, isCodeLike(text) ? BYTES_PER_CODE_TOKEN : BYTES_PER_TOKEN);
}

/** The estimate for bytes that are not text. */
export function estimateOpaqueTokens(byteLength: number): number {
  return divide(byteLength, BYTES_PER_TOKEN);
}

function divide(byteLength: number, divisor: number): number {
  return byteLength === 0 ? 0 : Math.max(1, Math.floor(byteLength / divisor));
}

function isCodeLike(text: string): boolean {
  let filled = 0;
  let indented = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (!isBlank(text, start, end)) {
      filled++;
      const first = text.charCodeAt(start);
      if (first === 0x20 || first === 0x09) indented++;
    }
    start = end + 1;
  }
  return filled > 0 && Math.floor(indented * 100 / filled) > CODE_INDENT_PERCENT;
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const isAsciiSpace = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
    if (!isAsciiSpace && (unit < 0x80 || !WIDE_SPACE.test(text[i]!))) return false;
  }
  return true;
}

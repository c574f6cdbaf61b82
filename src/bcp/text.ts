/** Bytes and text: the two ways BCP reads UTF-8, and Rust's quoted form that the `bcp` program prints. */

const LOSSY = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const ENCODER = new TextEncoder();

/** Replaces every maximal invalid part with U+FFFD and keeps a byte order mark. */
export function toLossyText(bytes: Uint8Array): string {
  return LOSSY.decode(bytes);
}

/** The text, or undefined if the bytes are not UTF-8. */
export function findStrictText(bytes: Uint8Array): string | undefined {
  // Lenient decoding is several times faster, and without a replacement nothing was invalid.
  const text = LOSSY.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return STRICT.decode(bytes);
  } catch {
    return undefined;
  }
}

/** UTF-8 of the text. */
export function toUtf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/**
 * The first `count` code points of bytes read leniently, and whether more follow. Only a prefix is
 * decoded, however large the content.
 */
export function findTextStart(
  bytes: Uint8Array,
  count: number,
): { readonly text: string; readonly isCut: boolean } {
  // No code point, and no replaced part, is longer than four bytes.
  const prefix = bytes.subarray(0, (count + 1) * 4);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const points = [...decoder.decode(prefix, { stream: prefix.length < bytes.length })];
  return { text: points.slice(0, count).join(""), isCut: points.length > count };
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0",
};
const NEEDS_ESCAPE = /["\\]|(?! )[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Grapheme_Extend}]/gu;

/** Rust's `{:?}` of a string: quoted, with unprintable characters escaped. */
export function quote(text: string): string {
  const escaped = text.replace(
    NEEDS_ESCAPE,
    (char) => NAMED_ESCAPES[char] ?? `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
  return `"${escaped}"`;
}

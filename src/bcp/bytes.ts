/** What payloads are read and written with: text, numbers, a buffer that grows. */

import { BcpSyntaxError, truncated } from "./error.ts";

// Bytes and text: the two ways BCP reads UTF-8, and Rust's quoted form that the `bcp` program prints.

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

// Unsigned LEB128 of up to 64 bits: the only number on the BCP wire. Values up to 2^53-1 are plain
// numbers; larger ones are bigints, so that nothing is rounded and the usual case stays cheap.

/** Longest encoding of a 64-bit value. */
const MAX_VARINT_BYTES = 10;
/** A 7-byte varint holds 49 bits, which a number holds exactly. */
const NUMBER_VARINT_BYTES = 7;

/** A decoded varint: a bigint only above `Number.MAX_SAFE_INTEGER`. */
export type Varint = number | bigint;

/** A position in a bounded stretch of bytes; reading moves it forward and never past `end`. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  position: number;

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.end - this.position;
  }

  /**
   * Reads one varint. Overlong forms are accepted and the tenth byte gives only its lowest bit, as in
   * the reference.
   *
   * @throws {BcpSyntaxError} when the bytes end first, or an eleventh byte would be needed.
   */
  varint(): Varint {
    const { bytes, end } = this;
    const start = this.position;
    const first = start < end ? bytes[start]! : -1;
    if (first >= 0 && first < 0x80) {
      this.position = start + 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    const fastEnd = Math.min(end, start + NUMBER_VARINT_BYTES);
    for (let i = start; i < fastEnd; i++) {
      const byte = bytes[i]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        this.position = i + 1;
        return value;
      }
      scale *= 0x80;
    }
    return this.#longVarint(start);
  }

  #longVarint(start: number): Varint {
    let value = 0n;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (start + i >= this.end) throw truncated(this.end - start, this.end);
      const byte = this.bytes[start + i]!;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        this.position = start + i + 1;
        value = BigInt.asUintN(64, value);
        return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
      }
    }
    if (start + MAX_VARINT_BYTES >= this.end) throw truncated(this.end - start, this.end);
    const message = `varint too long: exceeded ${MAX_VARINT_BYTES}-byte limit`;
    throw new BcpSyntaxError(message, { code: "varint", offset: start });
  }
}

/** The low 8 bits, as the reference narrows enum values. */
export function toUint8(value: Varint): number {
  return typeof value === "bigint" ? Number(value & 0xffn) : value % 0x100;
}

/** The low 32 bits, as the reference narrows line numbers and indices. */
export function toUint32(value: Varint): number {
  return typeof value === "bigint" ? Number(value & 0xffff_ffffn) : value % 0x1_0000_0000;
}

/** How many bytes the shortest encoding of `value` takes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

// Where encoded bytes are gathered. It grows by doubling, so cost per byte stays flat, and it is
// cleared and used again for every block body.

const INITIAL_BYTES = 1024;
/** A UTF-16 unit becomes at most three UTF-8 bytes. */
const MAX_UTF8_PER_UNIT = 3;

/** A growing byte buffer with the few ways of writing that BCP needs. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = INITIAL_BYTES) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** What was written: a view, valid until the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** What was written, for keeps: copied only if the buffer is mostly empty. Ends the writing. */
  take(): Uint8Array<ArrayBuffer> {
    const view = this.view();
    return view.length * 2 < this.#bytes.length ? view.slice() : view;
  }

  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes the shortest LEB128 form. */
  varint(value: Varint): void {
    let rest: Varint = value;
    while (typeof rest === "bigint") {
      if (rest <= Number.MAX_SAFE_INTEGER) {
        rest = Number(rest);
        break;
      }
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  /** Writes a varint length and the bytes. */
  prefixed(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** Writes a varint length and the UTF-8 of `text`. */
  prefixedText(text: string): void {
    const start = this.#length;
    this.#reserve(1 + text.length * MAX_UTF8_PER_UNIT);
    const { written } = ENCODER.encodeInto(text, this.#bytes.subarray(start + 1));
    if (written < 0x80) {
      this.#bytes[start] = written;
      this.#length = start + 1 + written;
    } else {
      this.prefixed(this.#bytes.slice(start + 1, start + 1 + written));
    }
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.view());
    this.#bytes = grown;
  }
}

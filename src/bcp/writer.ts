/**
 * Where encoded bytes are gathered. It grows by doubling, so cost per byte stays flat, and it is
 * cleared and used again for every block body.
 */
import type { Varint } from "./varint.ts";

const INITIAL_BYTES = 1024;
const ENCODER = new TextEncoder();
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

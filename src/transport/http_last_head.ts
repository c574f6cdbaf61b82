// The head of a connection's last request. Most clients say the same again each time, byte for byte, and what was
// understood once need not be parsed again. Only computes.

import type { RequestHead } from "./http_head.ts";

/** The longest head that is kept: more than most clients send, a token included. */
const MAX_BYTES = 2 * 1024;

/** So many bytes are compared at once, where they lie so. */
const WORD = Int32Array.BYTES_PER_ELEMENT;

/** Remembers one head. */
export class LastHead {
  readonly #buffer: Uint8Array;
  readonly #words: Int32Array;
  #kept: Uint8Array | undefined;
  #keptWords: Int32Array | undefined;
  #length = 0;
  #head: RequestHead | undefined;

  /** Looks for heads in this buffer, the first of its memory. */
  constructor(buffer: Uint8Array) {
    this.#buffer = buffer;
    this.#words = new Int32Array(buffer.buffer, 0, Math.floor(buffer.length / WORD));
  }

  /** Bytes of the head that is kept; none when there is none. */
  get length(): number {
    return this.#length;
  }

  /** Keeps a head and the bytes that it was parsed from, in place of the one before. */
  keep(bytes: Uint8Array, head: RequestHead): void {
    if (bytes.length > MAX_BYTES) return;
    if (this.#kept === undefined) {
      const memory = new ArrayBuffer(MAX_BYTES);
      this.#kept = new Uint8Array(memory);
      this.#keptWords = new Int32Array(memory);
    }
    this.#kept.set(bytes);
    this.#length = bytes.length;
    this.#head = head;
  }

  /** The head that is kept, if the same bytes lie between `start` and `end`, perhaps with others behind them. */
  find(start: number, end: number): RequestHead | undefined {
    const [kept, keptWords, length] = [this.#kept, this.#keptWords, this.#length];
    if (kept === undefined || keptWords === undefined || end - start < length) return undefined;
    let at = 0;
    if (start % WORD === 0) {
      const [words, first] = [this.#words, start / WORD];
      const count = Math.floor(length / WORD);
      for (let word = 0; word < count; word++) {
        if (words[first + word] !== keptWords[word]) return undefined;
      }
      at = count * WORD;
    }
    const buffer = this.#buffer;
    for (; at < length; at++) {
      if (buffer[start + at] !== kept[at]) return undefined;
    }
    return this.#head;
  }
}

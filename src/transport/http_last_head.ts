// The head of a connection's last request. Most clients say the same again each time, byte for byte, and what was
// understood once need not be parsed again. Only computes.

import type { RequestHead } from "./http_head.ts";

/** The longest head that is kept: more than most clients send, a token included. */
const MAX_BYTES = 2 * 1024;

/** Remembers one head. */
export class LastHead {
  #bytes: Uint8Array | undefined;
  #length = 0;
  #head: RequestHead | undefined;

  /** Bytes of the head that is kept; none when there is none. */
  get length(): number {
    return this.#length;
  }

  /** Keeps a head and the bytes that it was parsed from, in place of the one before. */
  keep(bytes: Uint8Array, head: RequestHead): void {
    if (bytes.length > MAX_BYTES) return;
    this.#bytes ??= new Uint8Array(MAX_BYTES);
    this.#bytes.set(bytes);
    this.#length = bytes.length;
    this.#head = head;
  }

  /** The head that is kept, if the same bytes lie between `start` and `end`, perhaps with others behind them. */
  find(bytes: Uint8Array, start: number, end: number): RequestHead | undefined {
    const [kept, length] = [this.#bytes, this.#length];
    if (kept === undefined || end - start < length) return undefined;
    for (let at = 0; at < length; at++) {
      if (bytes[start + at] !== kept[at]) return undefined;
    }
    return this.#head;
  }
}

// Bytes → lines, with a bound. Lines come in groups as the chunks arrive, so that a burst of messages costs one turn of
// the event loop and not one each. A line over the bound is skipped to its end without being kept.

import type { ByteSource } from "./bytes.ts";

/** A line that could not be taken. */
export type LineFault =
  | { readonly kind: "too_long"; readonly maxBytes: number }
  | { readonly kind: "not_utf8" };

/** Bounds on what is read. */
export interface LineReaderOptions {
  /** Longest line that is kept, in bytes, its end not counted. */
  readonly maxBytes: number;
}

/** As much as a pipe holds. */
const BUFFER_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;

/** Splits bytes into lines without their line feeds; a last line without one counts too. */
export async function* readLines(
  source: ByteSource,
  options: LineReaderOptions,
): AsyncGenerator<readonly (string | LineFault)[], void, undefined> {
  const splitter = new LineSplitter(options.maxBytes);
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let size = await source.read(buffer); size !== null; size = await source.read(buffer)) {
    const lines = splitter.push(buffer.subarray(0, size));
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

/** The state between chunks: the bytes of an unfinished line, or that they are being skipped. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #skipping = false;

  /** Starts with nothing kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. */
  push(chunk: Uint8Array): (string | LineFault)[] {
    const lines: (string | LineFault)[] = [];
    let start = 0;
    if (this.#restBytes > 0 || this.#skipping) {
      const end = chunk.indexOf(LINE_FEED);
      this.#keep(chunk.subarray(0, end === -1 ? chunk.length : end), lines);
      if (end === -1) return lines;
      this.#finish(lines);
      start = end + 1;
    }
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last >= start) {
      this.#split(chunk.subarray(start, last), lines);
      start = last + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start), lines);
    return lines;
  }

  /** The unfinished line, at the end of the stream. */
  end(): (string | LineFault)[] {
    const lines: (string | LineFault)[] = [];
    if (this.#restBytes > 0) this.#finish(lines);
    return lines;
  }

  #keep(bytes: Uint8Array, lines: (string | LineFault)[]): void {
    if (this.#skipping) return;
    if (this.#restBytes + bytes.length > this.#maxBytes) {
      this.#skipping = true;
      this.#rest = [];
      this.#restBytes = 0;
      lines.push({ kind: "too_long", maxBytes: this.#maxBytes });
      return;
    }
    // The chunk's memory is used again by the next read, so what outlives this call is copied.
    this.#rest.push(bytes.slice());
    this.#restBytes += bytes.length;
  }

  #finish(lines: (string | LineFault)[]): void {
    if (!this.#skipping) {
      const bytes = new Uint8Array(this.#restBytes);
      let offset = 0;
      for (const part of this.#rest) {
        bytes.set(part, offset);
        offset += part.length;
      }
      lines.push(this.#decode(bytes));
    }
    this.#skipping = false;
    this.#rest = [];
    this.#restBytes = 0;
  }

  /** Decodes whole lines at once; only where that fails or a line may be too long is each looked at alone. */
  #split(bytes: Uint8Array, lines: (string | LineFault)[]): void {
    if (bytes.length <= this.#maxBytes) {
      const text = this.#decode(bytes);
      if (typeof text === "string") {
        for (const line of text.split("\n")) lines.push(line);
        return;
      }
    }
    let start = 0;
    while (start <= bytes.length) {
      const found = bytes.indexOf(LINE_FEED, start);
      const end = found === -1 ? bytes.length : found;
      lines.push(
        end - start > this.#maxBytes
          ? { kind: "too_long", maxBytes: this.#maxBytes }
          : this.#decode(bytes.subarray(start, end)),
      );
      start = end + 1;
    }
  }

  #decode(bytes: Uint8Array): string | LineFault {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return { kind: "not_utf8" };
    }
  }
}

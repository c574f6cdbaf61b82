// Bytes to lines and lines to bytes, both with a bound. Lines come in groups, as the chunks arrive, and leave in groups,
// through one writer: a burst of messages costs one turn of the event loop and not one each, and lines never interleave.

import type { ByteSink, ByteSource } from "./bytes.ts";

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

/**
 * Splits bytes into lines without their line feeds; a last line without one counts too. A line over the bound is
 * skipped to its end without being kept.
 */
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

/** A text, or what becomes one when it is written; until then it counts for so many UTF-16 units, more or less. */
export type Writable = string | { readonly length: number; toString(): string };

/** Bounds on what may wait, and how it is written. */
export interface LineWriterOptions {
  /** Text waiting to be written above which senders are asked to wait, in UTF-16 units. */
  readonly highWaterMark: number;
  /** The bytes of a text, left alone until the sink has taken them all; those of UTF-8 in new memory, unless given. */
  readonly encode?: (text: Writable) => Uint8Array;
}

/** Most text handed to the sink at once; keeps one write's copy small however much waits. */
const MAX_WRITE = 1 << 20;

const NOTHING = new Uint8Array(0);
const TURN_END = Promise.resolve();
const encoder = new TextEncoder();

/**
 * Writes lines to a sink of bytes. What is sent while a write is under way goes out in the next one together; a reader
 * that does not read is felt as a backlog, which senders wait for.
 */
export class LineWriter {
  readonly #sink: ByteSink;
  readonly #highWaterMark: number;
  readonly #encode: (text: Writable) => Uint8Array;
  #texts: Writable[] = [];
  #backlog = 0;
  /** Of the write under way: for how many units it counted, and the bytes that the sink has not taken. */
  #length = 0;
  #rest: Uint8Array = NOTHING;
  #isDraining = false;
  #drained: PromiseWithResolvers<void> | undefined;
  #flushed: PromiseWithResolvers<void> | undefined;
  readonly #broken = Promise.withResolvers<void>();
  #failed = false;
  readonly #onTurnEnd = (): void => this.#step();
  readonly #onWritten = (count: number): void => this.#takeOff(count);
  readonly #onFailure = (): void => this.#fail();

  /** Takes over the sink: nobody else may write to it. */
  constructor(sink: ByteSink, options: LineWriterOptions) {
    this.#sink = sink;
    this.#highWaterMark = options.highWaterMark;
    this.#encode = options.encode ?? ((text) => encoder.encode(String(text)));
  }

  /** Whether the peer has stopped taking bytes for good. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Resolves when the peer has stopped taking bytes for good; never for one that goes on. */
  get broken(): Promise<void> {
    return this.#broken.promise;
  }

  /** Text queued and not yet written, in UTF-16 units. */
  get backlog(): number {
    return this.#backlog;
  }

  /** Queues one line; `text` must not hold a line break. */
  send(text: string): void {
    this.write(`${text}\n`);
  }

  /** Queues text as it is: whoever says all in one, to be written now, else with all that is said in this turn. */
  write(text: Writable, isNow = false): void {
    if (this.#failed) return;
    this.#texts.push(text);
    this.#backlog += text.length;
    if (this.#isDraining) return;
    this.#isDraining = true;
    if (isNow) this.#step();
    else TURN_END.then(this.#onTurnEnd);
  }

  /** Resolves when little waits to be written; `undefined` when that is so already. */
  ready(): Promise<void> | undefined {
    if (this.#backlog <= this.#highWaterMark || this.#failed) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  /** Resolves when all that was sent is written, or can never be. */
  async flush(): Promise<void> {
    while (this.#isDraining) {
      this.#flushed ??= Promise.withResolvers<void>();
      await this.#flushed.promise;
    }
  }

  /** Writes what the sink has not taken yet, else what waits. With callbacks: promises between cost half a microsecond. */
  #step(): void {
    try {
      if (this.#rest.length === 0) {
        if (this.#texts.length === 0) return this.#end();
        this.#rest = this.#encode(this.#take());
      }
      // A sink that was not typed may give the number itself.
      Promise.resolve(this.#sink.write(this.#rest)).then(this.#onWritten, this.#onFailure);
    } catch {
      this.#onFailure();
    }
  }

  #takeOff(count: number): void {
    const isWhole = count >= this.#rest.length;
    // Not even a number, perhaps: to ask such a sink again would never end.
    if (!isWhole && !(count > 0)) return this.#fail();
    this.#rest = isWhole ? NOTHING : this.#rest.subarray(count);
    if (isWhole) {
      this.#backlog -= this.#length;
      if (this.#backlog <= this.#highWaterMark) this.#release();
    }
    this.#step();
  }

  #fail(): void {
    this.#failed = true;
    this.#texts = [];
    this.#rest = NOTHING;
    this.#backlog = 0;
    this.#broken.resolve();
    this.#end();
  }

  #end(): void {
    this.#isDraining = false;
    this.#release();
    this.#flushed?.resolve();
    this.#flushed = undefined;
  }

  /** Some of what waits, and for how much that counted. */
  #take(): Writable {
    this.#length = 0;
    let count = 0;
    while (count < this.#texts.length && this.#length < MAX_WRITE) {
      this.#length += this.#texts[count]!.length;
      count += 1;
    }
    return this.#texts.length === 1 ? this.#texts.pop()! : this.#texts.splice(0, count).join("");
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

// Lines → bytes, through one writer, so that lines never interleave. What is sent while a write is under way goes out
// in the next one together; a reader that does not read is felt as a backlog, which senders wait for.

import type { ByteSink } from "./bytes.ts";

/** Bounds on what may wait. */
export interface LineWriterOptions {
  /** Text waiting to be written above which senders are asked to wait, in UTF-16 units. */
  readonly highWaterMark: number;
}

/** Most text handed to the sink at once; keeps one write's copy small however much waits. */
const MAX_WRITE = 1 << 20;

/** Writes lines to a sink of bytes. */
export class LineWriter {
  readonly #sink: ByteSink;
  readonly #highWaterMark: number;
  readonly #encoder = new TextEncoder();
  #texts: string[] = [];
  #backlog = 0;
  #draining: Promise<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  readonly #broken = Promise.withResolvers<void>();
  #failed = false;

  /** Takes over the sink: nobody else may write to it. */
  constructor(sink: ByteSink, options: LineWriterOptions) {
    this.#sink = sink;
    this.#highWaterMark = options.highWaterMark;
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
    if (this.#failed) return;
    this.#texts.push(text, "\n");
    this.#backlog += text.length + 1;
    this.#draining ??= this.#drain();
  }

  /** Queues text as it is, for what is not made of lines; it reaches the sink in order, whole. */
  write(text: string): void {
    if (this.#failed) return;
    this.#texts.push(text);
    this.#backlog += text.length;
    this.#draining ??= this.#drain();
  }

  /** Resolves when little waits to be written; `undefined` when that is so already. */
  ready(): Promise<void> | undefined {
    if (this.#backlog <= this.#highWaterMark || this.#failed) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  /** Resolves when all that was sent is written, or can never be. */
  async flush(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    // Waits for the end of this turn, so that answers made in one turn leave in one write.
    await Promise.resolve();
    try {
      while (this.#texts.length > 0) {
        const text = this.#take();
        await this.#writeAll(this.#encoder.encode(text));
        this.#backlog -= text.length;
        if (this.#backlog <= this.#highWaterMark) this.#release();
      }
    } catch {
      this.#failed = true;
      this.#texts = [];
      this.#backlog = 0;
      this.#broken.resolve();
    } finally {
      this.#draining = undefined;
      this.#release();
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) rest = rest.subarray(await this.#sink.write(rest));
  }

  #take(): string {
    if (this.#backlog <= MAX_WRITE) {
      const text = this.#texts.join("");
      this.#texts = [];
      return text;
    }
    let length = 0;
    let count = 0;
    while (count < this.#texts.length && length < MAX_WRITE) {
      length += this.#texts[count]?.length ?? 0;
      count += 1;
    }
    return this.#texts.splice(0, count).join("");
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

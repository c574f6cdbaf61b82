// A tool that does exactly what the test tells it, when the test tells it.

import type { Call, CallEvent } from "../../mod.ts";
import { withDeadline } from "./deadline.ts";
import type { Script } from "./scripted.ts";

/** Yields what it is given until it is finished or canceled. */
export class Led {
  readonly #queue: CallEvent[] = [];
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<"answered" | "aborted">();
  #arrival = Promise.withResolvers<void>();
  #finished = false;

  /** Resolves when the tool runs. */
  readonly started: Promise<void> = this.#started.promise;

  /** What the tool does. */
  readonly run: Script = (call) => this.#run(call);

  /** How the tool ended. */
  get ended(): Promise<"answered" | "aborted"> {
    return withDeadline(this.#ended.promise, () => "The tool did not end");
  }

  /** Lets the tool tell something. */
  emit(...events: readonly CallEvent[]): void {
    this.#queue.push(...events);
    this.#arrival.resolve();
  }

  /** Lets the tool end. */
  finish(...events: readonly CallEvent[]): void {
    this.#finished = true;
    this.emit(...events);
  }

  async *#run({ signal }: Call): AsyncGenerator<CallEvent> {
    signal.addEventListener("abort", () => this.#arrival.resolve(), { once: true });
    this.#started.resolve();
    try {
      while (!signal.aborted) {
        const event = this.#queue.shift();
        if (event !== undefined) yield event;
        else if (this.#finished) return;
        else {
          await this.#arrival.promise;
          this.#arrival = Promise.withResolvers();
        }
      }
    } finally {
      this.#ended.resolve(signal.aborted ? "aborted" : "answered");
    }
  }
}

/** Progress without more words. */
export function progress(value: number): CallEvent {
  return { kind: "progress", progress: value };
}

// Calls that may run side by side, and the bounded queue of those that wait.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/error.ts";
import type { Limits } from "./limits.ts";
import { settlesWithin } from "./race.ts";

/** Longest a reader waits for quick calls; unnoticeable to a person. */
const PATIENCE_MS = 5;

/** Hands out places to run, first come, first served. */
export class Slots {
  readonly #limits: Limits;
  readonly #queue = new Set<Waiter>();
  #running = 0;
  #queuedLength = 0;
  #patient = true;
  #relaxed: PromiseWithResolvers<void> | undefined;

  /** Starts with every place free. */
  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Calls that run now. */
  get running(): number {
    return this.#running;
  }

  /** Calls that wait now. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Takes a place: at once (`undefined`), or when the promise resolves. Every taken place must be released.
   *
   * @throws RpcError when too many wait already; the promise rejects when the signal aborts first.
   */
  acquire(length: number, signal: () => AbortSignal): Promise<void> | undefined {
    if (this.#running < this.#limits.maxConcurrentCalls) {
      this.#running += 1;
      return undefined;
    }
    const { maxQueuedCalls, maxQueuedLength } = this.#limits;
    if (this.#queue.size >= maxQueuedCalls || this.#queuedLength + length > maxQueuedLength) {
      throw new RpcError(
        INTERNAL_ERROR,
        `Server busy: ${this.#running} calls run and ${this.#queue.size} wait; try again later`,
      );
    }
    return this.#wait(length, signal());
  }

  /**
   * When the queue is half full: resolves as it empties, or very soon. A burst of quick calls is worked off this way
   * rather than refused; slow ones make a reader wait once, not once a message.
   */
  relief(): Promise<void> | undefined {
    if (this.#queue.size <= this.#limits.maxQueuedCalls / 2) {
      this.#patient = true;
      return undefined;
    }
    if (!this.#patient) return undefined;
    this.#patient = false;
    this.#relaxed ??= Promise.withResolvers<void>();
    return settlesWithin(this.#relaxed.promise, PATIENCE_MS).then(() => {});
  }

  /** Gives a place back, to the one who waits longest if any. */
  release(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#queue.delete(next);
    next.resolve();
    if (this.#queue.size === 0) {
      this.#patient = true;
      this.#relaxed?.resolve();
      this.#relaxed = undefined;
    }
  }

  async #wait(length: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waiter = Promise.withResolvers<void>();
    const abort = () => {
      if (this.#queue.delete(waiter)) waiter.reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#queue.add(waiter);
    this.#queuedLength += length;
    try {
      await waiter.promise;
    } finally {
      this.#queuedLength -= length;
      signal.removeEventListener("abort", abort);
    }
  }
}

type Waiter = PromiseWithResolvers<void>;

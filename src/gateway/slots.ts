// Calls that may run side by side, and the bounded queue of those that wait.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/error.ts";
import type { Exchange } from "./exchange.ts";
import type { Limits } from "./limits.ts";

/** Hands out places to run, first come, first served. */
export class Slots {
  readonly #limits: Limits;
  readonly #queue = new Set<Waiter>();
  #running = 0;
  #queuedLength = 0;

  /** Starts with every place free. */
  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Calls that run now. */
  get running(): number {
    return this.#running;
  }

  /** Whether the next call would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#limits.maxConcurrentCalls;
  }

  /** Calls that wait now. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Takes a place: at once (`undefined`), or when the promise resolves. Every taken place must be released.
   *
   * @throws RpcError when too many wait already; the promise rejects when the exchange is canceled first.
   */
  acquire(exchange: Exchange): Promise<void> | undefined {
    if (!this.isFull) {
      this.#running += 1;
      return undefined;
    }
    const { maxQueuedCalls, maxQueuedLength } = this.#limits;
    const queuedLength = this.#queuedLength + exchange.length;
    if (this.#queue.size >= maxQueuedCalls || queuedLength > maxQueuedLength) {
      throw new RpcError(
        INTERNAL_ERROR,
        `Server busy: ${this.#running} calls run and ${this.#queue.size} wait; try again later`,
      );
    }
    this.#queuedLength = queuedLength;
    return new Promise((resolve, reject) => {
      const waiter = { length: exchange.length, resolve };
      this.#queue.add(waiter);
      exchange.onCancel((reason) => {
        if (this.#leave(waiter)) reject(reason);
      });
    });
  }

  /** Gives a place back, to the one who waits longest if any. */
  release(): void {
    const next = this.#queue.values().next().value;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#leave(next);
    next.resolve();
  }

  #leave(waiter: Waiter): boolean {
    if (!this.#queue.delete(waiter)) return false;
    this.#queuedLength -= waiter.length;
    return true;
  }
}

interface Waiter {
  readonly length: number;
  readonly resolve: () => void;
}

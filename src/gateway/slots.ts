// Calls that may run side by side, and the bounded queue of those that wait.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/message.ts";
import type { Exchange } from "./exchange.ts";
import type { Limits } from "./limits.ts";
import { Roster, type Seat } from "./roster.ts";

/** How many places there are, and who may wait for one. */
export type SlotLimits = Pick<Limits, "maxConcurrentCalls" | "maxQueuedCalls" | "maxQueuedLength">;

/** Hands out places to run, first come, first served. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #queue = new Roster<Waiter>();
  #running = 0;
  #queuedLength = 0;

  /** Starts with every place free. */
  constructor(limits: SlotLimits) {
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
   * @throws RpcError when too many wait already; the promise rejects when the one who waits is canceled first.
   */
  acquire(claimant: Pick<Exchange, "length" | "onCancel">): Promise<void> | undefined {
    if (!this.isFull) {
      this.#running += 1;
      return undefined;
    }
    const { length } = claimant;
    this.refuseBeyond(length);
    this.#queuedLength += length;
    return new Promise((resolve, reject) => {
      const seat = this.#queue.add({ length, resolve });
      claimant.onCancel((reason) => {
        if (this.#leave(seat)) reject(reason);
      });
    });
  }

  /**
   * Makes sure that a request of this length could run or wait now.
   *
   * @throws RpcError when too many wait already.
   */
  refuseBeyond(length: number): void {
    if (!this.isFull) return;
    const { maxQueuedCalls, maxQueuedLength } = this.#limits;
    if (this.#queue.size < maxQueuedCalls && this.#queuedLength + length <= maxQueuedLength) return;
    throw new RpcError(
      INTERNAL_ERROR,
      `Server busy: ${this.#running} calls run and ${this.#queue.size} wait; try again later`,
    );
  }

  /** Gives a place back, to the one who waits longest if any. */
  release(): void {
    const next = this.#queue.first;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#leave(next);
    next.value.resolve();
  }

  #leave(seat: Seat<Waiter>): boolean {
    if (!this.#queue.delete(seat)) return false;
    this.#queuedLength -= seat.value.length;
    return true;
  }
}

interface Waiter {
  readonly length: number;
  readonly resolve: () => void;
}

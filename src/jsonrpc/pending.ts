// Requests that were sent to the peer and wait for its answer.

import type { RequestId, ResponseOutcome } from "./message.ts";

/** Waits for answers by id; every wait ends with an answer, an abort, or the end of the connection. */
export class PendingRequests {
  readonly #waiting = new Map<RequestId, PromiseWithResolvers<ResponseOutcome>>();
  #next = 0;
  #closed = false;

  /** How many answers are awaited. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Reserves an id and waits for its answer.
   *
   * @throws The signal's reason when it aborts first; a TypeError when the connection has ended.
   */
  open(signal: AbortSignal): { readonly id: RequestId; readonly answer: Promise<ResponseOutcome> } {
    this.#next += 1;
    const id = `bulkhead-${this.#next}`;
    return { id, answer: this.#wait(id, signal) };
  }

  /** Hands an answer to the one who waits; false when nobody does. */
  settle(id: RequestId, outcome: ResponseOutcome): boolean {
    const waiter = this.#waiting.get(id);
    waiter?.resolve(outcome);
    return waiter !== undefined;
  }

  /** Ends every wait: no answer can come any more. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting.values()) waiter.reject(disconnected());
  }

  async #wait(id: RequestId, signal: AbortSignal): Promise<ResponseOutcome> {
    signal.throwIfAborted();
    if (this.#closed) throw disconnected();
    const waiter = Promise.withResolvers<ResponseOutcome>();
    const abort = () => waiter.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.set(id, waiter);
    try {
      return await waiter.promise;
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener("abort", abort);
    }
  }
}

function disconnected(): TypeError {
  return new TypeError("Cannot ask the client: it has disconnected");
}

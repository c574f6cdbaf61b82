// Open requests by id: the peer's own, and those that were sent to it and wait for its answer.

import type { RequestId, ResponseOutcome } from "./message.ts";

/**
 * Values by id, for ids that come and go without end. A `Map` would do, but each time V8 makes its table anew, the old
 * one refers to the new: an old one that outlived a major collection then keeps all that ever follow, with their values,
 * until the next. With 16 requests in flight that doubled the cost of a request.
 */
export class IdTable<Value> {
  // Numbers are kept under themselves and strings behind a letter, so that `1` and `"1"` are two.
  readonly #values: Record<RequestId, Value> = Object.create(null);
  #size = 0;

  /** How many ids are known. */
  get size(): number {
    return this.#size;
  }

  /** Whether an id is known. */
  has(id: RequestId): boolean {
    return toKey(id) in this.#values;
  }

  /** The value of an id, if it is known. */
  get(id: RequestId): Value | undefined {
    return this.#values[toKey(id)];
  }

  /** Keeps a value, in place of the one its id had. */
  set(id: RequestId, value: Value): void {
    const key = toKey(id);
    if (!(key in this.#values)) this.#size += 1;
    this.#values[key] = value;
  }

  /** Forgets an id. */
  delete(id: RequestId): void {
    const key = toKey(id);
    if (!(key in this.#values)) return;
    this.#size -= 1;
    delete this.#values[key];
  }

  /** All values now. */
  values(): readonly Value[] {
    return Object.values(this.#values);
  }
}

function toKey(id: RequestId): RequestId {
  return typeof id === "number" ? id : `s${id}`;
}

/** Waits for answers by id; every wait ends with an answer, an abort, or the end of the connection. */
export class PendingRequests {
  readonly #waiting = new IdTable<PromiseWithResolvers<ResponseOutcome>>();
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

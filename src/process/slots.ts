// Bounds how many launches of one program run at a time. Waiting is bounded too: a caller beyond the queue is told so
// at once.

/** Callers that may wait for one program; more than that is a flood, not a burst. */
const MAX_WAITING = 64;

/** A counted set of places; `release` must be called once for each place taken. */
export class Slots {
  #free: number;
  readonly #waiting: { readonly resolve: () => void }[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place if there is one now. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a place, waiting for one if there is none. Tells what came of it. */
  async acquire(signal: AbortSignal): Promise<"acquired" | "canceled" | "full"> {
    if (signal.aborted) return "canceled";
    if (this.tryAcquire()) return "acquired";
    if (this.#waiting.length >= MAX_WAITING) return "full";
    const { promise, resolve } = Promise.withResolvers<"acquired" | "canceled">();
    const entry = { resolve: () => resolve("acquired") };
    this.#waiting.push(entry);
    const onAbort = () => {
      const index = this.#waiting.indexOf(entry);
      if (index !== -1) this.#waiting.splice(index, 1);
      resolve("canceled");
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Gives a place back, to the longest waiting caller if there is one. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}

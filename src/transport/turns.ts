// Turns of the event loop, a few takers each, so that many who always have something to do leave time for the rest.

/** Small, because Deno looks for news from the system only every 61 rounds of its own. */
const PER_TURN = 4;
/** Those who have had their turn are cleared away together. */
const MAX_PAST = 1024;

/** A queue that moves with the event loop. */
export class Turns {
  #queue: (() => void)[] = [];
  /** Of the queue, how many have had their turn. */
  #past = 0;
  #isScheduled = false;
  readonly #pass = (): void => this.#letPass();

  /** Resolves when it is the caller's turn, behind all who wait. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#pass);
  }

  #letPass(): void {
    this.#isScheduled = false;
    const end = Math.min(this.#past + PER_TURN, this.#queue.length);
    while (this.#past < end) {
      this.#queue[this.#past]?.();
      this.#past += 1;
    }
    if (this.#past === this.#queue.length) {
      this.#queue = [];
      this.#past = 0;
      return;
    }
    if (this.#past >= MAX_PAST) {
      this.#queue.splice(0, this.#past);
      this.#past = 0;
    }
    this.#schedule();
  }
}

// Turns for a crowd that always has something to do: so many go at once, the next when the system was asked for news.

/** How many go between two looks: a read and a write each are as much as Deno does in a row, and nobody is put off. */
const PER_LOOK = 64;
/** Deno looks for news from the system at the latest after so many turns of its event loop. */
const TURNS_A_LOOK = 61;
/** Those who have had their turn are cleared away together. */
const MAX_PAST = 1024;

/** A queue that moves on whenever Deno has surely looked for news; without a crowd nobody waits. */
export class Turns implements Disposable {
  #queue: (() => void)[] = [];
  /** Of the queue, how many have had their turn. */
  #past = 0;
  /** How many may still go before the next look; none while somebody waits. */
  #left: number;
  /** Turns of the event loop for which somebody has waited. */
  #turns = 0;
  /** There while somebody waits. */
  #immediate: ReturnType<typeof setImmediate> | undefined;
  readonly #onTurn = (): void => this.#turn();
  readonly #perLook: number;

  /** Lets so many go between two looks. */
  constructor(perLook: number = PER_LOOK) {
    this.#perLook = perLook;
    this.#left = perLook;
  }

  /** Resolves when it is the caller's turn, behind all who wait; `undefined` when that is now. */
  next(): Promise<void> | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#immediate ??= setImmediate(this.#onTurn);
    });
  }

  /** Whoever still waits gets no turn any more. */
  [Symbol.dispose](): void {
    clearImmediate(this.#immediate);
    this.#queue = [];
  }

  #turn(): void {
    this.#turns += 1;
    if (this.#turns === TURNS_A_LOOK) {
      this.#turns = 0;
      this.#letPass();
    }
    this.#immediate = this.#queue.length > 0 ? setImmediate(this.#onTurn) : undefined;
  }

  #letPass(): void {
    const end = Math.min(this.#past + this.#perLook, this.#queue.length);
    this.#left = this.#perLook - (end - this.#past);
    for (; this.#past < end; this.#past++) this.#queue[this.#past]?.();
    if (this.#past === this.#queue.length) {
      this.#queue = [];
      this.#past = 0;
    } else if (this.#past >= MAX_PAST) {
      this.#queue.splice(0, this.#past);
      this.#past = 0;
    }
  }
}

// Numbers that look random and are the same for the same seed, so that a failure can be repeated.

/** A seeded generator (mulberry32). */
export class Dice {
  #state: number;

  /** Starts the sequence of this seed. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * bound);
  }

  /** One of the items; there must be one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** True about once in `count` times. */
  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }
}

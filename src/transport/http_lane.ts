// The lane of long bodies: to parse one takes up to half a second in which nobody else is served, so that only one is
// taken before those are heard who ask for little.

import type { BodyBudget } from "./http_body.ts";
import { Turns } from "./turns.ts";

/** The longest body that does not have to wait, in UTF-16 units: a few milliseconds. */
const MAX_SHORT = 64 * 1024;

/** Lets long bodies pass one by one. */
export class BodyLane implements Disposable {
  readonly #budget: BodyBudget;
  readonly #turns = new Turns(1);

  /** What waits counts as a body that is still being read. */
  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /**
   * Resolves when it is the turn of a body of this length; `undefined` when that is now, as for every short one, and
   * "full" when there is no room for it to wait.
   */
  next(length: number): Promise<void> | "full" | undefined {
    const turn = length > MAX_SHORT ? this.#turns.next() : undefined;
    if (turn === undefined) return undefined;
    if (!this.#budget.take(length)) return "full";
    return turn.then(() => this.#budget.give(length));
  }

  /** Whatever waits is taken no more. */
  [Symbol.dispose](): void {
    this.#turns[Symbol.dispose]();
  }
}

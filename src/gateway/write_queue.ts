// What a store is told of things that change, by name: one change of a thing at a time, so that none overtakes another,
// and the newest of those that wait. A store that never answers is given up; what it does long after is set right.

import { answersWithin, type Patience } from "./limits.ts";
import type { Eventually } from "./store.ts";

/** Tells the store where a thing stands. Resolves when that is done or has failed, however late; never rejects. */
export type Change = () => Eventually<void>;

/** The changes of one thing. */
interface Line {
  /** The last one asked for. */
  newest: Change;
  /** Waits until the one under way is done, or given up. */
  next: Change | undefined;
  /** Whether no other will come. */
  isLast: boolean;
  /** Those that were given up and may still be done. */
  late: number;
  /** Resolves when none is under way. */
  done: Promise<void> | undefined;
}

/** Makes changes in order. */
export class WriteQueue {
  readonly #patience: Patience;
  readonly #lines = new Map<string, Line>();

  /** Waits so long for each change. */
  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Whether the store was told something of this thing and may not have it yet. */
  isOpen(name: string): boolean {
    return this.#lines.has(name);
  }

  /** Resolves when the store has what it was told of this thing, or was given up; `undefined` when that is so. */
  settled(name: string): Promise<void> | undefined {
    return this.#lines.get(name)?.done;
  }

  /** Resolves when the store has all that it was told, or was given up. */
  async written(): Promise<void> {
    await Promise.all([...this.#lines.values()].map(({ done }) => done));
  }

  /** Makes a change, the last one of this thing or not; resolves in time, or is `undefined` when it is made. */
  write(name: string, change: Change, isLast = false): Promise<void> | undefined {
    const known = this.#lines.get(name);
    const line = known ?? { newest: change, next: undefined, isLast, late: 0, done: undefined };
    line.newest = change;
    line.isLast = isLast;
    if (line.done !== undefined) {
      line.next = change;
      return line.done;
    }
    const work = change();
    if (!(work instanceof Promise)) return undefined;
    this.#lines.set(name, line);
    return line.done = this.#follow(name, line, { change, work });
  }

  /** No more will be told of this thing. */
  leave(name: string): void {
    const line = this.#lines.get(name);
    if (line === undefined) return;
    line.isLast = true;
    this.#tidy(name, line);
  }

  /** Waits for a change and makes those that wait for it. */
  async #follow(name: string, line: Line, first: Begun): Promise<void> {
    for (let begun: Begun | undefined = first; begun !== undefined; begun = takeNext(line)) {
      const { change, work } = begun;
      try {
        await answersWithin(work, this.#patience);
      } catch {
        line.late += 1;
        Promise.resolve(work).then(() => this.#setRight(name, line, change));
      }
    }
    line.done = undefined;
    this.#tidy(name, line);
  }

  /** A change that was given up was made after all, perhaps behind one that came after it. */
  #setRight(name: string, line: Line, change: Change): void {
    line.late -= 1;
    if (change === line.newest) this.#tidy(name, line);
    else this.write(name, line.newest, line.isLast);
  }

  #tidy(name: string, line: Line): void {
    if (line.done !== undefined || this.#lines.get(name) !== line) return;
    // A thing that is gone is not remembered for a store that may never answer.
    if (line.late === 0 || line.isLast) this.#lines.delete(name);
  }
}

/** A change under way. */
interface Begun {
  readonly change: Change;
  readonly work: Eventually<void>;
}

function takeNext(line: Line): Begun | undefined {
  const { next: change } = line;
  line.next = undefined;
  return change === undefined ? undefined : { change, work: change() };
}

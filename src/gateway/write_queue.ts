// What a store is told of things that change, by name: one change of a thing at a time, so that none overtakes another,
// and the newest of those that wait. A store that never answers is given up; what it does long after is set right.

import { answersWithin, type Patience } from "./limits.ts";
import type { Eventually } from "./store.ts";

/** Tells the store where a thing stands. Resolves when that is done or has failed, however late; never rejects. */
export type Change = () => Eventually<void>;

const EXPECTED_MS = 60_000;

/** The changes of one thing. */
interface Line {
  /** The last one asked for, and whether no other will be. */
  newest: Change;
  isLast: boolean;
  /** Resolves when the one under way is made or given up. */
  current: Promise<void> | undefined;
  /** Waits for that. */
  next: { change: Change; readonly done: Promise<void> } | undefined;
  /** Those that were given up and may still be made, and until when that is expected. */
  late: number;
  expectedUntil: number;
}

/** How changes are waited for. */
export interface WriteQueueOptions {
  readonly patience: Patience;
  /** Hears of a store that was given up. */
  readonly report: (error: unknown) => void;
  /** How long a change that was given up is still expected to be made; a minute unless given. */
  readonly expectedMs?: number;
}

/** Makes changes in order. */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #lines = new Map<string, Line>();

  /** Starts with nothing to tell. */
  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** Whether the store was told something of this thing and may not have it yet. */
  isOpen(name: string): boolean {
    const line = this.#lines.get(name);
    if (line === undefined) return false;
    return line.current !== undefined || performance.now() < line.expectedUntil;
  }

  /** Resolves when the store has what it was told of this thing, or was given up; `undefined` when that is so. */
  settled(name: string): Promise<void> | undefined {
    const line = this.#lines.get(name);
    return line?.next?.done ?? line?.current;
  }

  /** Resolves when the store has all that it was told so far, or was given up: after twice the time for one change. */
  async written(): Promise<void> {
    await Promise.all([...this.#lines.values()].map(({ next, current }) => next?.done ?? current));
  }

  /** Makes a change, the last one of this thing or not; resolves in time, or is `undefined` when it is made. */
  write(name: string, change: Change, isLast = false): Promise<void> | undefined {
    const line = this.#lines.get(name) ?? createLine(change);
    line.newest = change;
    line.isLast = isLast;
    if (line.current === undefined) return this.#begin(name, line, change);
    if (line.next === undefined) {
      line.next = { change, done: line.current.then(() => this.#beginNext(name, line)) };
    } else {
      line.next.change = change;
    }
    return line.next.done;
  }

  /** No more will be told of this thing. */
  leave(name: string): void {
    const line = this.#lines.get(name);
    if (line === undefined) return;
    line.isLast = true;
    this.#tidy(name, line);
  }

  #begin(name: string, line: Line, change: Change): Promise<void> | undefined {
    const work = attempt(change);
    line.current = work instanceof Promise ? this.#follow(name, line, { change, work }) : undefined;
    if (line.current === undefined) this.#tidy(name, line);
    else this.#lines.set(name, line);
    return line.current;
  }

  #beginNext(name: string, line: Line): Promise<void> | undefined {
    const { next } = line;
    line.next = undefined;
    return next === undefined ? undefined : this.#begin(name, line, next.change);
  }

  /** Waits for a change that has begun. */
  async #follow(name: string, line: Line, begun: Begun): Promise<void> {
    const { change, work } = begun;
    const { patience, report, expectedMs = EXPECTED_MS } = this.#options;
    try {
      await answersWithin(work, patience);
    } catch (error) {
      attempt(() => report(error));
      line.late += 1;
      line.expectedUntil = performance.now() + expectedMs;
      const setRight = () => this.#setRight(name, line, change);
      work.then(setRight, setRight);
    }
    // The next one follows at once, and until then stands behind this one.
    if (line.next !== undefined) return;
    line.current = undefined;
    this.#tidy(name, line);
  }

  /** A change that was given up was made after all, perhaps behind one that came after it. */
  #setRight(name: string, line: Line, change: Change): void {
    line.late -= 1;
    if (line.late === 0) line.expectedUntil = 0;
    if (change === line.newest) this.#tidy(name, line);
    else this.write(name, line.newest, line.isLast);
  }

  #tidy(name: string, line: Line): void {
    if (line.current !== undefined || this.#lines.get(name) !== line) return;
    // A thing that is gone is not remembered for a store that may never answer.
    if (line.late === 0 || line.isLast) this.#lines.delete(name);
  }
}

/** A change under way. */
interface Begun {
  readonly change: Change;
  readonly work: Promise<void>;
}

function createLine(newest: Change): Line {
  return {
    newest,
    isLast: false,
    current: undefined,
    next: undefined,
    late: 0,
    expectedUntil: 0,
  };
}

/** What throws is over, be it a log that cannot be written: whoever made it has said so where that matters. */
function attempt(work: Change): Eventually<void> {
  try {
    return work();
  } catch {
    return undefined;
  }
}

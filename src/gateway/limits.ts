// Every bound of the core in one place, with its reason, and waiting no longer than one. `docs/limits.md` lists the
// bounds for users.

/** Bounds of a gateway and its connections. */
export interface Limits {
  /** Longest message taken from a client. */
  readonly maxLineBytes: number;
  /** Deepest nesting of a message. */
  readonly maxDepth: number;
  /** Values in one message; parsed, each costs memory whatever its length. */
  readonly maxValues: number;
  /** Messages in one batch (2025-03-26 only). */
  readonly maxBatch: number;
  /** Requests of one client that may be under way besides the calls that wait: what runs, lists or listens. */
  readonly maxOpenRequests: number;
  /** Calls that run side by side. */
  readonly maxConcurrentCalls: number;
  /** Calls that may wait for their turn. */
  readonly maxQueuedCalls: number;
  /** Text of requests that may wait for their turn, in characters. */
  readonly maxQueuedLength: number;
  /** Progress and log notifications per call within any minute. */
  readonly maxNotificationsPerMinute: number;
  /** Longest result of a request, in characters. */
  readonly maxResultLength: number;
  /** Resources that one client may watch. */
  readonly maxSubscriptions: number;
  /** Longest request to listen, and what a watched resource may be named, in characters. */
  readonly maxListenLength: number;
  /** Text that is kept for all who listen: their requests and the names of what they watch, in characters. */
  readonly maxListeningLength: number;
  /** Text waiting for a client that does not read, above which nothing more is taken from it. */
  readonly maxBacklogLength: number;
  /** How long work may go on after the client has left. */
  readonly graceMs: number;
  /** How long an activation may take to list its resources or prompts; longer than its client may to tell its roots. */
  readonly listTimeoutMs: number;
  /** How long a list that could not be had is left alone. */
  readonly listRetryMs: number;
  /** How long a question to the client may stay unanswered; people need minutes. */
  readonly askTimeoutMs: number;
  /** How long `requestState` of the stateless wire is honoured. */
  readonly requestStateMs: number;
  /** Tasks that are kept for one owner, running and ended. */
  readonly maxTasksPerOwner: number;
  /** Tasks that are kept in all. */
  readonly maxTasks: number;
  /** Tasks that run side by side; they have places of their own, so that calls never wait for them. */
  readonly maxConcurrentTasks: number;
  /** Text of the results that are kept for ended tasks together, in characters. */
  readonly maxTaskResultsLength: number;
  /** How long after its creation a task may run and be asked for. */
  readonly taskTtlMs: number;
  /** How long after its end a task can be asked for at least. */
  readonly taskKeepMs: number;
  /** How often a client should ask for a task whose tool does not say. */
  readonly taskPollMs: number;
  /** How long a store of sessions or tasks may take before it counts as one that fails. */
  readonly storeTimeoutMs: number;
  /** How long after `shutdown` the server waits for `exit`. */
  readonly exitTimeoutMs: number;
}

const MEBI = 1024 * 1024;

/** The bounds in force unless a person chose others. */
export const DEFAULT_LIMITS: Limits = {
  maxLineBytes: 10 * MEBI,
  maxDepth: 128,
  maxValues: 500_000,
  maxBatch: 1000,
  maxOpenRequests: 1024,
  maxConcurrentCalls: 16,
  maxQueuedCalls: 1024,
  maxQueuedLength: 64 * MEBI,
  maxNotificationsPerMinute: 100,
  maxResultLength: 10 * MEBI,
  maxSubscriptions: 1000,
  maxListenLength: 64 * 1024,
  maxListeningLength: 32 * MEBI,
  maxBacklogLength: MEBI / 4,
  // The official clients wait two seconds after closing stdin before they send a signal.
  graceMs: 1500,
  listTimeoutMs: 10_000,
  listRetryMs: 10_000,
  askTimeoutMs: 10 * 60_000,
  requestStateMs: 10 * 60_000,
  maxTasksPerOwner: 256,
  maxTasks: 1024,
  maxConcurrentTasks: 32,
  maxTaskResultsLength: 64 * MEBI,
  taskTtlMs: 60 * 60_000,
  taskKeepMs: 10 * 60_000,
  taskPollMs: 1000,
  storeTimeoutMs: 5000,
  exitTimeoutMs: 5000,
};

/** The part of everything that one party must leave to the others. */
const LEFT_TO_OTHERS = 1 / 8;

/** What one party may have of everything: not all, unless that would be nothing. */
export function shareOf(total: number): number {
  return total < 2 ? total : total - Math.max(1, Math.floor(total * LEFT_TO_OTHERS));
}

/** An amount that several owners share; none of them may have all, but one who has no name is alone. */
export class Allowance {
  readonly #total: number;
  readonly #owned = new Map<string, number>();
  #taken = 0;

  /** Starts with nothing taken. */
  constructor(total: number) {
    this.#total = total;
  }

  /** Takes part of it; false when there is not so much left, or not for this owner. */
  take(owner: string, amount: number): boolean {
    const owned = (this.#owned.get(owner) ?? 0) + amount;
    const most = owner === "" ? this.#total : shareOf(this.#total);
    if (owned > most || this.#taken + amount > this.#total) return false;
    this.#owned.set(owner, owned);
    this.#taken += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(owner: string, amount: number): void {
    const owned = (this.#owned.get(owner) ?? 0) - amount;
    if (owned > 0) this.#owned.set(owner, owned);
    else this.#owned.delete(owner);
    this.#taken -= amount;
  }
}

/** Of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves when `work` settles, or after `timeoutMs`; tells whether `work` was in time. */
export async function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    return await Promise.race([work.then(() => true, () => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whose answer is waited for, and how long. */
export interface Patience {
  /** Begins a sentence, such as "The store". */
  readonly who: string;
  readonly timeoutMs: number;
}

/** What somebody else's work comes to; rejects when that takes too long. Keeps no process alive: whoever asks does. */
export function answersWithin<Value>(
  work: Value | Promise<Value>,
  { who, timeoutMs }: Patience,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const late = () => reject(new Error(`${who} gave no answer within ${timeoutMs} ms`));
  const timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MS));
  Deno.unrefTimer(timer);
  Promise.resolve(work).then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** Resolves when the signal aborts, at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

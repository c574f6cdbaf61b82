// Where tasks are kept: data only, so that a store which several servers share can stand here too. This one lives and
// ends with its process, and is bounded in every direction.

import { INTERNAL_ERROR, type JsonObject, RpcError } from "../jsonrpc/message.ts";
import type { Task, TaskState } from "../mcp/model.ts";
import type { Limits } from "./limits.ts";

/** Keeps tasks for their owners. */
export interface TaskStore {
  /**
   * Keeps a new task; when the promise resolves, it can be found.
   *
   * @throws RpcError when nothing can make room for it.
   */
  create(owner: string, task: Task): Promise<void>;
  /** The task as it stands, if there is one of this owner that has not expired. */
  find(taskId: string, owner: string): Promise<Task | undefined>;
  /** Replaces a task, unless it has ended or is gone. */
  update(task: Task): Promise<void>;
  /** Lets go of tasks that have expired. */
  sweep(): Promise<Sweeping>;
  /** Makes a server one of those that share the tasks, until it is disposed of. */
  join(server: TaskServer): Disposable;
  /** Tells the other servers where a task stands now. */
  tell(task: Task, from: TaskServer): Promise<void>;
  /**
   * Hands an order to that of the other servers at which the task runs; false when it runs at none.
   *
   * @throws RpcError what that server has against it.
   */
  order(taskId: string, order: TaskOrder, from: TaskServer): Promise<boolean>;
}

/** What is wanted of a running task. */
export type TaskOrder =
  | { readonly kind: "answer"; readonly responses: JsonObject }
  | { readonly kind: "cancel"; readonly reason: string };

/** One of the servers that share the tasks of a store. */
export interface TaskServer {
  /** Hears where a task of another server stands now. */
  hear(task: Task): void;
  /** Takes an order for a task that runs here; `undefined` when it does not. */
  take(taskId: string, order: TaskOrder): Promise<void> | undefined;
}

/** What became of the tasks of a store. */
export interface Sweeping {
  /** Those that are gone. */
  readonly expired: readonly string[];
  /** How many are still there. */
  readonly left: number;
}

/** The bounds of a store. */
export type TaskStoreLimits = Pick<
  Limits,
  "maxTasks" | "maxTasksPerOwner" | "maxTaskResultsLength"
>;

interface Entry {
  readonly owner: string;
  task: Task;
  /** Characters of its result, once it has one. */
  length: number;
}

/** Keeps tasks in memory. */
export class MemoryTaskStore implements TaskStore {
  readonly #limits: TaskStoreLimits;
  readonly #now: () => number;
  /** In the order of their creation. */
  readonly #entries = new Map<string, Entry>();
  readonly #servers = new Set<TaskServer>();
  #length = 0;

  /** Starts empty; `now` tells milliseconds since 1970. */
  constructor(limits: TaskStoreLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** How many tasks are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** Characters of all results that are kept. */
  get length(): number {
    return this.#length;
  }

  /** Keeps a new task; the oldest ended one of its owner, or of anyone, gives way where there is no room. */
  create(owner: string, task: Task): Promise<void> {
    const own = [...this.#entries.values()].filter((entry) => entry.owner === owner);
    const overOwn = own.length >= this.#limits.maxTasksPerOwner;
    if (overOwn || this.#entries.size >= this.#limits.maxTasks) {
      const candidates = overOwn ? own : [...own, ...this.#entries.values()];
      const oldest = candidates.find((entry) => isEnded(entry.task.state));
      if (oldest === undefined) {
        return Promise.reject(tooManyTasks(overOwn ? own.length : this.#entries.size));
      }
      this.#remove(oldest.task.taskId);
    }
    this.#entries.set(task.taskId, { owner, task, length: 0 });
    return Promise.resolve();
  }

  /** The task as it stands. That it is another's is not told apart from that there is none. */
  find(taskId: string, owner: string): Promise<Task | undefined> {
    const entry = this.#entries.get(taskId);
    const found = entry !== undefined && entry.owner === owner && !this.#hasExpired(entry.task);
    return Promise.resolve(found ? entry.task : undefined);
  }

  /** Replaces a task; where there is no room for all results, the oldest of whoever has most give way. */
  update(task: Task): Promise<void> {
    const entry = this.#entries.get(task.taskId);
    if (entry === undefined || isEnded(entry.task.state)) return Promise.resolve();
    entry.task = task;
    entry.length = lengthOf(task.state);
    this.#length += entry.length;
    while (this.#length > this.#limits.maxTaskResultsLength) {
      const oldest = this.#findOldest(entry, this.#findGreediest()) ?? this.#findOldest(entry);
      if (oldest === undefined) break;
      this.#remove(oldest.task.taskId);
    }
    return Promise.resolve();
  }

  /** Lets go of tasks that have expired. */
  sweep(): Promise<Sweeping> {
    const expired = [...this.#entries.values()].map((entry) => entry.task)
      .filter((task) => this.#hasExpired(task))
      .map((task) => task.taskId);
    for (const taskId of expired) this.#remove(taskId);
    return Promise.resolve({ expired, left: this.#entries.size });
  }

  /** Makes a server of this process one of those that share the tasks. */
  join(server: TaskServer): Disposable {
    this.#servers.add(server);
    return { [Symbol.dispose]: () => this.#servers.delete(server) };
  }

  /** Tells the other servers where a task stands now. */
  tell(task: Task, from: TaskServer): Promise<void> {
    for (const server of this.#servers) {
      if (server !== from) server.hear(task);
    }
    return Promise.resolve();
  }

  /** Hands an order to the server at which the task runs. */
  async order(taskId: string, order: TaskOrder, from: TaskServer): Promise<boolean> {
    for (const server of this.#servers) {
      const taken = server === from ? undefined : server.take(taskId, order);
      if (taken === undefined) continue;
      await taken;
      return true;
    }
    return false;
  }

  /** The owner whose results are longest. */
  #findGreediest(): string | undefined {
    const lengths = new Map<string, number>();
    for (const { owner, length } of this.#entries.values()) {
      lengths.set(owner, (lengths.get(owner) ?? 0) + length);
    }
    const [greediest] = [...lengths].sort(([, one], [, other]) => other - one);
    return greediest?.[0];
  }

  /** The oldest result besides this, of an owner or of anyone. */
  #findOldest(except: Entry, owner?: string): Entry | undefined {
    for (const entry of this.#entries.values()) {
      const isOwned = owner === undefined || entry.owner === owner;
      if (isOwned && entry.length > 0 && entry !== except) return entry;
    }
    return undefined;
  }

  #hasExpired({ createdAt, ttlMs }: Task): boolean {
    return this.#now() >= createdAt + ttlMs;
  }

  #remove(taskId: string): void {
    this.#length -= this.#entries.get(taskId)?.length ?? 0;
    this.#entries.delete(taskId);
  }
}

/** Whether a task stays as it is. */
export function isEnded({ status }: TaskState): boolean {
  return status !== "working" && status !== "input_required";
}

function lengthOf(state: TaskState): number {
  switch (state.status) {
    case "completed":
      return JSON.stringify(state.result).length;
    case "failed":
      return JSON.stringify(state.error).length;
    default:
      return 0;
  }
}

/** Refuses a further task. */
export function tooManyTasks(count: number): RpcError {
  return new RpcError(
    INTERNAL_ERROR,
    `Server busy: ${count} tasks are under way; wait for one to end, or cancel one`,
  );
}

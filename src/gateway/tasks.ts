// The tasks of a gateway: opened by calls that go on by themselves, then asked for, answered, canceled and watched by
// their owners, until they expire.

import { invalidParams, type JsonObject } from "../jsonrpc/message.ts";
import type { Result, Task } from "../mcp/model.ts";
import { parseOptionalObject, parseString } from "../mcp/params.ts";
import type { SchemaValidator } from "../router/validation.ts";
import { Allowance, type Limits } from "./limits.ts";
import type { Log } from "./log.ts";
import { RunningTask, type TaskWork } from "./running_task.ts";
import { Slots } from "./slots.ts";
import { SturdyTaskStore } from "./sturdy_task_store.ts";
import {
  isEnded,
  MemoryTaskStore,
  type Sweeping,
  type TaskOrder,
  type TaskServer,
  type TaskStore,
  tooManyTasks,
} from "./task_store.ts";

/** What the tasks of a gateway are made of. */
export interface TasksOptions {
  readonly limits: Limits;
  readonly validator: SchemaValidator;
  readonly log: Log;
  readonly store?: TaskStore;
  readonly now?: () => number;
}

/** Hears each new state of a task. */
export interface TaskWatcher {
  hear(task: Task): void;
}

/** Requests about tasks. */
export type TaskMethod = "tasks/get" | "tasks/update" | "tasks/cancel";

/** Bytes of an id: none can be found by trying. */
const ID_BYTES = 24;

/** Expired tasks go within this share of the time that they live. */
const SWEEPS_A_LIFE = 8;

const EMPTY: Result = { kind: "empty" };

const UNWANTED = "the client wants it no more";

/** All tasks: those that run here, and through the store those of servers that share it. */
export class Tasks implements TaskServer, Disposable {
  readonly slots: Slots;
  readonly #options: TasksOptions;
  readonly #store: SturdyTaskStore;
  readonly #now: () => number;
  readonly #running = new Map<string, RunningTask>();
  /** Characters of the requests of running tasks. */
  readonly #kept: Allowance;
  readonly #watchers = new Map<string, Set<TaskWatcher>>();
  readonly #membership: Disposable;
  #sweeping: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  /** Starts with none. */
  constructor(options: TasksOptions) {
    const { limits } = options;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const store = options.store ?? new MemoryTaskStore(limits, this.#now);
    this.#store = new SturdyTaskStore(store, options.log, limits.storeTimeoutMs);
    this.#membership = this.#store.join(this);
    this.#kept = new Allowance(limits.maxQueuedLength);
    this.slots = new Slots({
      maxConcurrentCalls: limits.maxConcurrentTasks,
      maxQueuedCalls: limits.maxTasks,
      maxQueuedLength: limits.maxQueuedLength,
    });
  }

  /** Tasks whose calls have not ended. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Opens a task for a call that is under way; it can be asked for when the promise resolves.
   *
   * @throws RpcError when there is no room for another.
   */
  async open(work: TaskWork, retryMs: number | undefined): Promise<RunningTask> {
    const { owner } = work.exchange;
    this.slots.refuseBeyond(work.exchange);
    // A task keeps its request, as a call that waits does; so there is as much room for them.
    if (!this.#kept.take(owner, work.exchange.length)) throw tooManyTasks(this.#running.size);
    try {
      return await this.#open(work, retryMs);
    } catch (error) {
      this.#kept.give(owner, work.exchange.length);
      throw error;
    }
  }

  async #open(work: TaskWork, retryMs: number | undefined): Promise<RunningTask> {
    const { limits, validator } = this.#options;
    await this.#sweep();
    const now = this.#now();
    const running = new RunningTask({
      task: {
        taskId: createId(),
        createdAt: now,
        updatedAt: now,
        ttlMs: limits.taskTtlMs,
        pollIntervalMs: toInterval(retryMs, limits),
        state: { status: "working" },
      },
      work,
      validator,
      keepMs: limits.taskKeepMs,
      now: this.#now,
      record: (task, isNews) => this.#record(task, isNews),
    });
    const { taskId } = running.task;
    await this.#store.create(work.exchange.owner, running.task);
    this.#running.set(taskId, running);
    if (this.#disposed) running.cancel("the server has ended");
    else this.#sweepLater();
    return running;
  }

  /**
   * Answers a request about a task.
   *
   * @throws RpcError -32602 for malformed parameters, or when the owner has no such task.
   */
  async handle(method: TaskMethod, owner: string, params: JsonObject): Promise<Result> {
    const taskId = parseString(params, "taskId");
    const responses = parseOptionalObject(params, "inputResponses");
    const task = await this.#store.find(taskId, owner);
    if (task === undefined) {
      throw invalidParams("Unknown task: it has expired, or there never was one with this id");
    }
    switch (method) {
      case "tasks/get":
        return { kind: "task", task };
      case "tasks/update":
        await this.#order(task, { owner, order: { kind: "answer", responses } });
        return EMPTY;
      case "tasks/cancel":
        await this.#order(task, { owner, order: { kind: "cancel", reason: UNWANTED } });
        return EMPTY;
    }
  }

  /** Takes an order for a task that runs here; `undefined` when it does not. */
  take(taskId: string, order: TaskOrder): Promise<void> | undefined {
    const running = this.#running.get(taskId);
    // One that has just ended stays as it is; what the store knows of it must not come before that.
    return running === undefined ? this.#store.settled(taskId) : this.#obey(running, order);
  }

  /** Tells the watchers of a task, wherever it runs. */
  hear(task: Task): void {
    for (const watcher of this.#watchers.get(task.taskId) ?? []) watcher.hear(task);
  }

  /** The task as it stands, if the owner has it and the store can tell. */
  async find(taskId: string, owner: string): Promise<Task | undefined> {
    try {
      return await this.#store.find(taskId, owner);
    } catch (error) {
      this.#store.report(error);
      return undefined;
    }
  }

  /** Tells a watcher of a task from now on; false when the owner has no such task. */
  async watch(taskId: string, owner: string, watcher: TaskWatcher): Promise<boolean> {
    if (await this.#store.find(taskId, owner) === undefined) return false;
    const watchers = this.#watchers.get(taskId) ?? new Set();
    this.#watchers.set(taskId, watchers.add(watcher));
    return true;
  }

  /** Tells a watcher nothing any more. */
  leave(watcher: TaskWatcher): void {
    for (const [taskId, watchers] of this.#watchers) {
      if (watchers.delete(watcher) && watchers.size === 0) this.#watchers.delete(taskId);
    }
  }

  /** Resolves when the store has taken all that it was told. */
  written(): Promise<void> {
    return this.#store.written();
  }

  /** Ends every call behind a task: nobody can ask for its result any more. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#sweeping);
    for (const running of [...this.#running.values()]) running.cancel("the server has ended");
    this.#watchers.clear();
    this.#membership[Symbol.dispose]();
  }

  /** Called by a running task in the order of its states; the store keeps that order. */
  #record(task: Task, isNews: boolean): void {
    if (isEnded(task.state)) this.#forget(task.taskId);
    const updated = this.#store.update(task);
    if (!isNews) return;
    this.hear(task);
    // Who hears of it elsewhere may ask the store at once.
    updated.then(() => this.#store.tell(task, this));
  }

  async #obey(running: RunningTask, order: TaskOrder): Promise<void> {
    if (order.kind === "answer") await running.answer(order.responses);
    else running.cancel(order.reason);
    await this.#store.settled(running.task.taskId);
  }

  /** Hands an order to whoever runs the task. */
  async #order(
    task: Task,
    { owner, order }: { readonly owner: string; readonly order: TaskOrder },
  ): Promise<void> {
    const { taskId } = task;
    const taken = this.take(taskId, order);
    if (taken !== undefined) return await taken;
    if (await this.#store.order(taskId, order, this) || order.kind === "answer") return;
    // The server that ran it is gone, or the task has ended meanwhile, and then stays as it is.
    await this.#store.update({ ...task, updatedAt: this.#now(), state: { status: "cancelled" } });
    const stands = await this.#store.find(taskId, owner);
    if (stands === undefined) return;
    this.hear(stands);
    await this.#store.tell(stands, this);
  }

  #forget(taskId: string): void {
    const running = this.#running.get(taskId);
    if (running === undefined) return;
    this.#running.delete(taskId);
    this.#kept.give(running.owner, running.length);
  }

  /** Tells how many tasks are left. What the store tells too late for that counts all the same. */
  #sweep(): Promise<number> {
    const swept = this.#store.sweep().then((sweeping) => this.#expire(sweeping));
    return this.#store.waitFor(swept);
  }

  #expire({ expired, left }: Sweeping): number {
    const order: TaskOrder = { kind: "cancel", reason: "it has run longer than a task may" };
    for (const taskId of expired) {
      if (this.take(taskId, order) !== undefined) continue;
      this.#store.order(taskId, order, this).catch((error) => this.#store.report(error));
    }
    return left;
  }

  /** Tasks expire even when nobody asks for anything; the timer keeps no process alive. */
  #sweepLater(): void {
    if (this.#sweeping !== undefined) return;
    const { taskTtlMs } = this.#options.limits;
    this.#sweeping = setTimeout(async () => {
      let left = 1;
      try {
        left = await this.#sweep();
      } catch (error) {
        this.#store.report(error);
      }
      this.#sweeping = undefined;
      if (left > 0 && !this.#disposed) this.#sweepLater();
    }, Math.ceil(taskTtlMs / SWEEPS_A_LIFE));
    Deno.unrefTimer(this.#sweeping);
  }
}

function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return bytes.toBase64({ alphabet: "base64url" });
}

/** A whole number of milliseconds, not so long that the task is gone before. */
function toInterval(retryMs: number | undefined, limits: Limits): number {
  const wanted = retryMs ?? limits.taskPollMs;
  if (!(wanted >= 1)) return limits.taskPollMs;
  return Math.ceil(Math.min(wanted, limits.taskTtlMs));
}

// A store of tasks that others wrote, and that may fail or take its time: what it cannot keep is logged, what it is
// being told counts as told, and nobody waits for it for ever.

import type { Task } from "../mcp/model.ts";
import { answersWithin, type Patience } from "./limits.ts";
import { describeError, type Log } from "./log.ts";
import {
  isEnded,
  type Sweeping,
  type TaskOrder,
  type TaskServer,
  type TaskStore,
} from "./task_store.ts";
import { WriteQueue } from "./write_queue.ts";

/** Asks and tells a store of tasks on behalf of one server. */
export class SturdyTaskStore implements TaskStore {
  readonly #store: TaskStore;
  readonly #log: Log;
  readonly #patience: Patience;
  /** What the store is told of tasks. */
  readonly #updates: WriteQueue;

  /** Keeps everything in the store given; one that takes longer than that fails. */
  constructor(store: TaskStore, log: Log, timeoutMs: number) {
    this.#store = store;
    this.#log = log;
    this.#patience = { who: "The store of tasks", timeoutMs };
    const report = (error: unknown) => this.report(error);
    this.#updates = new WriteQueue({ patience: this.#patience, report });
  }

  /** Keeps a new task; the caller hears of whatever fails. */
  async create(owner: string, task: Task): Promise<void> {
    const created = this.#store.create(owner, task);
    try {
      await this.waitFor(created);
    } catch (error) {
      // One that is there late is nobody's, and must not count for its owner.
      created.then(() => this.update({ ...task, state: { status: "cancelled" } }), () => {});
      throw error;
    }
  }

  /** The task as it stands behind all that the store is being told of it. */
  async find(taskId: string, owner: string): Promise<Task | undefined> {
    await this.#updates.settled(taskId);
    return await this.waitFor(this.#store.find(taskId, owner));
  }

  /** Replaces a task, if the store can; resolves in time whatever it does. */
  async update(task: Task): Promise<void> {
    const change = () => this.#attempt(() => this.#store.update(task));
    await this.#updates.write(task.taskId, change, isEnded(task.state));
  }

  /** Resolves when the store has been told all of a task; `undefined` when it has. */
  settled(taskId: string): Promise<void> | undefined {
    return this.#updates.settled(taskId);
  }

  /** Resolves when the store has been told all. */
  async written(): Promise<void> {
    await this.#updates.written();
  }

  /** Lets go of tasks that have expired, however late; the caller hears of whatever fails. */
  async sweep(): Promise<Sweeping> {
    return await this.#store.sweep();
  }

  /** Shares the tasks with other servers; with none where that fails. */
  join(server: TaskServer): Disposable {
    let membership: Disposable | undefined;
    try {
      membership = this.#store.join(server);
    } catch (error) {
      this.report(error);
    }
    const leave = () => {
      try {
        membership?.[Symbol.dispose]();
      } catch (error) {
        this.report(error);
      }
    };
    return { [Symbol.dispose]: leave };
  }

  /** Tells the other servers where a task stands, if the store can. */
  async tell(task: Task, from: TaskServer): Promise<void> {
    await this.#attempt(() => this.waitFor(this.#store.tell(task, from)));
  }

  /** Hands an order to the server at which the task runs; the caller hears of whatever fails. */
  async order(taskId: string, order: TaskOrder, from: TaskServer): Promise<boolean> {
    // The other server waits for the store itself before it says that it obeyed.
    const { who, timeoutMs } = this.#patience;
    const patience = { who, timeoutMs: 3 * timeoutMs };
    return await answersWithin(this.#store.order(taskId, order, from), patience);
  }

  /** What the store's work comes to; rejects when that takes too long. */
  waitFor<Value>(work: Promise<Value>): Promise<Value> {
    return answersWithin(work, this.#patience);
  }

  /** Leaves a line in the log. */
  report(error: unknown): void {
    this.#log.write("error", "task_lost", { error: describeError(error) });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.report(error);
    }
  }
}

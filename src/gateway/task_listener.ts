// How a client that listens is told of its tasks: each state as it comes, or where a task stands when it reads again.

import { type JsonObject, notificationText } from "../jsonrpc/message.ts";
import type { Task } from "../mcp/model.ts";
import type { Exchange } from "./exchange.ts";
import type { Tasks, TaskWatcher } from "./tasks.ts";

/** Tells a client of tasks, from `start` until it is disposed of. */
export class TaskListener implements TaskWatcher, Disposable {
  readonly #tasks: Tasks;
  readonly #exchange: Exchange;
  readonly #meta: JsonObject;
  readonly #waiting = new Set<string>();
  #state: "new" | "idle" | "flushing" | "left" = "new";

  /** Tells the client of the exchange; `meta` goes into `_meta` of each notification. */
  constructor(tasks: Tasks, exchange: Exchange, meta: JsonObject) {
    this.#tasks = tasks;
    this.#exchange = exchange;
    this.#meta = meta;
  }

  /** Watches those of the tasks that belong to the client, and names them. */
  async watch(taskIds: readonly string[]): Promise<readonly string[]> {
    const { owner } = this.#exchange;
    const found: string[] = [];
    for (const taskId of taskIds) {
      if (await this.#tasks.watch(taskId, owner, this)) found.push(taskId);
    }
    // Where a task stands when listening begins: it may have ended since the client last asked.
    for (const taskId of found) this.#waiting.add(taskId);
    return found;
  }

  /** Begins to tell. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "idle";
    this.#flush();
  }

  /** Sends the notification, now or when the client reads again. */
  hear(task: Task): void {
    const { outlet } = this.#exchange;
    if (this.#state === "idle" && outlet.ready() === undefined) return this.#send(task);
    this.#waiting.add(task.taskId);
    if (this.#state === "idle") this.#flush();
  }

  /** Tells nothing any more. */
  [Symbol.dispose](): void {
    this.#state = "left";
    this.#waiting.clear();
    this.#tasks.leave(this);
  }

  async #flush(): Promise<void> {
    const { outlet, owner } = this.#exchange;
    this.#state = "flushing";
    for (const taskId of this.#waiting) {
      const ready = outlet.ready();
      if (ready !== undefined) await ready;
      this.#waiting.delete(taskId);
      const task = await this.#tasks.find(taskId, owner);
      if (this.#state !== "flushing") return;
      if (task !== undefined) this.#send(task);
    }
    this.#state = "idle";
  }

  #send(task: Task): void {
    const { outlet, codec } = this.#exchange;
    const params = { ...codec.encodeTask(task), _meta: this.#meta };
    outlet.send(notificationText("notifications/tasks", params));
  }
}

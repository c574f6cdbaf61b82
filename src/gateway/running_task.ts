// A task whose call is under way in this process: where it stands, and what it waits for its client to tell.

import { invalidParams, type JsonObject } from "../jsonrpc/message.ts";
import type { Task, TaskState, WireQuestion } from "../mcp/model.ts";
import {
  type Answer,
  encodeQuestion,
  findAnswer,
  isAskable,
  missingCapability,
  type Question,
} from "../mcp/question.ts";
import type { SchemaValidator } from "../router/validation.ts";
import { type Asker, findFault } from "./asker.ts";
import { CanceledError, type Exchange } from "./exchange.ts";
import { isEnded } from "./task_store.ts";

/** The call behind a task. */
export interface TaskWork {
  /** The request that began it: what its client can be asked. */
  readonly exchange: Exchange;
  /** Ends the call. */
  cancel(reason: CanceledError): void;
}

/** What a running task is made of. */
export interface RunningTaskOptions {
  readonly task: Task;
  readonly work: TaskWork;
  readonly validator: SchemaValidator;
  /** How long it can be asked for after its end at least. */
  readonly keepMs: number;
  readonly now: () => number;
  /** Takes the task each time it differs; news are what its watchers should hear of. */
  readonly record: (task: Task, isNews: boolean) => void;
}

interface OpenQuestion {
  readonly question: Question;
  readonly wire: WireQuestion;
  readonly answer: PromiseWithResolvers<Answer>;
}

/** More than this tells nobody what a task is about. */
const MAX_STATUS_MESSAGE = 500;

/** One task from its creation to its end. */
export class RunningTask implements Asker {
  readonly #options: RunningTaskOptions;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #keys = new Set<string>();
  #task: Task;

  /** Starts at work. */
  constructor(options: RunningTaskOptions) {
    this.#options = options;
    this.#task = options.task;
  }

  /** The task as it stands. */
  get task(): Task {
    return this.#task;
  }

  /** Characters of the request that began it. */
  get length(): number {
    return this.#options.work.exchange.length;
  }

  /** Who began it. */
  get owner(): string {
    return this.#options.work.exchange.owner;
  }

  /** Tells what the task is about now. */
  describe(statusMessage: string): void {
    if (isEnded(this.#task.state)) return;
    this.#task = {
      ...this.#task,
      statusMessage: statusMessage.slice(0, MAX_STATUS_MESSAGE),
      updatedAt: this.#options.now(),
    };
    this.#options.record(this.#task, false);
  }

  /**
   * Parks the task until the client has answered. A key that was used before is made another one: a client may take
   * two questions of one key for the same (MCP extension tasks).
   *
   * @throws RpcError -32021 when the client can never answer; the reason of the end when the task ends first.
   */
  ask(key: string, question: Question): Promise<Answer> {
    const { capabilities, codec } = this.#options.work.exchange;
    if (!isAskable(question, capabilities, codec.shape)) {
      return Promise.reject(missingCapability(question));
    }
    if (isEnded(this.#task.state)) return Promise.reject(new CanceledError("the task has ended"));
    const answer = Promise.withResolvers<Answer>();
    const wire = encodeQuestion(question, codec.shape);
    this.#open.set(this.#takeKey(key), { question, wire, answer });
    this.#park();
    return answer.promise;
  }

  /**
   * Takes answers of the client; those that nothing asks for count as nothing.
   *
   * @throws RpcError -32602 for one that does not fit its question, and then takes none.
   */
  async answer(responses: JsonObject): Promise<void> {
    const { validator } = this.#options;
    const answers: [string, Answer][] = [];
    for (const [key, open] of this.#open) {
      const value = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (value === undefined) continue;
      const answer = findAnswer(open.question, value);
      if (answer === undefined) throw unfit(key, `it is no result of ${open.wire.method}`);
      const fault = await findFault(open.question, answer, validator);
      if (fault !== undefined) throw unfit(key, fault);
      answers.push([key, answer]);
    }
    // Another request may have brought an answer meanwhile, or the task has ended.
    const taken = answers.filter(([key]) => this.#open.has(key));
    for (const [key, answer] of taken) {
      this.#open.get(key)?.answer.resolve(answer);
      this.#open.delete(key);
    }
    if (taken.length > 0) this.#park();
  }

  /** Ends the call and the task, if it has not ended yet. */
  cancel(reason: string): void {
    this.end({ status: "cancelled" }, `Canceled: ${reason}`);
    this.#options.work.cancel(new CanceledError(reason));
  }

  /** The call is over; what it came to stays as it is from here on. */
  end(state: TaskState, statusMessage?: string): void {
    if (isEnded(this.#task.state)) return;
    const { now, keepMs } = this.#options;
    const { createdAt, ttlMs, statusMessage: _last, ...task } = this.#task;
    this.#task = {
      ...task,
      createdAt,
      ttlMs: Math.max(ttlMs, now() - createdAt + keepMs),
      ...(statusMessage === undefined ? {} : { statusMessage }),
    };
    this.#change(state);
    for (const { answer } of this.#open.values()) {
      answer.reject(new CanceledError("the task has ended"));
    }
    this.#open.clear();
  }

  #takeKey(key: string): string {
    let free = key;
    for (let use = 2; this.#keys.has(free); use++) free = `${key}-${use}`;
    this.#keys.add(free);
    return free;
  }

  #park(): void {
    if (isEnded(this.#task.state)) return;
    const requests = new Map([...this.#open].map(([key, { wire }]) => [key, wire]));
    this.#change(
      requests.size === 0 ? { status: "working" } : {
        status: "input_required",
        requests,
      },
    );
  }

  #change(state: TaskState): void {
    this.#task = { ...this.#task, state, updatedAt: this.#options.now() };
    this.#options.record(this.#task, true);
  }
}

function unfit(key: string, reason: string): Error {
  return invalidParams(
    `Invalid params: the answer to "${key}" does not fit, ${reason}; send it again`,
  );
}

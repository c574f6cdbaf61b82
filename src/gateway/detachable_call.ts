// A call of a client that knows tasks. It begins as any other; when its tool says so, or from the start where the tool
// declares it, the client gets a task for an answer and the call goes on without the request.

import type { Call } from "../activation/activation.ts";
import { type JsonObject, RpcError } from "../jsonrpc/message.ts";
import type { Result, ToolResult } from "../mcp/model.ts";
import type { Answer, Question } from "../mcp/question.ts";
import type { CatalogEntry } from "../router/catalog.ts";
import type { Outlet } from "../transport/outlet.ts";
import { Collector, type Teller } from "./collector.ts";
import type { CanceledError, Exchange } from "./exchange.ts";
import type { RequestInquiry } from "./inquiry.ts";
import { type LogEvent, Notifier, type ProgressEvent } from "./notifier.ts";
import type { Room } from "./room.ts";
import { type CallHost, checkOutput, gather, refusedResult, toFailedResult } from "./run_tool.ts";
import type { RunningTask, TaskWork } from "./running_task.ts";
import type { Slots } from "./slots.ts";
import { InputRequiredError } from "./asker.ts";

/** One call, attached to its request or going on as a task. */
export class DetachableCall implements Call, CallHost, TaskWork, Teller {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly exchange: Exchange;
  readonly #room: Room;
  readonly #request: RequestInquiry;
  readonly #entry: CatalogEntry;
  readonly #notifier: Notifier;
  readonly #cancelers: ((reason: CanceledError) => void)[] = [];
  readonly #answer = Promise.withResolvers<Result>();
  /** Questions that went with the request and are not answered yet. */
  readonly #asking = new Set<Promise<void>>();
  #controller: AbortController | undefined;
  #cancellation: CanceledError | undefined;
  #unanswered: InputRequiredError | undefined;
  #task: RunningTask | undefined;
  /** Whose place the call has. */
  #held: Slots | undefined;
  /** Questions of the task that are not answered yet. */
  #parked = 0;
  #isOver = false;

  /** Nothing runs yet. */
  constructor(room: Room, request: RequestInquiry, entry: CatalogEntry, given: JsonObject) {
    this.tool = entry.name;
    this.arguments = given;
    this.exchange = request.exchange;
    this.#room = room;
    this.#request = request;
    this.#entry = entry;
    this.#notifier = new Notifier(this.exchange, room.limits.maxNotificationsPerMinute);
  }

  /** Who calls. */
  get caller(): { readonly client: string; readonly requestId: string | number } {
    return this.#request.caller;
  }

  /** Whose token the client showed. */
  get owner(): string {
    return this.#request.owner;
  }

  /** Aborts when the call is no longer wanted: with its request, later with its task. Made when first looked at. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancellation !== undefined) this.#controller.abort(this.#cancellation);
    }
    return this.#controller.signal;
  }

  /** Whose places it takes. */
  get party(): string | object | undefined {
    return this.exchange.party;
  }

  /** Characters of the request, which waiting for a place keeps. */
  get length(): number {
    return this.exchange.length;
  }

  /** A client that has its answer holds nothing up. */
  get outlet(): Pick<Outlet, "ready"> {
    return this.#task === undefined ? this.exchange.outlet : NOBODY;
  }

  /** Runs the tool until its result or its task is there to be answered with. */
  run(): Promise<Result> {
    // An exchange that was answered is not canceled any more, so a task outlives its request.
    this.exchange.onCancel((reason) => this.cancel(reason));
    this.#work().then((result) => this.#succeed(result), (error) => this.#fail(error));
    return this.#answer.promise;
  }

  /** Whether the client can be asked this. */
  canAsk(question: Question): boolean {
    return this.#request.canAsk(question);
  }

  /** Asks the client: by way of its request, or of its task once it has one. */
  ask(key: string, question: Question): Promise<Answer> {
    if (this.#task !== undefined) return this.#askParked(this.#task, key, question);
    const answer = this.#request.ask(key, question);
    const settled = answer.then(() => {}, (error) => {
      if (error instanceof InputRequiredError) this.#unanswered = error;
    }).finally(() => this.#asking.delete(settled));
    this.#asking.add(settled);
    return answer;
  }

  /** Tells progress of the request; of a task, what it is about. */
  progress(event: ProgressEvent): void {
    if (this.#task === undefined) this.#notifier.progress(event);
    else if (event.message !== undefined) this.#task.describe(event.message);
  }

  /** Hands on a log message of the request; a task has no way to tell any. */
  log(event: LogEvent): void {
    if (this.#task === undefined) this.#notifier.log(event);
  }

  /** The client gets a task, if there is room for one; otherwise it waits for the result. */
  async detach(retryMs: number | undefined): Promise<void> {
    if (this.#task !== undefined) return;
    while (this.#asking.size > 0) await Promise.all(this.#asking);
    // The request will be sent again with the answers, and comes here once more.
    if (this.#unanswered !== undefined) throw this.#unanswered;
    try {
      await this.#becomeTask(retryMs);
    } catch (error) {
      if (this.#task !== undefined || !(error instanceof RpcError)) throw error;
    }
  }

  /** Ends the call. */
  cancel(reason: CanceledError): void {
    if (this.#cancellation !== undefined || this.#isOver) return;
    this.#cancellation = reason;
    this.#controller?.abort(reason);
    for (const canceler of this.#cancelers) canceler(reason);
  }

  /** Calls back when the call is canceled, at once if it is already. */
  onCancel(canceler: (reason: CanceledError) => void): void {
    if (this.#cancellation === undefined) this.#cancelers.push(canceler);
    else canceler(this.#cancellation);
  }

  async #work(): Promise<ToolResult> {
    const { tool, activation } = this.#entry;
    const { slots, validator, limits, log } = this.#room;
    try {
      if (tool.task === undefined) await this.#takePlace(slots);
      const verdict = await validator.judge(tool.inputSchema, this.arguments);
      if (verdict.kind !== "fits") return refusedResult(tool.name, verdict);
      if (tool.task !== undefined) await this.#becomeTask(undefined);
      const collector = new Collector(this, limits.maxResultLength);
      const { promise: gathered, resolve: complete, reject: fail } = Promise.withResolvers<void>();
      gather(activation.call(this), collector, this, { complete, fail });
      await gathered;
      const taken = this.outlet.ready();
      if (taken !== undefined) await this.exchange.untilCanceled(taken);
      return await checkOutput(collector.toResult(), tool, validator);
    } catch (error) {
      return toFailedResult(error, log);
    } finally {
      this.#isOver = true;
      this.#leavePlace();
    }
  }

  async #becomeTask(retryMs: number | undefined): Promise<void> {
    const { tasks } = this.#room;
    if (this.#cancellation !== undefined) throw this.#cancellation;
    const task = await tasks.open(this, retryMs);
    if (this.#cancellation !== undefined) {
      task.end({ status: "cancelled" });
      throw this.#cancellation;
    }
    this.#task = task;
    this.#leavePlace();
    this.#answer.resolve({ kind: "task_created", task: task.task });
    await this.#takePlace(tasks.slots);
  }

  /** A task that waits for a person needs no place: others run meanwhile, and it takes its turn again afterwards. */
  #askParked(task: RunningTask, key: string, question: Question): Promise<Answer> {
    this.#parked += 1;
    if (this.#parked === 1) this.#leavePlace();
    const answer = task.ask(key, question).finally(async () => {
      this.#parked -= 1;
      const goesOn = !this.#isOver && this.#cancellation === undefined;
      if (this.#parked === 0 && goesOn) await this.#takePlace(this.#room.tasks.slots);
    });
    // A tool that does not wait for its question any more must not take the server down.
    answer.catch(() => {});
    return answer;
  }

  #leavePlace(): void {
    this.#held?.release(this);
    this.#held = undefined;
  }

  async #takePlace(slots: Slots): Promise<void> {
    const turn = slots.acquire(this);
    if (turn !== undefined) await turn;
    // Meanwhile the call may have ended, asked again, or got a place for another answer.
    if (this.#isOver || this.#parked > 0 || this.#held !== undefined) slots.release(this);
    else this.#held = slots;
  }

  #succeed(result: ToolResult): void {
    if (this.#task === undefined) this.#answer.resolve(result);
    else this.#task.end({ status: "completed", result });
  }

  #fail(error: unknown): void {
    if (this.#task === undefined) {
      this.#answer.reject(error);
    } else if (error instanceof RpcError) {
      const { code, message, data } = error;
      this.#task.end({ status: "failed", error: { code, message, data } }, message);
    } else {
      this.#task.end({ status: "cancelled" });
    }
  }
}

/** Where nobody reads, nothing has to wait. */
const NOBODY: Pick<Outlet, "ready"> = { ready: () => undefined };

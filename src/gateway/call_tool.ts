// `tools/call`: find the tool, judge the arguments, run it in its turn, gather one result, judge that too.

import { INTERNAL_ERROR, invalidParams, type JsonObject, RpcError } from "../jsonrpc/message.ts";
import { declaresTasks, missingTasks, parseOptionalObject, parseString } from "../mcp/params.ts";
import type { Result, ToolResult } from "../mcp/model.ts";
import type { Catalog, CatalogEntry } from "../router/catalog.ts";
import type { Verdict } from "../router/validation.ts";
import { Collector } from "./collector.ts";
import { DetachableCall } from "./detachable_call.ts";
import { type RequestInquiry, ToolCall } from "./inquiry.ts";
import { Notifier } from "./notifier.ts";
import type { Room } from "./room.ts";
import { checkOutput, gather, type Gathered, refusedResult, toFailedResult } from "./run_tool.ts";

/**
 * Runs a tool, to its end or until it goes on as a task.
 *
 * @throws RpcError for an unknown tool, malformed parameters, or a full queue. A tool's own failure is a result.
 */
export function callTool(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const { exchange } = request;
  const name = parseString(params, "name");
  const given = parseOptionalObject(params, "arguments");
  const entry = room.catalog.find(name) ?? room.lookAgain().find(name);
  if (entry === undefined) throw refuseName(room.catalog, name);
  // On the handshake wire there are no tasks: there a client waits, however long a tool takes.
  if (exchange.codec.shape.tasks) {
    if (declaresTasks(exchange.capabilities)) {
      return new DetachableCall(room, request, entry, given).run();
    }
    if (entry.tool.task === "required") throw missingTasks();
  }
  const turn = room.slots.acquire(exchange);
  const run = () => new PlacedCall(room, request, entry, given).run();
  return turn === undefined ? run() : turn.then(run);
}

/** A call that has its place, and gives it back at its end. With callbacks, because it is the hot path. */
class PlacedCall implements Gathered {
  readonly #room: Room;
  readonly #request: RequestInquiry;
  readonly #entry: CatalogEntry;
  readonly #given: JsonObject;
  readonly #collector: Collector;
  readonly #outcome = Promise.withResolvers<Result>();

  constructor(room: Room, request: RequestInquiry, entry: CatalogEntry, given: JsonObject) {
    this.#room = room;
    this.#request = request;
    this.#entry = entry;
    this.#given = given;
    const { maxNotificationsPerMinute, maxResultLength } = room.limits;
    const notifier = new Notifier(request.exchange, maxNotificationsPerMinute);
    this.#collector = new Collector(notifier, maxResultLength);
  }

  /** Judges the arguments, and runs the tool if they are good. */
  run(): Promise<Result> {
    try {
      const verdict = this.#room.validator.judge(this.#entry.tool.inputSchema, this.#given);
      if (!(verdict instanceof Promise)) this.#begin(verdict);
      else verdict.then((told) => this.#begin(told)).catch((error) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
    return this.#outcome.promise;
  }

  /** The tool has said all. */
  complete(): void {
    try {
      const result = this.#collector.toResult();
      // The place is kept until the client has taken earlier answers, so that unread results stay few.
      const taken = this.#request.exchange.outlet.ready();
      if (taken === undefined && this.#entry.tool.outputSchema === undefined) this.#end(result);
      else this.#check(result, taken).then((good) => this.#end(good), (error) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  /** The tool has failed, or its result is not wanted any more. */
  fail(error: unknown): void {
    try {
      this.#end(toFailedResult(error, this.#room.log));
    } catch (meant) {
      this.#room.slots.release(this.#request.exchange);
      this.#outcome.reject(meant);
    }
  }

  #begin(verdict: Verdict): void {
    const { tool, activation, name } = this.#entry;
    if (verdict.kind !== "fits") return this.#end(refusedResult(tool.name, verdict));
    const call = new ToolCall(this.#request, name, this.#given);
    gather(activation.call(call), this.#collector, this.#request.exchange, this);
  }

  async #check(result: ToolResult, taken: Promise<void> | undefined): Promise<Result> {
    if (taken !== undefined) await this.#request.exchange.untilCanceled(taken);
    return await checkOutput(result, this.#entry.tool, this.#room.validator);
  }

  #end(result: Result): void {
    this.#room.slots.release(this.#request.exchange);
    this.#outcome.resolve(result);
  }
}

function refuseName(catalog: Catalog, name: string): RpcError {
  if (catalog.isDenied(name)) {
    return invalidParams(
      `Tool "${name}" is denied by the operator of this server; do without it`,
    );
  }
  if (catalog.broken.length === 0) return invalidParams(`Unknown tool: "${name}"`);
  // Whether there is such a tool cannot be told, so that it is no fault of the client.
  return new RpcError(
    INTERNAL_ERROR,
    `No tool "${name}" now, and some of this server's tools are missing: what offers them is ` +
      "broken; try again later, the server's log tells more",
  );
}

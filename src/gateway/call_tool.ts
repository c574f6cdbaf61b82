// `tools/call`: find the tool, judge the arguments, run it in its turn, gather one result, judge that too.

import { INTERNAL_ERROR, invalidParams, type JsonObject, RpcError } from "../jsonrpc/message.ts";
import { declaresTasks, missingTasks, parseOptionalObject, parseString } from "../mcp/params.ts";
import type { Result } from "../mcp/model.ts";
import type { Catalog } from "../router/catalog.ts";
import { Collector } from "./collector.ts";
import { DetachableCall } from "./detachable_call.ts";
import { type RequestInquiry, ToolCall } from "./inquiry.ts";
import { Notifier } from "./notifier.ts";
import type { Room } from "./room.ts";
import { checkOutput, gather, refusedResult, toFailedResult } from "./run_tool.ts";

/**
 * Runs a tool, to its end or until it goes on as a task.
 *
 * @throws RpcError for an unknown tool, malformed parameters, or a full queue. A tool's own failure is a result.
 */
export async function callTool(
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
      return await new DetachableCall(room, request, entry, given).run();
    }
    if (entry.tool.task === "required") throw missingTasks();
  }
  const turn = room.slots.acquire(exchange);
  if (turn !== undefined) await turn;
  try {
    const judged = room.validator.judge(entry.tool.inputSchema, given);
    const verdict = judged instanceof Promise ? await judged : judged;
    if (verdict.kind !== "fits") return refusedResult(name, verdict);
    const notifier = new Notifier(exchange, room.limits.maxNotificationsPerMinute);
    const collector = new Collector(notifier, room.limits.maxResultLength);
    await gather(
      entry.activation.call(new ToolCall(request, entry.name, given)),
      collector,
      exchange,
    );
    const result = collector.toResult();
    // The place is kept until the client has taken earlier answers, so that unread results stay few.
    const taken = exchange.outlet.ready();
    if (taken !== undefined) await exchange.untilCanceled(taken);
    return entry.tool.outputSchema === undefined
      ? result
      : await checkOutput(result, entry.tool, room.validator);
  } catch (error) {
    return toFailedResult(error, room.log);
  } finally {
    room.slots.release(exchange);
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

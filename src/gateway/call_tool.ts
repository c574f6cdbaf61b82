// `tools/call`: find the tool, judge the arguments, run it in its turn, gather one result, judge that too.

import type { CallEvent } from "../activation/activation.ts";
import { invalidParams, RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Tool, ToolResult } from "../mcp/model.ts";
import { parseOptionalObject, parseString } from "../mcp/params.ts";
import type { SchemaValidator, Verdict } from "../router/validation.ts";
import { AskError } from "./ask_error.ts";
import { Collector, failedResult } from "./collector.ts";
import { reportFault } from "./error_map.ts";
import { CanceledError, type Exchange } from "./exchange.ts";
import { type RequestInquiry, ToolCall } from "./inquiry.ts";
import type { Log } from "./log.ts";
import { Notifier } from "./notifier.ts";
import { InputRequiredError } from "./stateless_asker.ts";
import type { Room } from "./room.ts";

/**
 * Runs a tool.
 *
 * @throws RpcError for an unknown tool, malformed parameters, or a full queue. A tool's own failure is a result.
 */
export async function callTool(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<ToolResult> {
  const { exchange } = request;
  const name = parseString(params, "name");
  const given = parseOptionalObject(params, "arguments");
  const entry = room.catalog.find(name);
  if (entry === undefined) throw invalidParams(`Unknown tool: "${name}"`);
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
    room.slots.release();
  }
}

/** Events taken before others get a turn: a stream that never waits must not keep the server to itself. */
const EVENTS_A_TURN = 256;

/**
 * Takes events until the stream ends, the result is full, or the exchange is canceled. Written with callbacks: it is
 * the hot path, and this way a call costs one promise besides those of the stream.
 */
function gather(
  events: AsyncIterable<CallEvent>,
  collector: Collector,
  exchange: Exchange,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  return new Promise((resolve, reject) => {
    let abandoned = false;
    let taken = 0;
    const step = () => {
      try {
        if (!abandoned) iterator.next().then(take, reject);
      } catch (error) {
        reject(error);
      }
    };
    const take = (result: IteratorResult<CallEvent>) => {
      if (abandoned) return;
      if (result.done === true) return resolve();
      try {
        collector.add(result.value);
      } catch (error) {
        reject(error);
        return abandon();
      }
      if (collector.isFull) return abandon();
      const ready = exchange.outlet.ready();
      if (ready !== undefined) ready.then(step);
      else if (++taken % EVENTS_A_TURN === 0) setTimeout(step, 0);
      else step();
    };
    const abandon = () => {
      abandoned = true;
      resolve();
      end(iterator);
    };
    exchange.onCancel((reason) => {
      reject(reason);
      abandon();
    });
    step();
  });
}

/** Lets an abandoned stream clean up; what it still says or throws counts no more. */
async function end(iterator: AsyncIterator<CallEvent>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // Nobody waits for the stream any more.
  }
}

function refusedResult(name: string, verdict: Exclude<Verdict, { kind: "fits" }>): ToolResult {
  return verdict.kind === "misfit"
    ? failedResult(`Cannot call "${name}": ${verdict.reason}; correct it and call again`)
    : failedResult(`Cannot call "${name}": its input schema is bad, ${verdict.reason}`);
}

/** Thrown faults become results that do not tell a client about the host; the log has the rest. */
function toFailedResult(error: unknown, log: Log): ToolResult {
  if (error instanceof RpcError || error instanceof InputRequiredError) throw error;
  if (error instanceof CanceledError) throw error;
  if (error instanceof AskError) return failedResult(error.message);
  const faultId = reportFault(error, log);
  return failedResult(`The tool failed unexpectedly; the server's log tells more (${faultId})`);
}

async function checkOutput(
  result: ToolResult,
  tool: Tool,
  validator: SchemaValidator,
): Promise<ToolResult> {
  const { outputSchema, name } = tool;
  if (outputSchema === undefined || result.isError) return result;
  if (result.structured === undefined) {
    return failedResult(`Tool "${name}" returned no structured content, which it declares`);
  }
  const verdict = await validator.judge(outputSchema, result.structured);
  if (verdict.kind === "fits") return result;
  return failedResult(
    `Tool "${name}" returned what its output schema does not allow: ${verdict.reason}`,
  );
}

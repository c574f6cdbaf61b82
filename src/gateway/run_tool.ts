// The steps of running a tool that every kind of call shares: gather the events, judge the result, name the failure.

import type { CallEvent } from "../activation/activation.ts";
import { RpcError } from "../jsonrpc/message.ts";
import type { Tool, ToolResult } from "../mcp/model.ts";
import type { SchemaValidator, Verdict } from "../router/validation.ts";
import type { Outlet } from "../transport/outlet.ts";
import { AskError, InputRequiredError } from "./asker.ts";
import { type Collector, failedResult } from "./collector.ts";
import { type Log, reportFault } from "./log.ts";
import { CanceledError } from "./exchange.ts";

/** What a running call answers to. */
export interface CallHost {
  /** Events are taken only while it is ready. */
  readonly outlet: Pick<Outlet, "ready">;
  /** Calls back when the call is canceled, at once if it is already. */
  onCancel(canceler: (reason: CanceledError) => void): void;
  /** The call goes on by itself from here; it is not run on before a returned promise resolves. */
  detach(retryMs: number | undefined): Promise<void> | void;
}

/** Events taken before others get a turn: a stream that never waits must not keep the server to itself. */
const EVENTS_A_TURN = 256;

/**
 * Takes events until the stream ends, the result is full, or the call is canceled. Written with callbacks: it is
 * the hot path, and this way a call costs one promise besides those of the stream.
 */
export function gather(
  events: AsyncIterable<CallEvent>,
  collector: Collector,
  host: CallHost,
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
      let ready: Promise<void> | void;
      try {
        collector.add(result.value);
        if (result.value.kind === "detach") ready = host.detach(result.value.retryMs);
      } catch (error) {
        return fail(error);
      }
      if (collector.isFull) return abandon();
      ready ??= host.outlet.ready();
      if (ready !== undefined) ready.then(step, fail);
      else if (++taken % EVENTS_A_TURN === 0) setTimeout(step, 0);
      else step();
    };
    const fail = (error: unknown) => {
      reject(error);
      abandon();
    };
    const abandon = () => {
      abandoned = true;
      resolve();
      end(iterator);
    };
    host.onCancel(fail);
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

/** The result of a call whose arguments its tool does not take. */
export function refusedResult(
  name: string,
  verdict: Exclude<Verdict, { kind: "fits" }>,
): ToolResult {
  return verdict.kind === "misfit"
    ? failedResult(`Cannot call "${name}": ${verdict.reason}; correct it and call again`)
    : failedResult(`Cannot call "${name}": its input schema is bad, ${verdict.reason}`);
}

/**
 * Thrown faults become results that do not tell a client about the host; the log has the rest.
 *
 * @throws What is no fault of the tool: an error for the client, a question first, a cancellation.
 */
export function toFailedResult(error: unknown, log: Log): ToolResult {
  if (error instanceof RpcError || error instanceof InputRequiredError) throw error;
  if (error instanceof CanceledError) throw error;
  if (error instanceof AskError) return failedResult(error.message);
  const faultId = reportFault(error, log);
  return failedResult(`The tool failed unexpectedly; the server's log tells more (${faultId})`);
}

/** The result, or that the tool broke its own promise. */
export async function checkOutput(
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

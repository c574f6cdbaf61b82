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

/** Learns, once, how the taking of events ended. */
export interface Gathered {
  complete(): void;
  fail(error: unknown): void;
}

/**
 * Takes events until the stream ends, the result is full, or the call is canceled. Tells by a callback: it is the hot
 * path, and this way a call costs no promise besides those of the stream.
 */
export function gather(
  events: AsyncIterable<CallEvent>,
  collector: Collector,
  host: CallHost,
  end: Gathered,
): void {
  const gathering = new Gathering(events[Symbol.asyncIterator](), collector, host, end);
  host.onCancel(gathering.abandon);
  gathering.step();
}

class Gathering {
  readonly #iterator: AsyncIterator<CallEvent>;
  readonly #collector: Collector;
  readonly #host: CallHost;
  readonly #end: Gathered;
  #isOver = false;
  #taken = 0;
  readonly #onEvent = (result: IteratorResult<CallEvent>): void => this.#take(result);
  readonly #onFault = (error: unknown): void => this.#fail(error);

  constructor(
    iterator: AsyncIterator<CallEvent>,
    collector: Collector,
    host: CallHost,
    end: Gathered,
  ) {
    this.#iterator = iterator;
    this.#collector = collector;
    this.#host = host;
    this.#end = end;
  }

  /** Asks for the next event. */
  step(): void {
    if (this.#isOver) return;
    try {
      this.#iterator.next().then(this.#onEvent, this.#onFault);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes nothing more, for a reason; the stream may clean up. */
  readonly abandon = (reason: unknown): void => {
    if (this.#isOver) return;
    this.#fail(reason);
    end(this.#iterator);
  };

  #take(result: IteratorResult<CallEvent>): void {
    if (this.#isOver) return;
    if (result.done === true) return this.#complete();
    let ready: Promise<void> | void;
    try {
      this.#collector.add(result.value);
      if (result.value.kind === "detach") ready = this.#host.detach(result.value.retryMs);
    } catch (error) {
      return this.abandon(error);
    }
    // To tell what it said may have canceled it.
    if (this.#isOver) return;
    if (this.#collector.isFull) {
      this.#complete();
      end(this.#iterator);
      return;
    }
    ready ??= this.#host.outlet.ready();
    if (ready !== undefined) ready.then(() => this.step(), this.abandon);
    else if (++this.#taken % EVENTS_A_TURN === 0) setTimeout(() => this.step(), 0);
    else this.step();
  }

  #complete(): void {
    this.#isOver = true;
    this.#end.complete();
  }

  /** The stream itself has failed, and so ended. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end.fail(error);
  }
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

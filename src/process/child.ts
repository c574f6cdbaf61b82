// A long-lived child, such as a downstream MCP server: its pipes belong to the caller, its end belongs to us.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { drainTail, settleDrains } from "./drain.ts";
import { STDERR_TAIL_BYTES, toEndOutcome } from "./end_outcome.ts";
import { type EndOptions, endTree, killRest } from "./end_tree.ts";
import { type Outcome, toPlainText } from "./outcome.ts";
import type { Finished } from "./run_plan.ts";
import { startPlan } from "./start.ts";

/** A running child. Disposing it ends its whole tree. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Settles when the child has ended, for whatever reason; never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The last lines of stderr so far, as plain text. */
  stderrTail(): string;
  /** Asks the tree to end, kills it after the grace, and tells how it ended. */
  end(): Promise<Outcome>;
}

/** What a child needs besides the plan. */
export interface SpawnOptions {
  /** Ends the child when aborted. */
  readonly signal: AbortSignal;
  readonly canFindTree: boolean;
  /** Called once when the child is gone, before `outcome` settles. */
  readonly onEnd: (finished: SpawnFinished) => Promise<void>;
}

/** The end of a child with what the audit records about it. */
export type SpawnFinished = Pick<Finished, "outcome" | "ended" | "stdoutBytes" | "stderrBytes">;

/** What a long-lived child wrote to stdout has gone to the caller. */
const NO_BYTES = new Uint8Array(0);

/** Starts a child, or gives the outcome that says why there is none. */
export function spawnPlan(
  plan: LaunchPlan,
  options: SpawnOptions,
): { kind: "running"; child: Child } | { kind: "ended"; outcome: Outcome } {
  const started = startPlan(plan, "piped");
  if (started.kind === "ended") return started;
  const { child } = started;
  // The caller gets a stream of its own, so that stdin can be closed whoever holds a writer.
  const writer = child.stdin.getWriter();
  const stdin = new WritableStream<Uint8Array>({
    write: (chunk) => writer.write(chunk),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  const { stream: stdout, count: countStdout } = countBytes(child.stdout);
  const stderr = drainTail(child.stderr, STDERR_TAIL_BYTES);
  const decoder = new TextDecoder();
  let ending: Promise<"asked" | "killed"> | undefined;

  function stderrTail(): string {
    return toPlainText(decoder.decode(stderr.tail()));
  }
  const end: EndOptions = {
    plan,
    canFindTree: options.canFindTree,
    closeStdin: () => void writer.close().catch(() => {}),
  };
  async function endOnce(): Promise<Outcome> {
    ending ??= endTree(child, end);
    return await outcome;
  }
  const onAbort = () => void endOnce();
  async function watch(): Promise<Outcome> {
    const status = await child.status;
    options.signal.removeEventListener("abort", onAbort);
    const wasAsked = ending !== undefined;
    const ended = await ending;
    await killRest(end);
    await settleDrains([stderr], () => Promise.resolve());
    const result: Outcome = wasAsked && options.signal.aborted
      ? { kind: "canceled" }
      : toEndOutcome(plan, status, { stdout: NO_BYTES, stderr: stderr.tail() });
    const { total } = await stderr.done;
    await options.onEnd({
      outcome: result,
      ended,
      stdoutBytes: countStdout(),
      stderrBytes: total,
    });
    return result;
  }
  const outcome = watch();
  if (options.signal.aborted) onAbort();
  else options.signal.addEventListener("abort", onAbort, { once: true });
  return {
    kind: "running",
    child: {
      pid: child.pid,
      stdin,
      stdout,
      outcome,
      stderrTail,
      end: endOnce,
      async [Symbol.asyncDispose]() {
        await endOnce();
        if (!stdout.locked) await stdout.cancel();
      },
    },
  };
}

/** The same stream, with a count of the bytes that were taken from it. It reads nothing ahead. */
function countBytes(source: ReadableStream<Uint8Array>): {
  readonly stream: ReadableStream<Uint8Array>;
  readonly count: () => number;
} {
  const reader = source.getReader();
  let taken = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      taken += value.length;
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { stream, count: () => taken };
}

// A long-lived child, such as a downstream MCP server: its pipes belong to the caller, its end belongs to us.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { drainTail, settleDrains } from "./drain.ts";
import { STDERR_TAIL_BYTES, toEndOutcome } from "./end_outcome.ts";
import { type EndOptions, endTree, killRest } from "./end_tree.ts";
import { type Outcome, toPlainText } from "./outcome.ts";
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
  readonly onEnd: (outcome: Outcome, ended: "asked" | "killed" | undefined) => Promise<void>;
}

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
    await options.onEnd(result, ended);
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
      stdout: child.stdout,
      outcome,
      stderrTail,
      end: endOnce,
      async [Symbol.asyncDispose]() {
        await endOnce();
        if (!child.stdout.locked) await child.stdout.cancel();
      },
    },
  };
}

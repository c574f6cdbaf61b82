// Runs a plan to its end within its limits: time, bytes on both pipes, cancellation. The call always ends, whatever
// the program and its descendants do with their pipes.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { NOT_FOUND_MARK } from "../sandbox/plan_launch.ts";
import { type Drain, drainHead } from "./drain.ts";
import { type EndOptions, endTree, killRest } from "./end_tree.ts";
import { findSignalName, type Outcome } from "./outcome.ts";
import { startPlan } from "./start.ts";

/** What a run needs besides the plan. */
export interface RunOptions {
  /** Written to stdin, which is then closed; without it stdin is empty. */
  readonly stdin: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Any of them ends the run: the client's and the server's. Listening to each is cheaper than joining them. */
  readonly signals: readonly AbortSignal[];
  readonly canFindTree: boolean;
}

/** The end of a run with what the audit records about it. */
export interface Finished {
  readonly outcome: Outcome;
  readonly pid: number | undefined;
  readonly durationMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** How the tree was ended, when it did not end by itself. */
  readonly ended: "asked" | "killed" | undefined;
}

type Cause = { kind: "timed_out" } | { kind: "canceled" } | {
  kind: "over_limit";
  limit: "stdout" | "stderr";
};

/** How long pipes may stay open after the program ended; a descendant may hold them for ever. */
const DRAIN_MS = 250;

/** As much of stderr as a model can use. */
const STDERR_TAIL_BYTES = 4096;

const DECODER = new TextDecoder();

/** Runs a plan. Never throws for what a program does. */
export async function runPlan(plan: LaunchPlan, options: RunOptions): Promise<Finished> {
  const startedAt = performance.now();
  if (options.signals.some(({ aborted }) => aborted)) return finishEarly({ kind: "canceled" });
  const usesStdin = options.stdin !== undefined || plan.stop === "control";
  const started = startPlan(plan, usesStdin ? "piped" : "null");
  if (started.kind === "ended") return finishEarly(started.outcome);
  const { child } = started;

  const stopped = Promise.withResolvers<void>();
  let cause: Cause | undefined;
  function stop(reason: Cause): void {
    cause ??= reason;
    stopped.resolve();
  }
  const timer = setTimeout(() => stop({ kind: "timed_out" }), options.timeoutMs);
  const onCancel = () => stop({ kind: "canceled" });
  for (const signal of options.signals) signal.addEventListener("abort", onCancel);

  const { maxStdoutBytes, maxStderrBytes } = plan.limits;
  const stdout = drainHead(
    child.stdout,
    maxStdoutBytes,
    () => stop({ kind: "over_limit", limit: "stdout" }),
  );
  const stderr = drainHead(
    child.stderr,
    maxStderrBytes,
    () => stop({ kind: "over_limit", limit: "stderr" }),
  );
  const writer = usesStdin ? child.stdin.getWriter() : undefined;
  const closeStdin = () => void writer?.close().catch(() => {});
  if (writer !== undefined && options.stdin !== undefined) {
    // A program that does not read its input is no error of ours.
    writer.write(options.stdin).then(closeStdin, () => {});
  }

  const end: EndOptions = { plan, canFindTree: options.canFindTree, closeStdin };
  let ended: Finished["ended"];
  try {
    await Promise.race([child.status, stopped.promise]);
    if (cause !== undefined) ended = await endTree(child, end);
    const status = await child.status;
    closeStdin();
    const [out, err] = await settle([stdout, stderr], () => killRest(end));
    return {
      outcome: cause === undefined
        ? toOutcome(plan, status, { stdout: out.bytes, stderr: err.bytes })
        : toStopOutcome(cause, plan, options),
      pid: child.pid,
      durationMs: performance.now() - startedAt,
      stdoutBytes: out.total,
      stderrBytes: err.total,
      ended,
    };
  } finally {
    clearTimeout(timer);
    for (const signal of options.signals) signal.removeEventListener("abort", onCancel);
  }
}

/** Waits for both pipes, but not for whoever holds them open after the program has ended. */
async function settle(drains: readonly [Drain, Drain], onHeld: () => Promise<void>) {
  const done = Promise.all([drains[0].done, drains[1].done]);
  // Mostly both pipes have ended by now, and a timer would cost more than the wait.
  if (drains[0].isDone() && drains[1].isDone()) return await done;
  const timer = setTimeout(async () => {
    await onHeld();
    for (const drain of drains) drain.giveUp();
  }, DRAIN_MS);
  try {
    return await done;
  } finally {
    clearTimeout(timer);
  }
}

function toOutcome(
  plan: LaunchPlan,
  status: Deno.CommandStatus,
  output: { readonly stdout: Uint8Array; readonly stderr: Uint8Array },
): Outcome {
  const tail = output.stderr.subarray(Math.max(0, output.stderr.length - STDERR_TAIL_BYTES));
  const stderrTail = DECODER.decode(tail);
  if (status.signal !== null) return { kind: "signaled", signal: status.signal, stderrTail };
  if (plan.walls.includes("bubblewrap")) {
    if (status.code === 127 && stderrTail === NOT_FOUND_MARK) {
      return { kind: "not_found", program: plan.program };
    }
    if (status.code === 1 && output.stdout.length === 0 && stderrTail.startsWith("bwrap: ")) {
      return { kind: "denied", reason: `Sandbox could not be built: ${stderrTail.trim()}` };
    }
    // Bubblewrap exits like a shell when the program dies by a signal.
    const signal = findSignalName(status.code);
    if (signal !== undefined) return { kind: "signaled", signal, stderrTail };
  }
  return { kind: "exited", code: status.code, stdout: output.stdout, stderrTail };
}

function toStopOutcome(cause: Cause, plan: LaunchPlan, options: RunOptions): Outcome {
  switch (cause.kind) {
    case "timed_out":
      return { kind: "timed_out", afterMs: options.timeoutMs };
    case "canceled":
      return { kind: "canceled" };
    case "over_limit":
      return {
        kind: "over_limit",
        limit: cause.limit,
        maxBytes: cause.limit === "stdout"
          ? plan.limits.maxStdoutBytes
          : plan.limits.maxStderrBytes,
      };
  }
}

function finishEarly(outcome: Outcome): Finished {
  return {
    outcome,
    pid: undefined,
    durationMs: 0,
    stdoutBytes: 0,
    stderrBytes: 0,
    ended: undefined,
  };
}

// Runs a plan to its end within its limits: time, bytes on both pipes, cancellation. The call always ends, whatever
// the program and its descendants do with their pipes.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { drainHead, settleDrains } from "./drain.ts";
import { type EndOptions, endTree, killRest } from "./end_tree.ts";
import { toEndOutcome } from "./end_outcome.ts";
import type { Outcome, Written } from "./outcome.ts";
import { startPlan } from "./start.ts";

/** What a run needs besides the plan. */
export interface RunOptions {
  /** Written to stdin, which is then closed; without it stdin is empty. */
  readonly stdin: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Any of them ends the run: the client's and the server's. Listening to each is cheaper than joining them. */
  readonly signals: readonly AbortSignal[];
  readonly canFindTree: boolean;
  /** Puts what the program wrote into the outcome, also when it was stopped. */
  readonly keepsOutput: boolean;
}

/** The end of a run with what the audit records about it. */
export interface Finished {
  readonly outcome: Outcome;
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
    await settleDrains([stdout, stderr], () => killRest(end));
    const [out, err] = [await stdout.done, await stderr.done];
    const written = { stdout: out.bytes, stderr: err.bytes };
    const outcome = cause === undefined
      ? toEndOutcome(plan, status, written)
      : toStopOutcome(cause, plan, options);
    return {
      outcome: options.keepsOutput && hasRun(outcome) ? { ...outcome, written } : outcome,
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

/** Whether it is the end of a program that ran; a sandbox that failed wrote nothing of interest. */
function hasRun(outcome: Outcome): outcome is Extract<Outcome, { written?: Written }> {
  return outcome.kind !== "canceled" && outcome.kind !== "not_found" && outcome.kind !== "denied";
}

function finishEarly(outcome: Outcome): Finished {
  return {
    outcome,
    durationMs: 0,
    stdoutBytes: 0,
    stderrBytes: 0,
    ended: undefined,
  };
}

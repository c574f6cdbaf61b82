// Turns a launch plan into a running process. The environment is exactly the plan's, stdin is never inherited.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import type { Outcome } from "./outcome.ts";

/** A process that runs, or the outcome that says why it does not. */
export type Started =
  | { readonly kind: "running"; readonly child: Deno.ChildProcess }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** Starts a plan with all three streams under our control. */
export function startPlan(plan: LaunchPlan, stdin: "piped" | "null"): Started {
  try {
    return { kind: "running", child: spawn(plan, plan.env, stdin) };
  } catch (error) {
    // The name is not there, or is another program than the one that is allowed.
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotCapable;
    const isDirect = !plan.walls.some((wall) => wall !== "deno");
    const mayBeElsewhere = isMissing && isDirect && !plan.argv[0].includes("/");
    return mayBeElsewhere ? startElsewhere(plan, stdin) : failed(error, plan);
  }
}

/**
 * Deno looks a bare name up in the PATH that the child is given, but allows it where the server's own PATH has it.
 * Without a PATH for the child Deno takes the server's, which the server itself need not be able to read.
 */
function startElsewhere(plan: LaunchPlan, stdin: "piped" | "null"): Started {
  const { PATH: _, ...env } = plan.env;
  try {
    return { kind: "running", child: spawn(plan, env, stdin) };
  } catch (error) {
    return failed(error, plan);
  }
}

function spawn(plan: LaunchPlan, env: LaunchPlan["env"], stdin: "piped" | "null") {
  const [program, ...args] = plan.argv;
  const child = new Deno.Command(program, {
    args,
    clearEnv: true,
    env: { ...env },
    // Inside bubblewrap the directory is set by the sandbox; outside it may not be reachable.
    cwd: plan.walls.includes("bubblewrap") ? "/" : plan.cwd,
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  running += 1;
  child.status.finally(() => running -= 1);
  return child;
}

let running = 0;

/** How many processes that were started here still run; for the server's counters. */
export function countRunning(): number {
  return running;
}

function failed(error: unknown, plan: LaunchPlan): Started {
  return { kind: "ended", outcome: toOutcome(error, plan) };
}

function toOutcome(error: unknown, plan: LaunchPlan): Outcome {
  if (error instanceof Deno.errors.NotFound) {
    return error.message.includes("No such cwd")
      ? { kind: "denied", reason: "Working directory does not exist" }
      : { kind: "not_found", program: plan.program };
  }
  if (error instanceof Deno.errors.NotCapable) {
    return {
      kind: "denied",
      reason: `Deno does not allow "${plan.argv[0]}"; start the server with --allow-run=${
        plan.argv[0]
      }`,
    };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return { kind: "denied", reason: `"${plan.program}" is not executable` };
  }
  if (error instanceof Error) return { kind: "denied", reason: toReason(error, plan) };
  throw error;
}

/** The system's own words, without the path of the program. */
function toReason(error: Error, plan: LaunchPlan): string {
  const colon = error.message.indexOf("': ");
  const detail = colon === -1 ? error.message : error.message.slice(colon + 3);
  return `Cannot start "${plan.program}": ${detail}`;
}

// Ends a process and everything it started: ask, wait for the grace to pass, kill. What "everything" means depends
// on the plan: a PID namespace is ended whole by the kernel, a process group as far as its members stayed in it.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";

/** What ending needs besides the process. */
export interface EndOptions {
  readonly plan: LaunchPlan;
  /** Whether the `kill` program may be run; without it only the direct child of a group is signalled. */
  readonly canKillGroups: boolean;
  /** Closes stdin, which asks `control` and `stdin` plans to end. */
  readonly closeStdin: () => void;
}

/** Ends the tree. Resolves when the direct child is gone, and tells whether it had to be killed. */
export async function endTree(
  child: Deno.ChildProcess,
  options: EndOptions,
): Promise<"asked" | "killed"> {
  const { plan } = options;
  if (plan.stop === "group") await signalGroup(child, "TERM", options);
  else options.closeStdin();
  if (await endsWithin(child, plan.limits.graceMs)) {
    // The leader is gone; members of its group may have ignored TERM.
    if (plan.stop === "group") await killRest(child, options);
    return "asked";
  }
  await killTree(child, options);
  return "killed";
}

/** Kills the tree without asking. Resolves when the direct child is gone. */
export async function killTree(child: Deno.ChildProcess, options: EndOptions): Promise<void> {
  if (options.plan.stop === "group") await signalGroup(child, "KILL", options);
  else signalChild(child, "SIGKILL");
  await child.status;
}

/** Kills what is left of a group whose leader has ended. */
export async function killRest(child: Deno.ChildProcess, options: EndOptions): Promise<void> {
  if (options.canKillGroups) await runKill("KILL", child.pid);
}

async function signalGroup(
  child: Deno.ChildProcess,
  signal: "TERM" | "KILL",
  options: EndOptions,
): Promise<void> {
  // A scoped --allow-run forbids Deno.kill(), for a group as for any process but a direct child.
  if (!options.canKillGroups || !await runKill(signal, child.pid)) {
    signalChild(child, signal === "TERM" ? "SIGTERM" : "SIGKILL");
  }
}

function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // A child that has ended already is what we want.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function runKill(signal: string, group: number): Promise<boolean> {
  const { success } = await new Deno.Command("kill", {
    args: [`-${signal}`, "--", `-${group}`],
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}

async function endsWithin(child: Deno.ChildProcess, graceMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), graceMs);
  child.status.then(() => resolve(true));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

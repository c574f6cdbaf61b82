// Ends a process and everything it started: ask, wait for the grace to pass, kill. A PID namespace is ended whole by
// the kernel. Without one, descendants are found by the mark they inherited, wherever they have moved to.

import { type LaunchPlan, MARK_NAME } from "../sandbox/launch_plan.ts";

/** Often enough not to be felt, seldom enough not to load the machine. */
const POLL_MS = 50;

/** What ending needs besides the process. */
export interface EndOptions {
  readonly plan: LaunchPlan;
  /** Whether `ps` and `kill` may be run; without them only the direct child of a marked launch is ended. */
  readonly canFindTree: boolean;
  /** Closes stdin, which asks `control` and `stdin` plans to end. */
  readonly closeStdin: () => void;
}

/** Ends the tree. Resolves when the direct child is gone, and tells whether it had to be killed. */
export async function endTree(
  child: Deno.ChildProcess,
  options: EndOptions,
): Promise<"asked" | "killed"> {
  const { plan } = options;
  options.closeStdin();
  if (plan.stop === "marked") {
    signalChild(child, "SIGTERM");
    if (options.canFindTree) await signalMarked(plan.mark, "TERM");
  }
  const deadline = performance.now() + plan.limits.graceMs;
  const isGone = await endsWithin(child, plan.limits.graceMs);
  if (!isGone) signalChild(child, "SIGKILL");
  if (plan.stop === "marked" && options.canFindTree) await waitForMarked(plan.mark, deadline);
  const hadRest = await killRest(options);
  await child.status;
  return isGone && !hadRest ? "asked" : "killed";
}

/** Kills the descendants that outlived a marked launch, and tells whether there were any; a namespace leaves none. */
export async function killRest(options: EndOptions): Promise<boolean> {
  if (options.plan.stop !== "marked" || !options.canFindTree) return false;
  return await signalMarked(options.plan.mark, "KILL");
}

function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // A child that has ended already is what we want.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Signals every process with the mark, and tells whether there was one. A scoped --allow-run forbids Deno.kill() for
 * anything but a direct child, so programs have to do it.
 */
async function signalMarked(mark: string, signal: "TERM" | "KILL"): Promise<boolean> {
  const pids = await listMarked(mark);
  if (pids.length === 0) return false;
  await new Deno.Command("kill", {
    args: [`-${signal}`, ...pids],
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return true;
}

/** Gives descendants the rest of the grace. */
async function waitForMarked(mark: string, deadline: number): Promise<void> {
  while (performance.now() < deadline && (await listMarked(mark)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** `ps` shows the environment of this user's processes behind their arguments; only the mark is looked for in it. */
async function listMarked(mark: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["xeww", "-o", "pid=,stat=,command="],
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  const pids: string[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [pid = "", state = ""] = line.trim().split(/\s+/, 2);
    if (line.includes(`${MARK_NAME}=${mark}`) && !state.startsWith("Z")) pids.push(pid);
  }
  return pids;
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

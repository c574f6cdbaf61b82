// Ends a process and everything it started: ask, wait for the grace to pass, kill. A PID namespace is ended whole by
// the kernel. Without one, descendants are found by the mark they inherited and by whom they hang together with.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { findTree, listProcesses, type RunningProcess } from "./process_list.ts";

/** Often enough not to be felt, seldom enough not to load the machine. */
const POLL_MS = 50;

/** A tree that keeps forking is looked for again after each kill, this often. */
const KILL_ROUNDS = 8;

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
  const isSearched = plan.stop === "marked" && options.canFindTree;
  options.closeStdin();
  // Looked for while the direct child still lives: afterwards its descendants have another parent.
  let tree = isSearched ? await findLaunch(plan.mark, [], child.pid) : [];
  if (plan.stop === "marked") {
    signalChild(child, "SIGTERM");
    await signalAll(tree, "TERM");
  }
  const { graceMs } = plan.limits;
  const deadline = performance.now() + graceMs;
  // A program that reads stdin has been asked by its end; TERM is for the one that does not listen.
  const isGone = plan.stop === "stdin" && options.canFindTree
    ? await endsWithin(child, graceMs / 2) || await termNamespace(child, graceMs / 2)
    : await endsWithin(child, graceMs);
  if (!isGone) signalChild(child, "SIGKILL");
  while (isSearched && performance.now() < deadline) {
    tree = await findLaunch(plan.mark, tree);
    if (tree.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const hadRest = await killRest(options, tree);
  await child.status;
  return isGone && !hadRest ? "asked" : "killed";
}

/** Kills the descendants that outlived a marked launch, and tells whether there were any; a namespace leaves none. */
export async function killRest(
  options: EndOptions,
  seen: readonly RunningProcess[] = [],
): Promise<boolean> {
  if (options.plan.stop !== "marked" || !options.canFindTree) return false;
  let tree = seen;
  for (let round = 0; round < KILL_ROUNDS; round++) {
    tree = await findLaunch(options.plan.mark, tree);
    if (tree.length === 0) return round > 0;
    await signalAll(tree, "KILL");
  }
  return true;
}

/**
 * Sends TERM to everything in a namespace. Its first process is bubblewrap, to which every orphan in it falls, so that
 * nothing is missing below. Bubblewrap itself, outside, would end the namespace at once.
 */
async function termNamespace(child: Deno.ChildProcess, graceMs: number): Promise<boolean> {
  const processes = await listProcesses("");
  const tree = findTree(processes, processes.filter(({ parent }) => parent === child.pid));
  await signalAll(tree, "TERM");
  return await endsWithin(child, graceMs);
}

/** The processes of a launch that run now; `root` is the direct child while it is known to live. */
async function findLaunch(
  mark: string,
  seen: readonly RunningProcess[],
  root?: number,
): Promise<readonly RunningProcess[]> {
  const processes = await listProcesses(mark);
  return findTree(processes, [...seen, ...processes.filter(({ pid }) => pid === root)]);
}

function signalChild(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // A child that has ended already is what we want.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** A scoped --allow-run forbids Deno.kill() for anything but a direct child, so a program has to do it. */
async function signalAll(
  processes: readonly RunningProcess[],
  signal: "TERM" | "KILL",
): Promise<void> {
  if (processes.length === 0) return;
  await new Deno.Command("kill", {
    args: [`-${signal}`, ...processes.map(({ pid }) => String(pid))],
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
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

// Finds the processes of a launch that has no namespace: those that carry its mark, and whatever hangs together with
// them. A process that wiped its environment is still the child of somebody, or in a group that somebody opened.

import { MARK_NAME } from "../sandbox/launch_plan.ts";

/** One running process; `started` tells it from a later one that was given the same number. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
  readonly isMarked: boolean;
}

/** What `ps` is told to print: numbers, state, five words of time, then arguments and environment. */
const COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=,command=";
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){5})(.*)$/;

/** Lists this user's processes. `ps` shows their environment too; only the mark, if any, is looked for in it. */
export async function listProcesses(mark: string): Promise<readonly RunningProcess[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["xeww", "-o", COLUMNS],
    clearEnv: true,
    env: { LC_ALL: "C" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return parseProcesses(new TextDecoder().decode(stdout), mark);
}

/** Reads the output of `ps`, without processes that have ended and only wait to be noticed. */
export function parseProcesses(text: string, mark: string): readonly RunningProcess[] {
  const processes: RunningProcess[] = [];
  for (const line of text.split("\n")) {
    const [, pid, parent, group, state = "", started = "", command = ""] = LINE.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z")) continue;
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      started,
      isMarked: mark !== "" && command.includes(`${MARK_NAME}=${mark}`),
    });
  }
  return processes;
}

/** The processes with the mark, those seen before, and everything below them or in a group that one of them leads. */
export function findTree(
  processes: readonly RunningProcess[],
  seen: readonly RunningProcess[],
): readonly RunningProcess[] {
  const tree = new Map<number, RunningProcess>();
  for (const process of processes) {
    const isSeen = seen.some(({ pid, started }) => {
      return pid === process.pid && started === process.started;
    });
    if (process.isMarked || isSeen) tree.set(process.pid, process);
  }
  for (let size = -1; size !== tree.size;) {
    size = tree.size;
    for (const process of processes) {
      if (tree.has(process.parent) || tree.has(process.group)) tree.set(process.pid, process);
    }
  }
  return [...tree.values()];
}

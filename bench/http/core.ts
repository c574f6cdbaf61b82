// One processor core for a server and its load.

/** The last core that this process may use: the system's own work is mostly on the first. */
export async function findCore(): Promise<number> {
  // Deno opens files below /proc only for programs that hold every permission, so `cat` does.
  const { stdout } = await new Deno.Command("cat", { args: ["/proc/self/status"] }).output();
  const core = /^Cpus_allowed_list:.*?(\d+)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (core === undefined) {
    throw new Error("Cannot find out which cores there are: this needs Linux");
  }
  return Number(core);
}

/** A command that runs on one core; as it is where none is given. */
export function pin(
  command: readonly [string, ...string[]],
  core: number | undefined,
): readonly [string, ...string[]] {
  return core === undefined ? command : ["taskset", "--cpu-list", `${core}`, ...command];
}

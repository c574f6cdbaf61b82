// Which subcommand a list of arguments for `bn` names, wherever its global options stand, and which repositories.

/** Subcommands that `bn_run` refuses: they never end, serve themselves, or need the agent's own shell. */
const BLOCKED: ReadonlySet<string> = new Set([
  "agent",
  "goodbye",
  "gui",
  "mcp",
  "orient",
  "system",
]);

/** Those with a tool of their own. */
const LIFECYCLE: ReadonlySet<string> = new Set(["goodbye", "orient"]);

/** Why the arguments may not be run; `undefined` when they may. */
export function findBlockReason(args: readonly string[]): string | undefined {
  const command = findBlocked(args);
  if (command === undefined) return undefined;
  const reason = `Subcommand '${command}' is blocked in bn_run.`;
  return LIFECYCLE.has(command)
    ? `${reason} Use the dedicated MCP tool instead: binnacle-${command}. ` +
      `Use shell tool for 'bn ${command}' to enable agent termination.`
    : `${reason} Use shell tool for 'bn ${command}' if it is really needed.`;
}

/** The values of -C and --repo, which `bn` takes anywhere. */
export function findRepositories(args: readonly string[]): readonly string[] {
  return args.flatMap((word, index) => {
    const { value, takesNext } = readOption(word);
    return takesNext && value === undefined ? args.slice(index + 1, index + 2) : value ?? [];
  });
}

/** The blocked word among those that may be the subcommand. */
function findBlocked(args: readonly string[]): string | undefined {
  // A word behind an option that is not known here may be the option's value or the subcommand: both are looked at.
  let mayBeValue = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    if (word === "--") continue;
    if (!word.startsWith("-")) {
      if (BLOCKED.has(word)) return word;
      if (!mayBeValue) return undefined;
      mayBeValue = false;
      continue;
    }
    const { value, takesNext, isKnown } = readOption(word);
    if (takesNext && value === undefined) index += 1;
    mayBeValue = !isKnown;
  }
  return undefined;
}

interface Option {
  readonly isKnown: boolean;
  /** Names a repository, here or in the next word. */
  readonly takesNext: boolean;
  readonly value?: string;
}

const SWITCHES: ReadonlySet<string> = new Set(["--human", "--help", "--version"]);

function readOption(word: string): Option {
  if (word.startsWith("--")) {
    if (word.startsWith("--repo=")) {
      return { isKnown: true, takesNext: true, value: word.slice("--repo=".length) };
    }
    return { isKnown: SWITCHES.has(word) || word.includes("="), takesNext: word === "--repo" };
  }
  // Short options stand together: -H, -HC DIR, -HCDIR.
  const [, , rest] = /^-([HhV]*)C(.*)$/s.exec(word) ?? [];
  if (rest === undefined) return { isKnown: /^-[HhV]+$/.test(word), takesNext: false };
  const value = rest.startsWith("=") ? rest.slice(1) : rest;
  return { isKnown: true, takesNext: true, ...(rest === "" ? {} : { value }) };
}

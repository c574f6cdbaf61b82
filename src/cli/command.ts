// What every command of the command line is made of.

/** One word after `mod.ts`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole help text, with examples. */
  readonly help: string;
  /** It answers `--help` among its arguments itself. */
  readonly answersHelp?: true;
  /** Runs it and returns the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** The person's command line cannot be understood; ends with exit code 2 and one sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** For `unknown` of `parseArgs`: an option that nobody declared is refused, a plain word is taken. */
export function refuseUnknown(argument: string, key?: string): boolean {
  if (key !== undefined) throw new UsageError(`Unknown option "${argument}"`);
  return true;
}

// The version of this program; a test keeps it equal to the one in `deno.json`.

/** The version, as `--version` prints it and clients see it. */
export const VERSION = "0.1.0";

// Environment variables, read only where that is permitted: a server must never make the runtime ask.

/** The value of a variable; `undefined` when it is not set or may not be read. */
export function findVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

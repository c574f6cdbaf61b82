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

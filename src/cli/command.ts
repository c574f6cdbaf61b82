// What every command of the command line is made of, and the terminal it writes to.

import type { Gateway } from "../gateway/gateway.ts";
import type { Log } from "../gateway/log.ts";
import type { ServedHttp } from "../gateway/serve_http.ts";
import type { LogLevel } from "../mcp/params.ts";

/** One word after `mod.ts`; one that serves is also a program of its own in `modes/`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole help text, with examples; made when somebody asks for it. */
  help(): string | Promise<string>;
  /** It answers `--help` among its arguments itself. */
  readonly answersHelp?: true;
  /** Runs it and returns the exit code. What serves over HTTP is handed in: a program may do without. */
  run(args: readonly string[], openHttp?: OpenHttp): Promise<number>;
}

// Serving over HTTP, as those see it who hand it to a command or are handed it.

/** What a person chose for a server over HTTP. */
export interface HttpChoice {
  /** `HOST:PORT`; empty for the default. */
  readonly address: string;
  readonly tokenFile: string | undefined;
  readonly allowOrigins: readonly string[];
  readonly allowHosts: readonly string[];
  readonly legacyEvents: boolean;
  /** Bounds that were given, by option. */
  readonly bounds: Readonly<Partial<Record<HttpBound, number>>>;
}

/** An option that bounds what HTTP clients may do. */
export type HttpBound = "max-connections" | "max-sessions" | "max-rate";

/** Reads what a person chose and checks that it can be served. */
export type OpenHttp = (choice: HttpChoice) => Promise<HttpPlan>;

/** A server that is ready to listen. */
export interface HttpPlan {
  /**
   * Listens until the signal aborts.
   *
   * @throws UsageError when another program listens there already.
   */
  listen(gateway: Gateway, signal: AbortSignal): ServedHttp;
}

/** The person's command line cannot be understood; ends with exit code 2 and one sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Runs a command, or prints its help where that is asked for. Returns the exit code. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  openHttp?: OpenHttp,
): Promise<number> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (!wantsHelp || command.answersHelp === true) return await command.run(args, openHttp);
  print(await command.help());
  return 0;
}

/** Runs a mode as a program of its own, on stdio. Returns the exit code. */
export function runMode(mode: Command, args: readonly string[]): Promise<number> {
  return catchMisuse(() => runCommand(mode, args), `modes/${mode.name}.ts --help`);
}

/** Does what a command line asks for; for one that cannot be understood, says so and where help is. */
export async function catchMisuse(work: () => Promise<number>, help: string): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printError(`${error.message}; see: ${help}\n`);
    return 2;
  }
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

// The terminal. Only this folder writes to it; stdout belongs to the protocol while a server runs.

const ENCODER = new TextEncoder();

/** Writes text to stdout. */
export function print(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes text to stderr. */
export function printError(text: string): void {
  writeAll(Deno.stderr, text);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = ENCODER.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}

/** A word for a POSIX shell; plain words stay as they are. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Longest text of one line. */
const MAX_TEXT = 2000;

const LEVELS: Readonly<Record<string, LogLevel>> = {
  assert: "error",
  debug: "debug",
  error: "error",
  trace: "debug",
  warn: "warning",
};

/**
 * Sends every method of the console to the log, for the rest of the process: code of activations that prints must
 * neither break the protocol on stdout nor wait for whoever reads stderr.
 */
export function captureConsole(log: Log): void {
  for (const method of Object.keys(console)) {
    if (typeof Reflect.get(console, method) !== "function") continue;
    Reflect.set(console, method, (...given: readonly unknown[]) => {
      // Methods without arguments, such as `groupEnd`, say nothing; an assertion that holds neither.
      if (given.length === 0 || (method === "assert" && given[0])) return;
      log.write(LEVELS[method] ?? "info", "console", { method, text: textOf(given) });
    });
  }
}

function textOf(given: readonly unknown[]): string {
  return given.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ")
    .slice(0, MAX_TEXT);
}

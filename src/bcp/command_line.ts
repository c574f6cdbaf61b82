/**
 * argv → what to do, by the rules of the reference's argument parser: no abbreviations, no repeats,
 * `--opt=value`, `-oVALUE` and `--` work. A wrong line is a value, not an exception.
 */

import {
  type CommandName,
  type CommandSpec,
  findCommand,
  GLOBAL_OPTIONS,
  optionLabel,
  type OptionSpec,
  toHelp,
  toUsage,
  VERSION_TEXT,
} from "./command_spec.ts";

const MAX_UINT32 = 0xffff_ffffn;
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/** A command with everything it was given. */
export interface CommandCall {
  readonly kind: "call";
  readonly command: CommandName;
  readonly file: string;
  readonly switches: ReadonlySet<string>;
  /** Values by long option name; numbers are already known to be in range. */
  readonly values: ReadonlyMap<string, string>;
}

/** What a command line means. */
export type CommandLine =
  | CommandCall
  | { readonly kind: "show"; readonly text: string }
  | { readonly kind: "wrong"; readonly text: string };

/** Parses the arguments after the program's name. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  if (argv.length === 0) return { kind: "wrong", text: toHelp() };
  const seen = new Set<string>();
  for (const [i, arg] of argv.entries()) {
    if (arg === "-h" || arg === "--help") return { kind: "show", text: toHelp() };
    if (arg === "-V" || arg === "--version") return { kind: "show", text: VERSION_TEXT };
    const option = findOption(GLOBAL_OPTIONS, arg);
    if (option !== undefined) {
      if (seen.has(option.long)) return wrong(repeated(option));
      seen.add(option.long);
    } else if (arg.startsWith("-") && arg !== "-") {
      return wrong(unexpected(arg));
    } else {
      return parseNamed(arg, argv.slice(i + 1), seen);
    }
  }
  return wrong("'bcp' requires a subcommand but one was not provided");
}

function parseNamed(name: string, rest: readonly string[], seen: Set<string>): CommandLine {
  if (name === "help") {
    const [topic] = rest;
    if (topic === undefined || topic === "help") return { kind: "show", text: toHelp() };
    const command = findCommand(topic);
    return command === undefined
      ? wrong(`unrecognized subcommand '${topic}'`)
      : { kind: "show", text: toHelp(command) };
  }
  const command = findCommand(name);
  if (command === undefined) return wrong(`unrecognized subcommand '${name}'`);
  return new ArgumentReader(command, seen).read(rest);
}

/** Reads the arguments of one command. */
class ArgumentReader {
  readonly #command: CommandSpec;
  readonly #options: readonly OptionSpec[];
  readonly #switches: Set<string>;
  readonly #values = new Map<string, string>();
  #file: string | undefined;

  constructor(command: CommandSpec, seen: Set<string>) {
    this.#command = command;
    this.#options = [...command.options, ...GLOBAL_OPTIONS];
    this.#switches = seen;
  }

  read(args: readonly string[]): CommandLine {
    const queue = [...args];
    let isLiteral = false;
    for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
      if (isLiteral || arg === "-" || !arg.startsWith("-")) {
        if (this.#file !== undefined) return wrong(unexpected(arg), this.#command);
        this.#file = arg;
      } else if (arg === "--") {
        isLiteral = true;
      } else if (arg === "--help" || arg === "-h") {
        return { kind: "show", text: toHelp(this.#command) };
      } else {
        const problem = this.#readOption(arg, queue);
        if (problem !== undefined) return wrong(problem, this.#command);
      }
    }
    return this.#finish();
  }

  /** Takes one option, and its value from the argument or the queue; returns what is wrong. */
  #readOption(arg: string, queue: string[]): string | undefined {
    const { name, attached, cluster } = splitOption(arg);
    const option = findOption(this.#options, name);
    if (option === undefined) return unexpected(name);
    if (this.#switches.has(option.long) || this.#values.has(option.long)) return repeated(option);
    if (option.value === undefined) {
      this.#switches.add(option.long);
      if (cluster !== undefined) queue.unshift(`-${cluster}`);
      else if (attached !== undefined) {
        const label = optionLabel(option);
        return `unexpected value '${attached}' for '${label}' found; no more were expected`;
      }
      return undefined;
    }
    return this.#readValue(option, attached ?? cluster, queue);
  }

  #readValue(
    option: OptionSpec,
    attached: string | undefined,
    queue: string[],
  ): string | undefined {
    const next = queue[0];
    if (attached === undefined && next !== undefined && isOptionLike(next)) {
      const isKnown = findOption(this.#options, splitOption(next).name) !== undefined;
      if (!isKnown) return unexpected(next);
    }
    const isTaken = attached === undefined && next !== undefined && !isOptionLike(next);
    const value = isTaken ? queue.shift() : attached;
    if (value === undefined || value === "") {
      return `a value is required for '${optionLabel(option)}' but none was supplied`;
    }
    const reason = findNumberProblem(option, value);
    if (reason !== undefined) {
      return `invalid value '${value}' for '${optionLabel(option)}': ${reason}`;
    }
    this.#values.set(option.long, value);
    return undefined;
  }

  #finish(): CommandLine {
    const missing = this.#command.options
      .filter(({ long, isRequired }) => isRequired === true && !this.#values.has(long))
      .map((option) => `  ${optionLabel(option)}`);
    if (this.#file === undefined) missing.push(`  <${this.#command.file.placeholder}>`);
    if (this.#file === undefined || missing.length > 0) {
      const list = missing.join("\n");
      return wrong(
        `the following required arguments were not provided:\n${list}`,
        this.#command,
      );
    }
    return {
      kind: "call",
      command: this.#command.name,
      file: this.#file,
      switches: this.#switches,
      values: this.#values,
    };
  }
}

interface SplitOption {
  readonly name: string;
  /** What follows `=`. */
  readonly attached?: string;
  /** What follows the letter of a short option: its value, or more letters. */
  readonly cluster?: string;
}

function splitOption(arg: string): SplitOption {
  if (!arg.startsWith("--")) {
    const [name, rest] = [arg.slice(0, 2), arg.slice(2)];
    if (rest.startsWith("=")) return { name, attached: rest.slice(1) };
    return rest === "" ? { name } : { name, cluster: rest };
  }
  const at = arg.indexOf("=");
  return at < 0 ? { name: arg } : { name: arg.slice(0, at), attached: arg.slice(at + 1) };
}

function findOption(options: readonly OptionSpec[], name: string): OptionSpec | undefined {
  return options.find(({ long, short }) =>
    name === `--${long}` || (short !== undefined && name === `-${short}`)
  );
}

function isOptionLike(arg: string): boolean {
  return arg.startsWith("-") && arg !== "-";
}

function findNumberProblem(option: OptionSpec, value: string): string | undefined {
  if (option.value === "text") return undefined;
  const max = option.value === "uint32" ? MAX_UINT32 : MAX_UINT64;
  if (option.value === "uint32" && /^-\d+$/.test(value)) return `${value} is not in 0..=${max}`;
  if (!/^\+?\d+$/.test(value)) return "invalid digit found in string";
  if (BigInt(value.replace("+", "")) <= max) return undefined;
  return option.value === "uint32"
    ? `${value} is not in 0..=${max}`
    : "number too large to fit in target type";
}

function unexpected(arg: string): string {
  return `unexpected argument '${arg}' found`;
}

function repeated(option: OptionSpec): string {
  return `the argument '${optionLabel(option)}' cannot be used multiple times`;
}

function wrong(problem: string, command?: CommandSpec): CommandLine {
  const hint = "For more information, try '--help'.";
  return { kind: "wrong", text: `error: ${problem}\n\n${toUsage(command)}\n\n${hint}\n` };
}

// What the `bcp` command needs from the world around it; `src/cli` binds it to the real one.

/** How reading a file ended. */
export type ReadOutcome =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | {
    readonly kind: "failed";
    /** The operating system's words: `No such file or directory (os error 2)`. */
    readonly reason: string;
    readonly isMissing: boolean;
  };

/** How writing a file ended; after a failure the file is as it was. */
export type WriteOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "failed"; readonly reason: string };

/** Files and the two text outputs. Paths arrive exactly as they were typed. */
export interface CommandIo {
  readFile(path: string): Promise<ReadOutcome>;
  /** Must be atomic: all of the bytes, or no change. */
  writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome>;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Something that ends a command with `error: …` and exit code 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/**
 * The bytes of a file.
 *
 * @throws {CommandFailure} when it cannot be read.
 */
export async function readFile(io: CommandIo, path: string): Promise<Uint8Array> {
  const outcome = await io.readFile(path);
  if (outcome.kind === "read") return outcome.bytes;
  throw new CommandFailure(`cannot read ${path}: ${outcome.reason}`);
}

/**
 * Writes a file.
 *
 * @throws {CommandFailure} when it cannot be written.
 */
export async function writeFile(io: CommandIo, path: string, bytes: Uint8Array): Promise<void> {
  const outcome = await io.writeFile(path, bytes);
  if (outcome.kind === "failed") {
    throw new CommandFailure(`cannot write ${path}: ${outcome.reason}`);
  }
}

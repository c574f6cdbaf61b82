// The grammar of a program's arguments, and the check of a list of arguments against it. There are no patterns to
// backtrack over: an argument is a listed word, a typed value, or refused.

import { hasControlCharacter } from "./path_rule.ts";

/** What one value may be. A `path` is resolved against the roots before it reaches the program. */
export type ArgumentType =
  | { readonly kind: "text"; readonly maxBytes: number; readonly multiline: boolean }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "path" };

/** Options by their exact spelling; `undefined` marks a switch without a value. */
export interface ArgumentGrammar {
  /** First words of which exactly one must come first; empty when the program has no subcommands. */
  readonly commands: readonly string[];
  readonly options: ReadonlyMap<string, ArgumentType | undefined>;
  readonly positionals: readonly ArgumentType[];
  /** Type of further positionals; `undefined` when there may be none. */
  readonly rest: ArgumentType | undefined;
  /** How many of `positionals` must be present. */
  readonly required: number;
}

/** The answer to a check: which indexes hold paths, or why the list is refused. */
export type ArgumentCheck =
  | { readonly kind: "accepted"; readonly pathIndexes: readonly number[] }
  | { readonly kind: "refused"; readonly index: number; readonly reason: string };

/** Linux refuses a longer single argument with E2BIG; refusing earlier gives a sentence instead. */
export const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** Together with the environment this stays below the smallest common `ARG_MAX`. */
export const MAX_ARGUMENTS_BYTES = 1024 * 1024;

/** Most arguments one launch may have. */
export const MAX_ARGUMENTS = 4096;

const ENCODER = new TextEncoder();

/** Checks arguments for what no program may be given, and, when there is a grammar, against it. */
export function checkArguments(
  args: readonly string[],
  grammar: ArgumentGrammar | undefined,
): ArgumentCheck {
  const size = checkSizes(args);
  if (size !== undefined) return size;
  if (grammar === undefined) return { kind: "accepted", pathIndexes: [] };
  const pathIndexes: number[] = [];
  let index = 0;
  if (grammar.commands.length > 0) {
    const command = args[0];
    if (command === undefined || !grammar.commands.includes(command)) {
      return refuse(0, `Expected one of ${quoteAll(grammar.commands)}`);
    }
    index = 1;
  }
  let positionals = 0;
  for (let arg = args[index]; arg !== undefined; arg = args[index]) {
    if (arg.startsWith("-")) {
      if (!grammar.options.has(arg)) {
        return refuse(index, `Option ${JSON.stringify(clip(arg))} is not listed in the manifest`);
      }
      const type = grammar.options.get(arg);
      index += 1;
      if (type === undefined) continue;
      const value = args[index];
      if (value === undefined) return refuse(index - 1, `Option "${arg}" needs a value`);
      const problem = findValueProblem(value, type);
      if (problem !== undefined) return refuse(index, problem);
      if (type.kind === "path") pathIndexes.push(index);
      index += 1;
      continue;
    }
    const type = grammar.positionals[positionals] ?? grammar.rest;
    if (type === undefined) return refuse(index, "More arguments than the manifest lists");
    const problem = findValueProblem(arg, type);
    if (problem !== undefined) return refuse(index, problem);
    if (type.kind === "path") pathIndexes.push(index);
    positionals += 1;
    index += 1;
  }
  if (positionals < grammar.required) {
    return refuse(args.length, `Expected at least ${grammar.required} positional arguments`);
  }
  return { kind: "accepted", pathIndexes };
}

function checkSizes(args: readonly string[]): ArgumentCheck | undefined {
  if (args.length > MAX_ARGUMENTS) {
    return refuse(MAX_ARGUMENTS, `More than ${MAX_ARGUMENTS} arguments`);
  }
  let total = 0;
  for (const [index, arg] of args.entries()) {
    if (arg.includes("\0")) return refuse(index, "Argument holds a NUL byte; remove it");
    const bytes = ENCODER.encode(arg).length;
    if (bytes > MAX_ARGUMENT_BYTES) {
      return refuse(index, `Argument is longer than ${MAX_ARGUMENT_BYTES} bytes; pass it on stdin`);
    }
    total += bytes + 1;
  }
  if (total > MAX_ARGUMENTS_BYTES) {
    return refuse(0, `Arguments are longer than ${MAX_ARGUMENTS_BYTES} bytes; pass them on stdin`);
  }
  return undefined;
}

function findValueProblem(value: string, type: ArgumentType): string | undefined {
  // A value that begins with "-" would be read as an option by most programs.
  if (value.startsWith("-") && !(type.kind === "integer" && /^-\d+$/.test(value))) {
    return `Value ${JSON.stringify(clip(value))} begins with "-"`;
  }
  switch (type.kind) {
    case "text":
      if (ENCODER.encode(value).length > type.maxBytes) {
        return `Value is longer than ${type.maxBytes} bytes`;
      }
      return !type.multiline && hasControlCharacter(value)
        ? "Value holds a control character"
        : undefined;
    case "integer":
      if (!/^-?\d{1,15}$/.test(value)) {
        return `Value ${JSON.stringify(clip(value))} is not an integer`;
      }
      return Number(value) < type.min || Number(value) > type.max
        ? `Value ${value} is not within ${type.min} and ${type.max}`
        : undefined;
    case "choice":
      return type.values.includes(value)
        ? undefined
        : `Value ${JSON.stringify(clip(value))} is none of ${quoteAll(type.values)}`;
    case "path":
      return value === "" || hasControlCharacter(value) ? "Value is not a path" : undefined;
  }
}

function refuse(index: number, reason: string): ArgumentCheck {
  return { kind: "refused", index, reason };
}

function clip(text: string): string {
  return text.length > 80 ? text.slice(0, 80) + "…" : text;
}

function quoteAll(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(", ");
}

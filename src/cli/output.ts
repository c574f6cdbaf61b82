// The terminal. Only this folder writes to it; stdout belongs to the protocol while a server runs.

import type { Log } from "../gateway/log.ts";
import type { LogLevel } from "../mcp/params.ts";

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
  const methods: Record<string, (...given: unknown[]) => void> = {};
  for (const [method, member] of Object.entries(console)) {
    if (typeof member !== "function") continue;
    methods[method] = (...given) => {
      // Methods without arguments, such as `groupEnd`, say nothing; an assertion that holds neither.
      if (given.length === 0 || (method === "assert" && given[0])) return;
      log.write(LEVELS[method] ?? "info", "console", { method, text: textOf(given) });
    };
  }
  Object.assign(console, methods);
}

function textOf(given: readonly unknown[]): string {
  return given.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ")
    .slice(0, MAX_TEXT);
}

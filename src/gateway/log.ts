// The server's own log: one JSON object a line, for people and their log collectors. Never on stdout, never argument
// values; bounded in rate, so that a flood of faults cannot become a flood of log. What becomes of a fault is told here
// too: the detail stands in the log under a short id, and the id is all of it that a client gets.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/message.ts";
import { isAtLeast, type LogLevel } from "../mcp/params.ts";

/** Writes what happened, in few words and fields. */
export interface Log {
  write(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Where and how much to log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Takes one line, its end included. */
  readonly sink: (line: string) => void;
  readonly maxLinesPerMinute?: number;
  /** The time in milliseconds since 1970; the system's unless given. */
  readonly now?: () => number;
}

const DEFAULT_LINES_PER_MINUTE = 600;

/** A log of structured lines. Past the rate it says once how much it leaves out, and goes on in the next minute. */
export function createLog(options: LogOptions): Log {
  const max = options.maxLinesPerMinute ?? DEFAULT_LINES_PER_MINUTE;
  const clock = options.now ?? Date.now;
  let minute = 0;
  let lines = 0;
  return {
    write(level, event, fields) {
      if (!isAtLeast(level, options.level)) return;
      const now = clock();
      const current = Math.floor(now / 60_000);
      if (current !== minute) {
        if (lines > max) emit(now, "warning", "log_lines_left_out", { count: lines - max });
        minute = current;
        lines = 0;
      }
      lines += 1;
      if (lines <= max) emit(now, level, event, fields);
    },
  };

  function emit(
    now: number,
    level: LogLevel,
    event: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    const line = { time: new Date(now).toISOString(), level, event, ...fields };
    options.sink(`${JSON.stringify(line)}\n`);
  }
}

/** Longest description of an error, and most causes behind it: both come from code that may be at fault. */
const MAX_DESCRIPTION = 2000;
const MAX_CAUSES = 5;

/** What a thrown value says, with its causes, for the log only. Never throws, whatever was thrown. */
export function describeError(error: unknown): string {
  try {
    return describe(error, MAX_CAUSES).slice(0, MAX_DESCRIPTION);
  } catch {
    return "A thrown value that cannot be described";
  }
}

function describe(error: unknown, causes: number): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined || causes === 0
    ? ""
    : ` (cause: ${describe(error.cause, causes - 1)})`;
  return `${error.name}: ${String(error.message).slice(0, MAX_DESCRIPTION)}${cause}`;
}

/** Anything thrown as the one error that crosses the wire: unknown faults become -32603 with their id in the log. */
export function toRpcError(error: unknown, log: Log): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(INTERNAL_ERROR, `Internal error (${reportFault(error, log)})`);
}

/** Logs a fault under a short random id and returns the id. */
export function reportFault(error: unknown, log: Log): string {
  const faultId = crypto.randomUUID().slice(0, 8);
  log.write("error", "fault", { faultId, error: describeError(error) });
  return faultId;
}

// Comparing severities.

import { LOG_LEVELS, type LogLevel } from "./model.ts";

/** What to tell someone who named no level. */
export const INVALID_LEVEL = `a level must be one of ${LOG_LEVELS.join(", ")}`;

/** Whether a value names a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether `level` is as severe as `threshold`, or more. */
export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

// Severities of log messages, and comparing them.

/** Severities, mildest first (RFC 5424). */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** A severity. */
export type LogLevel = typeof LOG_LEVELS[number];

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

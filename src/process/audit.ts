// Audit events of the launcher and their redaction. The launcher hands events to a sink it was given; where the lines
// go is decided above.

import type { Sandbox } from "../sandbox/launch_plan.ts";

/** On whose behalf something was started. */
export interface Caller {
  readonly client: string;
  readonly tool: string;
  readonly requestId: string | number;
}

/** One line of the audit. It never holds the value of a variable, and arguments only when asked to. */
export type AuditEvent =
  & {
    readonly time: string;
    readonly program: string;
    readonly caller: Caller | undefined;
  }
  & (
    | {
      readonly kind: "launch";
      readonly sandbox: Sandbox;
      readonly walls: readonly string[];
      /** Kind of the outcome. */
      readonly end: string;
      readonly exitCode: number;
      readonly durationMs: number;
      readonly stdoutBytes: number;
      readonly stderrBytes: number;
      readonly argumentCount: number;
      /** Redacted arguments, when the audit was asked for them. */
      readonly arguments?: readonly string[];
    }
    | { readonly kind: "denial"; readonly reason: string }
    | { readonly kind: "timeout"; readonly afterMs: number }
    | { readonly kind: "kill"; readonly cause: string }
    | { readonly kind: "leftover"; readonly paths: readonly string[] }
  );

/** Receives each event once, in order. Must not throw. */
export type AuditSink = (event: AuditEvent) => void;

/** Shapes of credentials that are worth hiding wherever they appear. */
const SECRETS: readonly RegExp[] = [
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}/g,
  /\bglpat-[A-Za-z0-9_-]{20,64}/g,
  /\bsk-[A-Za-z0-9_-]{16,255}/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,255}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[A-Za-z0-9_-]{5,4096}\.[A-Za-z0-9_-]{5,4096}\.[A-Za-z0-9_-]{5,4096}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
];
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,4096}/gi;
const ASSIGNED =
  /((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization)["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;&]{1,4096}/gi;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)/gi;

const HIDDEN = "[redacted]";

/** Longest text that reaches the audit; the patterns stay fast on it. */
const MAX_TEXT_CHARS = 8192;

/** Replaces what looks like a credential. */
export function redact(text: string): string {
  let result = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) + "…" : text;
  for (const pattern of SECRETS) result = result.replace(pattern, HIDDEN);
  return result.replace(BEARER, `$1 ${HIDDEN}`).replace(ASSIGNED, `$1${HIDDEN}`)
    .replace(URL_PASSWORD, `$1${HIDDEN}`);
}

/** One event as one JSON line. */
export function toAuditLine(event: AuditEvent): string {
  return JSON.stringify(event) + "\n";
}

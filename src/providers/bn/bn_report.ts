// What a run of `bn` came to, as clients of binnacle expect it.

import type { CallEvent } from "../../activation/activation.ts";
import type { JsonObject, JsonValue } from "../../jsonrpc/message.ts";
import { describeOutcome, type Outcome, toExitCode } from "../../process/outcome.ts";

/** One run. */
export type BnReport = {
  readonly stdout: string;
  readonly stderr: string;
  readonly "exit_code": number;
  readonly "timed_out"?: true;
  /** Not all that was written is here. */
  readonly truncated?: true;
};

const NO_SANDBOX = "The sandbox for bn could not be built; if bn was never used here, run " +
  "'bn session init' in a shell first";

const DECODER = new TextDecoder();

/** A run that did not happen. */
export function refusal(reason: string, exitCode: number): BnReport {
  return { stdout: "", stderr: reason, exit_code: exitCode };
}

/** Reports the end of a run. */
export function toReport(outcome: Outcome): BnReport {
  const reason = describeOutcome(outcome);
  const code = toExitCode(outcome);
  switch (outcome.kind) {
    case "not_found":
      return refusal("bn binary not found", code);
    case "denied":
      return refusal(outcome.cause === "sandbox" ? NO_SANDBOX : reason, code);
    case "canceled":
      return refusal(reason, code);
  }
  const stdout = DECODER.decode(outcome.written?.stdout);
  const said = DECODER.decode(outcome.written?.stderr);
  if (outcome.kind === "exited") return { stdout, stderr: said, exit_code: code };
  return {
    stdout,
    stderr: said === "" || said.endsWith("\n") ? said + reason : `${said}\n${reason}`,
    exit_code: code,
    ...(outcome.kind === "timed_out" ? { timed_out: true } : {}),
    ...(outcome.kind === "over_limit" ? { truncated: true } : {}),
  };
}

/** What `bn` printed, where it is JSON. */
export function findJson({ stdout, truncated }: BnReport): JsonValue | undefined {
  if (truncated === true || !/^\s*[[{]/.test(stdout)) return undefined;
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/** The answer of a tool that ran `bn`: text for every client, the same and parsed JSON for those that read structure. */
export function* tellReport(report: BnReport, more: JsonObject = {}): Generator<CallEvent> {
  const json = findJson(report);
  const value = { ...report, ...more };
  yield* tell(value, {
    isError: report.exit_code !== 0,
    structured: json === undefined ? value : { ...value, json },
  });
}

/** An answer in JSON. */
export function* tell(
  value: JsonObject,
  options: { readonly isError?: boolean; readonly structured?: JsonObject } = {},
): Generator<CallEvent> {
  const text = JSON.stringify(value);
  yield { kind: "structured", value: options.structured ?? value };
  yield options.isError === true
    ? { kind: "failure", message: text }
    : { kind: "content", block: { type: "text", text } };
}

// How a process ended, and the sentence a model reads about it.

/** What a program wrote, each pipe up to its bound. */
export interface Written {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** The end of one launch. Ends that a program reached carry what it wrote, for callers that asked. Only misuse throws; every end of a program is one of these. */
export type Outcome =
  | {
    readonly kind: "exited";
    readonly code: number;
    readonly stdout: Uint8Array;
    readonly stderrTail: string;
    readonly written?: Written;
  }
  | {
    readonly kind: "signaled";
    readonly signal: string;
    readonly stderrTail: string;
    readonly written?: Written;
  }
  | { readonly kind: "timed_out"; readonly afterMs: number; readonly written?: Written }
  | { readonly kind: "canceled" }
  | {
    readonly kind: "over_limit";
    readonly limit: "stdout" | "stderr";
    readonly maxBytes: number;
    readonly written?: Written;
  }
  | { readonly kind: "not_found"; readonly program: string }
  | {
    readonly kind: "denied";
    readonly reason: string;
    /** The sandbox failed by itself; its reason names paths of the host, which are not for clients. */
    readonly cause?: "sandbox";
  };

/** Exit codes shells and `timeout` use for ends that are not the program's own. */
const TIMED_OUT_CODE = 124;
const DENIED_CODE = 126;
const NOT_FOUND_CODE = 127;
const CANCELED_CODE = 130;
const OVER_LIMIT_CODE = 137;

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

/** The exit code a shell would show for this end. */
export function toExitCode(outcome: Outcome): number {
  switch (outcome.kind) {
    case "exited":
      return outcome.code;
    case "signaled":
      return 128 + (SIGNAL_NUMBERS[outcome.signal] ?? 0);
    case "timed_out":
      return TIMED_OUT_CODE;
    case "canceled":
      return CANCELED_CODE;
    case "over_limit":
      return OVER_LIMIT_CODE;
    case "not_found":
      return NOT_FOUND_CODE;
    case "denied":
      return DENIED_CODE;
  }
}

/** One sentence about an end that a model can act on. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case "exited":
      return outcome.code === 0
        ? "Command succeeded"
        : `Command failed with exit code ${outcome.code}`;
    case "signaled":
      return `Command was ended by ${outcome.signal}`;
    case "timed_out":
      return `Command timed out after ${toSeconds(outcome.afterMs)} seconds`;
    case "canceled":
      return "Command was canceled";
    case "over_limit":
      return `Command wrote more than ${outcome.maxBytes} bytes to ${outcome.limit}; ask for less output`;
    case "not_found":
      return `${outcome.program} binary not found`;
    case "denied":
      return `Command was denied: ${outcome.reason}`;
  }
}

/** Escape sequences of terminals, OSC and its kin with their text. */
const SEQUENCES =
  // deno-lint-ignore no-control-regex
  /\x1b(?:[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|\[[0-?]{0,64}[ -/]{0,8}[@-~]?|[ -/]{0,8}[0-~]?)/g;

/** Control characters but tab and line feed, and characters that are not seen: a terminal or a person may be misled. */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** What a program said, as text that neither a terminal obeys nor a reader overlooks. */
export function toPlainText(text: string): string {
  return text.replace(SEQUENCES, "").replaceAll("\r\n", "\n").replace(UNSEEN, "");
}

function toSeconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}

/** The name of the signal behind an exit code above 128, as a shell or bubblewrap reports it. */
export function findSignalName(code: number): string | undefined {
  for (const [name, number] of Object.entries(SIGNAL_NUMBERS)) {
    if (code === 128 + number) return name;
  }
  return undefined;
}

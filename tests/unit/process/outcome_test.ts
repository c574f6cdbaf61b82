import { assertEquals } from "@std/assert";
import {
  describeOutcome,
  findSignalName,
  type Outcome,
  toExitCode,
} from "../../../src/process/outcome.ts";

const stdout = new Uint8Array(0);

const CASES: readonly (readonly [outcome: Outcome, code: number, sentence: string])[] = [
  [{ kind: "exited", code: 0, stdout, stderrTail: "" }, 0, "Command succeeded"],
  [{ kind: "exited", code: 3, stdout, stderrTail: "" }, 3, "Command failed with exit code 3"],
  [{ kind: "signaled", signal: "SIGSEGV", stderrTail: "" }, 139, "Command was ended by SIGSEGV"],
  [{ kind: "signaled", signal: "SIGRTMIN", stderrTail: "" }, 128, "Command was ended by SIGRTMIN"],
  [{ kind: "timed_out", afterMs: 30_000 }, 124, "Command timed out after 30 seconds"],
  [{ kind: "timed_out", afterMs: 1500 }, 124, "Command timed out after 1.5 seconds"],
  [{ kind: "canceled" }, 130, "Command was canceled"],
  [
    { kind: "over_limit", limit: "stdout", maxBytes: 9 },
    137,
    "Command wrote more than 9 bytes to stdout; ask for less output",
  ],
  [{ kind: "not_found", program: "bn" }, 127, "bn binary not found"],
  [{ kind: "denied", reason: "No grant" }, 126, "Command was denied: No grant"],
];

Deno.test("describeOutcome() and toExitCode() word every end", () => {
  for (const [outcome, code, sentence] of CASES) {
    assertEquals([toExitCode(outcome), describeOutcome(outcome)], [code, sentence]);
  }
});

Deno.test("findSignalName() knows the codes of shells", () => {
  assertEquals([findSignalName(137), findSignalName(143), findSignalName(200)], [
    "SIGKILL",
    "SIGTERM",
    undefined,
  ]);
});

// Reads the end of a process off its status. A sandbox stands between us and the program, so its own failures and its
// way of reporting signals have to be told apart from the program's.

import type { LaunchPlan } from "../sandbox/launch_plan.ts";
import { NOT_FOUND_MARK } from "../sandbox/plan_launch.ts";
import { findSignalName, type Outcome, toPlainText } from "./outcome.ts";

/** As much of stderr as a model can use. */
export const STDERR_TAIL_BYTES = 4096;

const DECODER = new TextDecoder();

/** Turns the status of a process into an outcome, seeing through the sandbox around it. */
export function toEndOutcome(
  plan: LaunchPlan,
  status: Deno.CommandStatus,
  output: { readonly stdout: Uint8Array; readonly stderr: Uint8Array },
): Outcome {
  const tail = output.stderr.subarray(Math.max(0, output.stderr.length - STDERR_TAIL_BYTES));
  const stderrTail = toPlainText(DECODER.decode(tail));
  if (status.signal !== null) return { kind: "signaled", signal: status.signal, stderrTail };
  // Whatever has a namespace was started by bubblewrap, as a sandbox or as a leash.
  if (plan.stop !== "marked") {
    if (status.code === 127 && stderrTail === NOT_FOUND_MARK) {
      return { kind: "not_found", program: plan.program };
    }
    if (status.code === 1 && output.stdout.length === 0 && stderrTail.startsWith("bwrap: ")) {
      const reason = `Sandbox could not be built: ${stderrTail.trim()}`;
      return { kind: "denied", reason, cause: "sandbox" };
    }
    // Bubblewrap exits like a shell when the program dies by a signal.
    const signal = findSignalName(status.code);
    if (signal !== undefined) return { kind: "signaled", signal, stderrTail };
  }
  return { kind: "exited", code: status.code, stdout: output.stdout, stderrTail };
}

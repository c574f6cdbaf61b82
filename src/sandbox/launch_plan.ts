// The launch plan: everything that decides how a program is started, frozen and printable, so that a person can read
// it and a test can pin it. Nothing is inherited and nothing is added later.

import type { Limits } from "../permission/manifest.ts";

/** The mechanism that mainly confines the program. */
export type Sandbox = "deno" | "bubblewrap" | "seatbelt" | "unconfined";

/**
 * How the launcher asks the whole process tree to end.
 * - `control`: the end of stdin makes a watcher inside the PID namespace send TERM to every process in it.
 * - `stdin`: the program itself reads stdin and is expected to end when it closes; if it does not, TERM goes to every
 *   process of the namespace, where `ps` and `kill` may be run.
 * - `marked`: TERM goes to every process that carries the launch's mark in its environment, or to the direct child
 *   where `ps` and `kill` may not be run.
 */
export type StopMethod = "control" | "stdin" | "marked";

/** A path the sandbox has to cover although it may not exist; the launcher removes what was made for it. */
export interface Mask {
  readonly path: string;
  readonly shape: "file" | "directory";
}

/** How exactly one program is started. */
export interface LaunchPlan {
  /** Program and arguments; never a shell string. */
  readonly argv: readonly [string, ...string[]];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** Every mechanism in force, the main one first. */
  readonly walls: readonly Exclude<Sandbox, "unconfined">[];
  readonly limits: Limits;
  readonly stop: StopMethod;
  /** The random word that descendants of a `marked` launch are found by. Other launches have a namespace. */
  readonly mark: string;
  /** The program's own name, for outcomes and the audit. */
  readonly program: string;
  /** Paths that did not exist and that the sandbox covers by making them; absent again after the launch. */
  readonly masks: readonly Mask[];
}

/** What a caller wants started, within the grants of one program. */
export interface PlanRequest {
  readonly args: readonly string[];
  /** Variables for the child; each name must be granted. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `none` gives the program an empty stdin; `piped` lets the caller write to it. */
  readonly stdin: "none" | "piped";
  /** A random word of this launch. */
  readonly mark: string;
  /** What stands at the paths a sandbox has to cover, by path. */
  readonly shapes: ReadonlyMap<string, PathShape>;
}

/** What stands at a path; `unknown` when it could not be looked at. */
export type PathShape = "file" | "directory" | "missing" | "unknown";

/** A plan, or the reason there is none. */
export type PlanResult =
  | { readonly kind: "planned"; readonly plan: LaunchPlan }
  | { readonly kind: "refused"; readonly reason: string };

/** The variable that carries the mark of a launch. */
export const MARK_NAME = "BULKHEAD_LAUNCH";

/** Freezes a plan through and through. */
export function freezePlan(plan: LaunchPlan): LaunchPlan {
  Object.freeze(plan.argv);
  Object.freeze(plan.env);
  Object.freeze(plan.walls);
  for (const mask of Object.freeze(plan.masks)) Object.freeze(mask);
  return Object.freeze(plan);
}

/** Prints a plan for people: one line a fact, values of variables left out. */
export function toPlanText(plan: LaunchPlan): string {
  const { limits } = plan;
  return [
    `program ${plan.program}`,
    `sandbox ${plan.sandbox}${plan.walls.length > 1 ? ` (${plan.walls.join(" + ")})` : ""}`,
    `cwd     ${plan.cwd}`,
    `env     ${Object.keys(plan.env).sort().join(" ")}`,
    `limits  ${limits.timeoutMs} ms + ${limits.graceMs} ms, ${limits.maxStdoutBytes} + ${limits.maxStderrBytes} bytes`,
    ...plan.argv.map((word, index) => `${index === 0 ? "argv    " : "        "}${toWord(word)}`),
  ].join("\n");
}

function toWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

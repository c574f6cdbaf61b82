// The launcher: the only way to start anything, bound to the grants of one activation. It checks, plans, bounds and
// records every launch.

import { checkArguments } from "../permission/argument_grammar.ts";
import type { Grants } from "../permission/grants.ts";
import { listShapePaths } from "../sandbox/bubblewrap.ts";
import type { Host } from "../sandbox/host.ts";
import type { LaunchPlan, PathShape } from "../sandbox/launch_plan.ts";
import { isConfined, planLaunch, SANDBOX_PATH } from "../sandbox/plan_launch.ts";
import { type AuditEvent, type AuditSink, type Caller, redact } from "./audit.ts";
import { type Child, spawnPlan } from "./child.ts";
import { Masks } from "./masks.ts";
import { NestedNames } from "./nested_names.ts";
import { type Outcome, toExitCode } from "./outcome.ts";
import { Pins } from "./pins.ts";
import { findAllowed } from "./own_permissions.ts";
import { resolveInRoots } from "./root_guard.ts";
import { type Finished, runPlan } from "./run_plan.ts";
import { Slots } from "./slots.ts";
import type { Watchdog } from "./watchdog.ts";

/** One program to start, by its name in the manifest. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
  /** Variables for the program; each name must be granted. */
  readonly env?: Readonly<Record<string, string>>;
  /** Real path of the working directory; the private temporary directory when absent. */
  readonly cwd?: string;
  /** Bytes for stdin of `run`; without them stdin is empty. */
  readonly stdin?: Uint8Array;
  /** A bound shorter than the manifest's; a longer one is ignored. */
  readonly timeoutMs?: number;
  /** `run` only: the outcome carries what the program wrote, also when it was stopped. */
  readonly keepsOutput?: boolean;
  readonly caller?: Caller;
}

/** Starts programs within one set of grants. */
export interface Launcher {
  /** Runs a program to its end. */
  run(program: Program, signal: AbortSignal): Promise<Outcome>;
  /** Starts a long-lived program with piped stdin and stdout. */
  spawn(program: Program, signal: AbortSignal): Promise<Spawned>;
}

/** A running child, or the outcome that says why there is none. */
export type Spawned =
  | { readonly kind: "running"; readonly child: Child }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** What a launcher is bound to. */
export interface LauncherOptions {
  /** Grants by program name. */
  readonly grants: ReadonlyMap<string, Grants>;
  readonly host: Host;
  /** Real paths that path arguments must lie in. */
  readonly roots: readonly string[];
  /** Aborted when the server ends. */
  readonly shutdown: AbortSignal;
  readonly audit: AuditSink;
  /** Write arguments, redacted, into the audit. */
  readonly auditArguments?: boolean;
  /** Shared by all launchers of one server. */
  readonly masks?: Masks;
  /** Shared likewise; without it a launch that has no namespace may outlive a server that is killed. */
  readonly watchdog?: Watchdog;
}

/** The launcher that starts real processes. */
export class ProcessLauncher implements Launcher {
  readonly #options: LauncherOptions;
  readonly #masks: Masks;
  readonly #nested = new NestedNames();
  readonly #pins = new Pins();
  readonly #slots = new Map<string, Slots>();

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#masks = options.masks ?? new Masks(options.watchdog);
    for (const [name, { limits }] of options.grants) {
      this.#slots.set(name, new Slots(limits.maxConcurrent));
    }
  }

  async run(program: Program, signal: AbortSignal): Promise<Outcome> {
    const taken = await this.#take(program, signal);
    if (taken !== undefined) return taken;
    try {
      const result = await this.#plan(program, program.stdin === undefined ? "none" : "piped");
      if (result.kind === "refused") return this.#deny(program, result.reason);
      const { plan } = result;
      const { timeoutMs } = plan.limits;
      const held = this.#masks.hold(plan.masks);
      try {
        await held;
        const finished = await runPlan(plan, {
          stdin: program.stdin,
          timeoutMs: Math.min(timeoutMs, program.timeoutMs ?? timeoutMs),
          signals: [signal, this.#options.shutdown],
          canFindTree: this.#options.host.canFindTree,
          keepsOutput: program.keepsOutput === true,
        });
        this.#record(program, plan, finished);
        return finished.outcome;
      } finally {
        await this.#releaseMasks(program, plan);
      }
    } finally {
      this.#slots.get(program.name)?.release();
    }
  }

  async spawn(program: Program, signal: AbortSignal): Promise<Spawned> {
    const stop = AbortSignal.any([signal, this.#options.shutdown]);
    const taken = await this.#take(program, signal);
    if (taken !== undefined) return { kind: "ended", outcome: taken };
    const release = () => this.#slots.get(program.name)?.release();
    const result = await this.#plan(program, "piped");
    if (result.kind === "refused") {
      release();
      return { kind: "ended", outcome: this.#deny(program, result.reason) };
    }
    const { plan } = result;
    const startedAt = performance.now();
    await this.#masks.hold(plan.masks);
    const spawned = spawnPlan(plan, {
      signal: stop,
      canFindTree: this.#options.host.canFindTree,
      onEnd: async (finished) => {
        const durationMs = performance.now() - startedAt;
        this.#record(program, plan, { ...finished, durationMs });
        await this.#releaseMasks(program, plan);
        release();
      },
    });
    if (spawned.kind === "ended") {
      await this.#releaseMasks(program, plan);
      release();
      if (spawned.outcome.kind === "denied") this.#deny(program, spawned.outcome.reason);
    }
    return spawned;
  }

  async #take(program: Program, signal: AbortSignal): Promise<Outcome | undefined> {
    const slots = this.#slots.get(program.name);
    if (slots === undefined) {
      return this.#deny(program, `Program "${program.name}" is not in the manifest; add it`);
    }
    const { shutdown } = this.#options;
    const place = signal.aborted || shutdown.aborted
      ? "canceled"
      : slots.tryAcquire()
      ? "acquired"
      : await slots.acquire(AbortSignal.any([signal, shutdown]));
    if (place === "canceled") return { kind: "canceled" };
    if (place === "full") {
      return this.#deny(
        program,
        `Too many calls of "${program.name}" are waiting; try again later`,
      );
    }
    return undefined;
  }

  async #plan(program: Program, stdin: "none" | "piped") {
    const { host, grants: all, roots, watchdog } = this.#options;
    const known = all.get(program.name);
    if (known === undefined) throw new TypeError(`No grants for "${program.name}"`);
    const problem = await this.#pins.findProblem(known);
    if (problem !== undefined) {
      return { kind: "refused", reason: `Cannot start "${known.name}": ${problem}` } as const;
    }
    const isGuarded = known.kind === "deno" || isConfined(known, host);
    const nested = isGuarded ? await this.#nested.find(known) : [];
    const grants = nested.length === 0
      ? known
      : { ...known, denyWrite: [...new Set([...known.denyWrite, ...nested])] };
    const args = [...program.args];
    const check = checkArguments(args, grants.arguments);
    for (const index of check.kind === "accepted" ? check.pathIndexes : []) {
      const resolved = await resolveInRoots(args[index] ?? "", roots, { mayBeMissing: true });
      if (resolved.kind === "refused") {
        return { kind: "refused", reason: `Argument ${index + 1}: ${resolved.reason}` } as const;
      }
      args[index] = resolved.path;
    }
    const shapes = new Map<string, PathShape>();
    const usesShapes = host.bubblewrap.kind === "available" && isConfined(grants, host);
    for (const path of usesShapes ? listShapePaths(grants) : []) {
      const shape = this.#masks.has(path) ? "missing" : await findShape(path);
      if (shape === "link") {
        const reason = `Protected path "${path}" is a symbolic link, which no sandbox can cover; ` +
          `replace it, or list its name under "unprotect"`;
        return { kind: "refused", reason } as const;
      }
      shapes.set(path, shape);
    }
    const { env = {}, cwd = "/tmp" } = program;
    const mark = watchdog?.createMark() ?? crypto.randomUUID();
    const isLeashed = host.canLeash && !grants.unleashed && !isConfined(grants, host);
    const allowed = isLeashed ? await toAllowed(grants) : grants;
    const result = planLaunch(
      allowed ?? grants,
      { args, env, cwd, stdin, shapes, mark },
      allowed === undefined ? { ...host, canLeash: false } : host,
    );
    if (result.kind === "planned" && result.plan.stop === "marked") await watchdog?.guard();
    return result;
  }

  #deny(program: Program, reason: string): Outcome {
    this.#emit({ ...this.#head(program), kind: "denial", reason: redact(reason) });
    return { kind: "denied", reason };
  }

  #record(program: Program, plan: LaunchPlan, finished: Finished): void {
    const { outcome } = finished;
    const head = this.#head(program);
    if (outcome.kind === "timed_out") {
      this.#emit({ ...head, kind: "timeout", afterMs: outcome.afterMs });
    }
    if (outcome.kind === "denied") {
      this.#emit({ ...head, kind: "denial", reason: redact(outcome.reason) });
    }
    if (finished.ended === "killed") this.#emit({ ...head, kind: "kill", cause: outcome.kind });
    this.#emit({
      ...head,
      kind: "launch",
      sandbox: plan.sandbox,
      walls: plan.walls,
      end: outcome.kind,
      exitCode: toExitCode(outcome),
      durationMs: Math.round(finished.durationMs),
      stdoutBytes: finished.stdoutBytes,
      stderrBytes: finished.stderrBytes,
      argumentCount: program.args.length,
      ...(this.#options.auditArguments === true ? { arguments: program.args.map(redact) } : {}),
    });
  }

  async #releaseMasks(program: Program, plan: LaunchPlan): Promise<void> {
    const left = await this.#masks.release(plan.masks);
    if (left.length > 0) this.#emit({ ...this.#head(program), kind: "leftover", paths: left });
  }

  #head(program: Program) {
    return { time: new Date().toISOString(), program: program.name, caller: program.caller };
  }

  #emit(event: AuditEvent): void {
    this.#options.audit(Object.freeze(event));
  }
}

/**
 * The grants of a program that nothing may confine, by the path that Deno allows. Undefined when Deno does not: then a
 * leash must not start it in Deno's place.
 */
async function toAllowed(grants: Grants): Promise<Grants | undefined> {
  if (grants.kind === "deno") return await findAllowed("deno") === undefined ? undefined : grants;
  const command = await findAllowed(grants.command, SANDBOX_PATH);
  return command === undefined ? undefined : { ...grants, command };
}

async function findShape(path: string): Promise<PathShape | "link"> {
  try {
    const info = await Deno.lstat(path);
    return info.isSymlink ? "link" : info.isDirectory ? "directory" : "file";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "missing" : "unknown";
  }
}

// From a mode's manifest to launchers: probes the walls of this machine, resolves grants for the roots at hand, and
// sends the audit where a person wants it. Loaded when the first program is to be started.

import { resolveGrants } from "../permission/grants.ts";
import type { Manifest } from "../permission/manifest.ts";
import type { AuditSink } from "../process/audit.ts";
import { findDenoDir, probeWalls } from "../process/host_probe.ts";
import { type Launcher, ProcessLauncher, type Program } from "../process/launcher.ts";
import { Masks } from "../process/masks.ts";
import { Watchdog } from "../process/watchdog.ts";
import type { Outcome } from "../process/outcome.ts";
import type { Host } from "../sandbox/host.ts";
import type { Log } from "../gateway/log.ts";

/** What a compartment is made of. */
export interface CompartmentOptions {
  readonly manifest: Manifest;
  readonly audit: AuditSink;
  /** Write arguments, redacted, into the audit. */
  readonly auditArguments?: boolean;
  readonly log: Log;
  /** Aborts when the server ends. */
  readonly shutdown: AbortSignal;
}

/** Scratch files of a program; each sandbox puts a private directory in its place. */
const TMP = "/tmp";

/** Sets of roots whose launchers are kept; a mode has one, or one for each directory that Deno allows. */
const MAX_LAUNCHERS = 64;

/** Probes this machine once, binds a manifest to it, and says in the log which programs will run without a sandbox. */
export async function openCompartment(options: CompartmentOptions): Promise<ProgramCompartment> {
  const hasDeno = [...options.manifest.programs.values()].some(({ kind }) => kind === "deno");
  const denoDir = hasDeno ? await findDenoDir() : undefined;
  const compartment = new ProgramCompartment(options, await probeWalls({ denoDir }));
  await compartment.tellUnconfined();
  return compartment;
}

/** Starts the programs of one manifest, and nothing else. */
export class ProgramCompartment {
  readonly #options: CompartmentOptions;
  readonly #host: Host;
  /** Ends by itself, after the server. */
  readonly #watchdog = new Watchdog();
  readonly #masks = new Masks(this.#watchdog);
  readonly #launchers = new Map<string, Launcher>();

  /** Starts nothing yet; `openCompartment` finds out about the host. */
  constructor(options: CompartmentOptions, host: Host) {
    this.#options = options;
    this.#host = host;
  }

  /** What it may start. */
  get manifest(): Manifest {
    return this.#options.manifest;
  }

  /** A launcher bound to these real roots. */
  bind(roots: readonly string[]): Promise<Launcher> {
    const key = roots.join("\0");
    const known = this.#launchers.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const { manifest, audit, auditArguments = false, shutdown } = this.#options;
    const variables = { roots, cwd: roots[0] ?? TMP, tmp: TMP };
    const inner = new ProcessLauncher({
      grants: new Map([...manifest.programs].map(([name, rules]) => [
        name,
        resolveGrants(name, rules, variables),
      ])),
      host: this.#host,
      roots,
      shutdown,
      audit,
      auditArguments,
      masks: this.#masks,
      watchdog: this.#watchdog,
    });
    const launcher: Launcher = {
      run: async (program, signal) => await this.#deny(program) ?? await inner.run(program, signal),
      spawn: async (program, signal) => {
        const outcome = await this.#deny(program);
        return outcome === undefined
          ? await inner.spawn(program, signal)
          : { kind: "ended", outcome };
      },
    };
    if (this.#launchers.size >= MAX_LAUNCHERS) this.#launchers.clear();
    this.#launchers.set(key, launcher);
    return Promise.resolve(launcher);
  }

  /** Whether a program runs inside a sandbox of the operating system here. */
  isWalled(name: string): boolean {
    const { bubblewrap, seatbelt } = this.#host;
    const hasWall = bubblewrap.kind === "available" || seatbelt.kind === "available";
    return hasWall && this.#options.manifest.programs.get(name)?.sandbox !== "off";
  }

  /** Why Deno would not start a program; asked so that a server on a terminal never prompts. */
  async findObstacle(name: string): Promise<string | undefined> {
    const rules = this.#options.manifest.programs.get(name);
    if (rules === undefined) return `Program "${name}" is not in the manifest`;
    if (this.isWalled(name)) return undefined;
    const command = rules.kind === "deno" ? "deno" : rules.command;
    const { state } = await Deno.permissions.query({ name: "run", command });
    if (state === "granted") return undefined;
    return `"${command}" is not found, or Deno does not allow it; start with --allow-run=${command}`;
  }

  /** Refuses, for the audit too, what Deno would ask a person on the terminal about. */
  async #deny({ name, caller }: Program): Promise<Outcome | undefined> {
    const reason = await this.findObstacle(name);
    if (reason === undefined) return undefined;
    const time = new Date().toISOString();
    this.#options.audit({ time, program: name, caller, kind: "denial", reason });
    return { kind: "denied", reason };
  }

  /** Says in the log which programs may be started and will have no sandbox: by choice, or for want of one. */
  async tellUnconfined(): Promise<void> {
    const host = this.#host;
    const { manifest, log } = this.#options;
    const wall = host.os === "darwin" ? host.seatbelt : host.bubblewrap;
    const chosen: string[] = [];
    const bare: string[] = [];
    for (const [name, { sandbox }] of manifest.programs) {
      const isUnconfined = sandbox === "off" || (sandbox === "auto" && wall.kind === "missing");
      if (!isUnconfined || await this.findObstacle(name) !== undefined) continue;
      (sandbox === "off" ? chosen : bare).push(name);
    }
    const tell = (programs: readonly string[], reason: string) => {
      if (programs.length === 0) return;
      log.write("warning", "unconfined", { programs, reason, leash: host.canLeash });
    };
    tell(chosen, 'the manifest says "sandbox": "off"');
    if (wall.kind === "missing") tell(bare, wall.reason);
  }
}

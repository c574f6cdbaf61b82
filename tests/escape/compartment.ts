// A launcher around the attempt programs, for tests that try to climb out. Each compartment has a directory of its
// own with a granted `root` and an ungranted `outside`.

import { resolveGrants } from "../../src/permission/grants.ts";
import { parseManifest } from "../../src/permission/manifest_parse.ts";
import type { AuditEvent } from "../../src/process/audit.ts";
import { findDenoDir, probeWalls } from "../../src/process/host_probe.ts";
import { ProcessLauncher, type Program } from "../../src/process/launcher.ts";
import type { Outcome } from "../../src/process/outcome.ts";
import type { Host } from "../../src/sandbox/host.ts";

/** The three ways a child can run. */
export type Wall = "bubblewrap" | "deno" | "unconfined";

/** Rules that differ from "nothing granted but the root, read-only". */
export interface CompartmentOptions {
  readonly wall: Wall;
  readonly rules?: Readonly<Record<string, unknown>>;
  readonly auditArguments?: boolean;
  /** Facts about the machine to be taken for true instead of the found ones. */
  readonly host?: Partial<Host>;
}

const REPOSITORY = new URL("../..", import.meta.url).pathname;
const NATIVE = `${REPOSITORY}fixtures/programs/attempt`;
const MODULE = `${REPOSITORY}fixtures/programs/attempt.ts`;

let probed: Promise<Host> | undefined;

/** The walls of this machine. Fails where bubblewrap does not work on Linux: that must not pass for a wall. */
export async function getHost(): Promise<Host> {
  probed ??= findDenoDir().then((denoDir) => probeWalls({ denoDir }));
  const host = await probed;
  if (host.os === "linux" && host.bubblewrap.kind === "missing") {
    throw new Error(`The bubblewrap tests cannot run: ${host.bubblewrap.reason}`);
  }
  return host;
}

/** A directory with something to protect, and a launcher that may only touch `root`. */
export class Compartment implements AsyncDisposable {
  readonly top: string;
  readonly root: string;
  readonly outside: string;
  readonly secret: string;
  readonly events: AuditEvent[] = [];
  readonly launcher: ProcessLauncher;
  readonly #wall: Wall;

  private constructor(top: string, host: Host, options: CompartmentOptions) {
    this.top = top;
    this.root = `${top}/root`;
    this.outside = `${top}/outside`;
    this.secret = `${top}/outside/secret.txt`;
    this.#wall = options.wall;
    const isDeno = options.wall === "deno";
    const manifest = parseManifest(JSON.stringify({
      mode: "escape",
      programs: {
        attempt: {
          kind: isDeno ? "deno" : "native",
          command: isDeno ? MODULE : NATIVE,
          read: ["${roots}"],
          sandbox: options.wall === "unconfined" ? "off" : "require",
          ...options.rules,
          limits: { timeoutMs: 20_000, graceMs: 500, ...toObject(options.rules?.["limits"]) },
        },
      },
    }));
    const variables = { roots: [this.root], cwd: this.root, tmp: "/tmp" };
    this.launcher = new ProcessLauncher({
      grants: new Map([...manifest.programs].map(([name, rules]) => {
        const expanded = JSON.parse(JSON.stringify(rules).replaceAll("/@outside", this.outside));
        return [name, resolveGrants(name, { ...expanded, arguments: rules.arguments }, variables)];
      })),
      host,
      roots: [this.root],
      shutdown: new AbortController().signal,
      audit: (event) => this.events.push(event),
      auditArguments: options.auditArguments ?? false,
    });
  }

  /** Makes the directories and the launcher. */
  static async create(options: CompartmentOptions): Promise<Compartment> {
    const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-escape-" }));
    const host = { ...await getHost(), ...options.host };
    await Deno.mkdir(`${top}/root/sub`, { recursive: true });
    await Deno.mkdir(`${top}/outside`);
    await Deno.writeTextFile(`${top}/root/inside.txt`, "inside");
    await Deno.writeTextFile(`${top}/outside/secret.txt`, "secret");
    return new Compartment(top, host, options);
  }

  /** Runs one attempt to its end. */
  run(
    args: readonly string[],
    more: Partial<Program> = {},
    signal?: AbortSignal,
  ): Promise<Outcome> {
    return this.launcher.run(
      { name: "attempt", args, cwd: this.root, ...more },
      signal ?? new AbortController().signal,
    );
  }

  get wall(): Wall {
    return this.#wall;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.top, { recursive: true });
  }
}

/** What an attempt printed, or undefined when it did not exit with 0. */
export function toSuccess(outcome: Outcome): string | undefined {
  if (outcome.kind !== "exited" || outcome.code !== 0) return undefined;
  return new TextDecoder().decode(outcome.stdout).trim();
}

/** Everything an outcome tells, for messages and for searching it for a secret. */
export function toText(outcome: Outcome): string {
  const stdout = outcome.kind === "exited" ? new TextDecoder().decode(outcome.stdout) : "";
  return JSON.stringify({ ...outcome, stdout });
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Makes a symbolic link. Deno itself does so only without scoped permissions, so a program has to. */
export async function makeLink(target: string, path: string): Promise<void> {
  const { success } = await new Deno.Command("ln", { args: ["-sfn", "--", target, path] }).output();
  if (!success) throw new Error(`Cannot make link "${path}"`);
}

/** How many running processes have `mark` among their arguments. */
export async function countProcesses(mark: string): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-e", "-o", "stat=,args="] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line.includes(mark) && !line.startsWith("Z")).length;
}

/** Waits until no process has `mark` among its arguments; fails after a few seconds. */
export async function waitForNone(mark: string): Promise<void> {
  for (let round = 0; round < 500; round++) {
    if (await countProcesses(mark) === 0) return;
  }
  throw new Error(`Processes with "${mark}" are still running: ${await countProcesses(mark)}`);
}

// Finds out what this machine offers, by running the smallest sandbox of each kind once. Asks Deno before it runs
// anything, so that no permission prompt can appear.

import { type Host, probeHost, type RunProbe } from "../sandbox/host.ts";

/** What the caller knows and the probe may not read. */
export interface HostProbeOptions {
  /** Deno's module cache, when the caller could find it. */
  readonly denoDir: string | undefined;
}

/** A probe that takes longer than this counts as failed. */
const PROBE_TIMEOUT_MS = 5_000;

/** Probes the walls of this machine. */
export async function probeWalls(options: HostProbeOptions): Promise<Host> {
  return await probeHost({
    os: Deno.build.os,
    denoPath: Deno.execPath(),
    denoCommand: await mayRun(Deno.execPath()) ? Deno.execPath() : "deno",
    denoDir: options.denoDir,
    canFindTree: await mayRun("ps") && await mayRun("kill"),
  }, runProbe);
}

/** Asks Deno where its module cache is; undefined when it may not be run. It inherits what it needs to know. */
export async function findDenoDir(): Promise<string | undefined> {
  if (!await mayRun("deno")) return undefined;
  const { success, stdout } = await new Deno.Command("deno", {
    args: ["info", "--json"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  if (!success) return undefined;
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  return typeof denoDir === "string" ? denoDir : undefined;
}

async function runProbe([program, ...args]: Parameters<RunProbe>[0]): ReturnType<RunProbe> {
  if (!await mayRun(program)) return { ok: false, text: "" };
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    const output = await new Deno.Command(program, {
      args,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal,
    }).output();
    return { ok: output.success, text: new TextDecoder().decode(output.stdout.subarray(0, 256)) };
  } catch {
    // Not found, not executable, or too slow: in every case there is no such wall.
    return { ok: false, text: "" };
  }
}

async function mayRun(command: string): Promise<boolean> {
  return (await Deno.permissions.query({ name: "run", command })).state === "granted";
}

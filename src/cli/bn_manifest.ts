// The manifest of `bn` mode as the environment changes it: where the program is, how long it may take, and where it
// keeps its storage, which no manifest can know.

import type { Manifest, ProgramRules } from "../permission/manifest.ts";
import { isBroadPath, normalizePath } from "../permission/path_rule.ts";
import { isGranted } from "../process/root_access.ts";
import { type BnEnvironment, findStorage } from "../providers/bn/registered_agents.ts";
import { findVariable, UsageError } from "./command.ts";
import { findProgram, loadManifest } from "./manifests.ts";

/** What a person said outside the manifest. */
export interface BnManifestOptions {
  readonly file: string | undefined;
  /** Absolute path of the program. */
  readonly command: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** The program whose grants include the storage. */
const PROGRAM = "bn";

/** Loads the manifest and puts in what the environment says. */
export async function loadBnManifest(options: BnManifestOptions): Promise<Manifest> {
  const manifest = await grantStorage(await loadManifest("bn", options.file));
  const path = findVariable("PATH");
  const programs = new Map<string, ProgramRules>();
  for (const [name, rules] of manifest.programs) {
    const { limits } = rules;
    programs.set(name, {
      ...rules,
      command: options.command || await findProgram(rules.command, path),
      limits: options.timeoutMs === undefined
        ? limits
        : { ...limits, timeoutMs: options.timeoutMs },
    });
  }
  return { ...manifest, programs };
}

/** What the program gets of the server's environment: the variables that its manifest names and Deno lets us read. */
export function readEnvironment(manifest: Manifest): BnEnvironment {
  const names = manifest.programs.get(PROGRAM)?.env ?? [];
  return Object.fromEntries(
    names.map((name) => [name, findVariable(name)])
      // Of one variable binnacle asks only whether it is there; the others say nothing when they are empty.
      .filter(([name, value]) => value !== "" || name === "BN_CONTAINER_MODE"),
  );
}

/**
 * Lets the program write its storage. The server itself need not reach it: it reads the registry there where Deno
 * allows that, and asks the program where not.
 *
 * @throws UsageError when the storage is a directory that nobody should grant.
 */
async function grantStorage(manifest: Manifest): Promise<Manifest> {
  const rules = manifest.programs.get(PROGRAM);
  const base = await findStorage(readEnvironment(manifest));
  if (rules === undefined || base === undefined) return manifest;
  checkStorage(base);
  // A sandbox cannot mount what is not there.
  if (await isMissing(base)) return manifest;
  const storage = normalizePath(base);
  return {
    ...manifest,
    programs: new Map(manifest.programs).set(PROGRAM, {
      ...rules,
      write: [...rules.write, storage],
    }),
  };
}

/**
 * Refuses a storage that a program must not be granted.
 *
 * @throws UsageError for a relative path, or one as broad as `/tmp`.
 */
export function checkStorage(path: string): void {
  if (path.startsWith("/") && !isBroadPath(normalizePath(path))) return;
  throw new UsageError(`Storage "${path}" must be an absolute path of a directory of its own`);
}

/** Why the program would not find its storage inside a sandbox; it must not begin another one there, to be lost. */
export async function findStorageProblem(environment: BnEnvironment): Promise<string | undefined> {
  const base = await findStorage(environment);
  if (base === undefined) {
    return "The sandbox hides the storage of bn; start the server with --allow-env=HOME";
  }
  return await isMissing(base)
    ? "The storage of bn does not exist yet; run 'bn session init' in a shell, then restart the server"
    : undefined;
}

/** Whether it is known not to be there. */
async function isMissing(path: string): Promise<boolean> {
  if (!await isGranted("read", path)) return false;
  return await Deno.stat(path).catch(() => undefined) === undefined;
}

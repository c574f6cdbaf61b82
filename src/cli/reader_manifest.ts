// The reader's manifest as the environment changes it: where the `bcp` program is, and how long it may take.

import type { Manifest, ProgramRules } from "../permission/manifest.ts";
import { BCP_PROGRAM } from "../providers/bcp/cli_engine.ts";
import { loadManifest } from "./manifests.ts";

/** What a person said outside the manifest. */
export interface ReaderManifestOptions {
  readonly file: string | undefined;
  /** Absolute path of the program. */
  readonly command: string | undefined;
  /** The server's own PATH. */
  readonly path: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** Loads the manifest and puts in what the environment says. */
export async function loadReaderManifest(options: ReaderManifestOptions): Promise<Manifest> {
  const manifest = await loadManifest("reader", options.file);
  const rules = manifest.programs.get(BCP_PROGRAM);
  if (rules === undefined) return manifest;
  const changed: ProgramRules = {
    ...rules,
    command: options.command || await findCommand(rules.command, options.path),
    limits: {
      ...rules.limits,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
  };
  return { ...manifest, programs: new Map(manifest.programs).set(BCP_PROGRAM, changed) };
}

/**
 * Programs are looked for in the system's directories only. One that Deno found elsewhere on PATH, and allowed by its
 * bare name, is known by its absolute path; asking Deno for that path tells which it is.
 */
export async function findCommand(command: string, path: string | undefined): Promise<string> {
  const isAnyAllowed = (await Deno.permissions.query({ name: "run" })).state === "granted";
  if (command.includes("/") || path === undefined || isAnyAllowed) return command;
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    const candidate = `${folder}/${command}`;
    const { state } = await Deno.permissions.query({ name: "run", command: candidate });
    if (state === "granted") return candidate;
  }
  return command;
}

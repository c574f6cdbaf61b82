// The reader's manifest as the environment changes it: where the `bcp` program is, and how long it may take.

import type { Manifest, ProgramRules } from "../permission/manifest.ts";
import { BCP_PROGRAM } from "../providers/bcp/cli_engine.ts";
import { findProgram, loadManifest } from "./manifests.ts";

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
    command: options.command || await findProgram(rules.command, options.path),
    limits: {
      ...rules.limits,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
  };
  return { ...manifest, programs: new Map(manifest.programs).set(BCP_PROGRAM, changed) };
}

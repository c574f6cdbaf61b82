// The permission manifests that are shipped with each mode, the one a person names instead, and the flags they need.

import type { Manifest } from "../permission/manifest.ts";
import { parseManifest } from "../permission/manifest_parse.ts";
import { ManifestSyntaxError } from "../permission/manifest_syntax_error.ts";
import { UsageError } from "./command.ts";

/** Imported as text, so that reading them needs no permission. */
const SHIPPED: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  bn: () => import("../../permissions/bn.jsonc", { with: { type: "text" } }),
  demo: () => import("../../permissions/demo.jsonc", { with: { type: "text" } }),
  reader: () => import("../../permissions/reader.jsonc", { with: { type: "text" } }),
};

/** The modes that have a manifest. */
export const MANIFEST_MODES: readonly string[] = Object.keys(SHIPPED);

/**
 * The manifest of a mode: the file that the person named, or the shipped one.
 *
 * @throws UsageError when there is none or it cannot be used.
 */
export async function loadManifest(mode: string, file?: string): Promise<Manifest> {
  const shipped = Object.hasOwn(SHIPPED, mode) ? SHIPPED[mode] : undefined;
  if (shipped === undefined) {
    throw new UsageError(`Unknown mode "${mode}": it is one of ${MANIFEST_MODES.join(", ")}`);
  }
  const text = file === undefined ? (await shipped()).default : await readManifest(file);
  try {
    return parseManifest(text);
  } catch (error) {
    if (!(error instanceof ManifestSyntaxError)) throw error;
    const where = file ?? `permissions/${mode}.jsonc`;
    throw new UsageError(`Cannot use manifest "${where}": ${error.message}`);
  }
}

async function readManifest(file: string): Promise<string> {
  const { state } = await Deno.permissions.query({ name: "read", path: file });
  if (state !== "granted") {
    throw new UsageError(`Cannot read manifest "${file}": start with --allow-read=${file}`);
  }
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "it does not exist" : String(error);
    throw new UsageError(`Cannot read manifest "${file}": ${reason}`);
  }
}

/**
 * Programs are looked for in the system's directories only. One that Deno found elsewhere on PATH, and allowed by its
 * bare name, is known by its absolute path; asking Deno for that path tells which it is.
 */
export async function findProgram(command: string, path: string | undefined): Promise<string> {
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

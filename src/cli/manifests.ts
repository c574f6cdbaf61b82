// The permission manifests that are shipped with each mode, the one a person names instead, and the flags they need.

import { isAbsolute, resolve } from "@std/path";
import type { Manifest } from "../permission/manifest.ts";
import { parseManifest } from "../permission/manifest_parse.ts";
import { ManifestSyntaxError } from "../permission/manifest_syntax_error.ts";
import { PermissionDeniedError } from "../permission/permission_denied_error.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import { planServerFlags } from "../sandbox/server_flags.ts";
import { UsageError } from "./command.ts";

/** Imported as text, so that reading them needs no permission. */
const SHIPPED: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
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

// The flags that a mode needs, from its manifest and the roots a person names.

/** What decides the flags of a mode. */
export interface ModeFlagOptions {
  readonly roots: readonly string[];
  readonly manifest: string | undefined;
}

/** Where scratch files go; each sandbox puts a private directory in its place. */
const TMP = "/tmp";

/**
 * The exact flags of a mode, each with its reason.
 *
 * @throws UsageError when the mode, the manifest or a root cannot be used.
 */
export async function findModeFlags(
  mode: string,
  options: ModeFlagOptions,
): Promise<readonly Flag[]> {
  const roots = options.roots.map(toAbsolute);
  const manifest = await loadManifest(mode, options.manifest);
  try {
    return planServerFlags(manifest, { roots, cwd: roots[0] ?? TMP, tmp: TMP, os: Deno.build.os });
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    throw new UsageError(error.message);
  }
}

/**
 * Flags take absolute paths; making one of a relative path means asking where we are, which is a permission.
 *
 * @throws UsageError when it is relative and that permission is missing.
 */
export function toAbsolute(root: string): string {
  if (isAbsolute(root)) return root;
  if (Deno.permissions.querySync({ name: "read", path: "." }).state === "granted") {
    return resolve(Deno.cwd(), root);
  }
  throw new UsageError(`Root "${root}" must be an absolute path`);
}

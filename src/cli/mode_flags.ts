// The flags that a mode needs, from its manifest and the roots a person names.

import { isAbsolute, resolve } from "@std/path";
import { PermissionDeniedError } from "../permission/permission_denied_error.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import { planServerFlags } from "../sandbox/server_flags.ts";
import { UsageError } from "./command.ts";
import { loadManifest } from "./manifests.ts";

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

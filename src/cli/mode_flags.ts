// The flags and the whole command line that a mode needs, from its manifest and the roots a person names.

import { fromFileUrl, isAbsolute, resolve } from "@std/path";
import { PermissionDeniedError } from "../permission/permission_denied_error.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import { planServerFlags } from "../sandbox/server_flags.ts";
import { UsageError } from "./command.ts";
import { loadManifest } from "./manifests.ts";

/** What decides the flags of a mode. */
export interface ModeFlagOptions {
  readonly roots: readonly string[];
  readonly manifest: string | undefined;
  /** For a server over HTTP. */
  readonly http?: HttpFlags;
}

/** Where a server over HTTP listens, and whom it lets in. */
export interface HttpFlags {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly tokenFile: string | undefined;
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
  const roots = options.roots.map((root) => toAbsolute(root));
  const manifest = await loadManifest(mode, options.manifest);
  try {
    return planServerFlags(manifest, { roots, cwd: roots[0] ?? TMP, tmp: TMP, os: Deno.build.os });
  } catch (error) {
    if (!(error instanceof PermissionDeniedError)) throw error;
    throw new UsageError(error.message);
  }
}

/** The command line of a mode, and why it has each flag. */
export interface ModeCommand {
  readonly command: readonly [string, ...string[]];
  readonly flags: readonly Flag[];
}

/**
 * The exact least-privilege command line that starts a mode.
 *
 * @throws UsageError when the mode, the manifest or a root cannot be used.
 */
export async function planModeCommand(
  mode: string,
  options: ModeFlagOptions,
): Promise<ModeCommand> {
  const flags = addHttp(await findModeFlags(mode, options), options.http);
  // A mode that has no use for roots does not know the option either.
  const roots = options.roots.map((root) => toAbsolute(root))
    .filter((root) => flags.some(({ flag }) => flag.includes(root)));
  const command = [
    "deno",
    "run",
    ...flags.map(({ flag }) => flag),
    ...findProgram(mode, options.http),
    ...roots.flatMap((root) => ["--root", root]),
    ...(options.manifest === undefined ? [] : ["--manifest", options.manifest]),
    ...toHttpOptions(options.http),
  ] as const;
  return { command, flags };
}

function addHttp(flags: readonly Flag[], http: HttpFlags | undefined): readonly Flag[] {
  if (http === undefined) return flags;
  const { address, tokenFile } = http;
  const listening = { flag: `--allow-net=${address}`, reason: "listening for clients" };
  if (tokenFile === undefined) return [...flags, listening];
  const file = toAbsolute(tokenFile, "Token file");
  const reading = { flag: `--allow-read=${file}`, reason: "the bearer tokens" };
  return [...flags, listening, reading];
}

function toHttpOptions(http: HttpFlags | undefined): readonly string[] {
  if (http === undefined) return [];
  const { address, tokenFile } = http;
  return ["--http", address, ...(tokenFile === undefined ? [] : ["--token-file", tokenFile])];
}

/**
 * Flags take absolute paths; making one of a relative path means asking where we are, which is a permission.
 *
 * @throws UsageError when it is relative and that permission is missing.
 */
export function toAbsolute(path: string, what = "Root"): string {
  if (isAbsolute(path)) return path;
  if (Deno.permissions.querySync({ name: "read", path: "." }).state === "granted") {
    return resolve(Deno.cwd(), path);
  }
  throw new UsageError(`${what} "${path}" must be an absolute path`);
}

/** The mode's own program, as a client's configuration has to name it; HTTP is in the program of all commands. */
function findProgram(mode: string, http: HttpFlags | undefined): readonly string[] {
  const path = http === undefined ? `../../modes/${mode}.ts` : "../../mod.ts";
  const program = new URL(path, import.meta.url);
  const name = program.protocol === "file:" ? fromFileUrl(program) : program.href;
  return http === undefined ? [name] : [name, mode];
}

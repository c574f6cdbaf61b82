// Puts a payload at a path inside the roots: all of it or nothing, never through a link, never where programs are
// started from. The bytes go to a file beside it, which then takes its name.

import { findProtectedName } from "../../permission/root_path.ts";
import { quoteName, type Refusal, refuse } from "../../process/root_access.ts";
import { resolveInRoots } from "../../process/root_guard.ts";
import type { OpenFile } from "./engine.ts";
import { type FileAccess, isPayloadName, type OpenOutcome } from "./file_access.ts";

/** A place to write to that was checked. */
export type Target =
  | { readonly kind: "target"; readonly path: string; readonly roots: readonly string[] }
  | Refusal;

/** Checks a path before anything is made for it. */
export async function findTarget(access: FileAccess, name: string): Promise<Target> {
  if (!isPayloadName(name)) {
    return refuse(`Not a .bcp file: ${quoteName(name)}; give an output that ends with ".bcp"`);
  }
  const located = await access.locate(name, "write");
  if (located.kind === "refused") return located;
  const { path, roots } = located;
  const check = await resolveInRoots(path, roots, { mayBeMissing: true, access: "write" });
  if (check.kind === "refused") return cannotWrite(name, check.reason);
  // Where the real path differs from the spelled one there is a link on the way, or at its end.
  if (check.path !== path) {
    return cannotWrite(name, "Path leads through a link; name the file itself");
  }
  const guarded = findProtectedName(path, check.root);
  if (guarded !== undefined) {
    return cannotWrite(name, `Path is inside "${guarded}", which is protected`);
  }
  const info = await findInfo(path);
  if (info !== undefined && !info.isFile) return cannotWrite(name, "Path is not a regular file");
  if (info === undefined && (await findInfo(folderOf(path)))?.isDirectory !== true) {
    return cannotWrite(name, "Its directory does not exist; make it first");
  }
  return { kind: "target", path, roots };
}

/** Writes a payload to a checked place. When it fails, or is no longer wanted, whatever stood there stays as it was. */
export async function writePayload(
  name: string,
  target: Extract<Target, { kind: "target" }>,
  payload: { readonly bytes: Uint8Array; readonly signal: AbortSignal },
): Promise<OpenOutcome> {
  const { path, roots } = target;
  const scratch = `${folderOf(path)}/.${crypto.randomUUID()}.bcp.part`;
  let isMade = false;
  try {
    // A new file is never made through a link at its own name.
    const open = await Deno.open(scratch, { write: true, createNew: true });
    isMade = true;
    using file = open;
    await writeAll(file, payload.bytes);
    await file.sync();
    const { ino, dev } = await file.stat();
    if (payload.signal.aborted) return cannotWrite(name, "The call was canceled");
    if (!await isSame(scratch, { ino, dev })) {
      return cannotWrite(name, "Its directory changed meanwhile; try again");
    }
    await Deno.rename(scratch, path);
    isMade = false;
    const opened: OpenFile = { name, path, roots, bytes: payload.bytes };
    return { kind: "opened", file: opened };
  } catch (error) {
    return cannotWrite(name, describeSystemError(error));
  } finally {
    if (isMade) await Deno.remove(scratch).catch(() => {});
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
  }
}

/** Whether a path is a real one and names this very file. */
async function isSame(
  path: string,
  open: Pick<Deno.FileInfo, "ino" | "dev">,
): Promise<boolean> {
  if (await Deno.realPath(path) !== path) return false;
  const { ino, dev } = await Deno.lstat(path);
  return ino === open.ino && dev === open.dev;
}

async function findInfo(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch {
    // Missing, or not to be looked at: in both cases nothing that may be written over.
    return undefined;
  }
}

/** The system's own words, which end before Deno names the path. */
function describeSystemError(error: unknown): string {
  const words = error instanceof Error ? /^.*?\(os error \d+\)/.exec(error.message) : null;
  return words?.[0] ?? "The system refused to write the file";
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function cannotWrite(name: string, reason: string): Refusal {
  return refuse(`Cannot write ${quoteName(name)}: ${reason}`);
}

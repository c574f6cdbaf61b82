// Roots, the half that asks the disk: a path argument is resolved to its real path, that path must lie inside a root,
// and Deno itself must grant it. A file is opened first and checked afterwards, so that a swap between check and use
// is noticed.

import { checkContained, checkRootPath, type RootCheck } from "../permission/root_path.ts";
import { PermissionDeniedError } from "../permission/permission_denied_error.ts";

/** What a caller intends to do with the path. */
export interface ResolveOptions {
  /** Accept a path whose last names do not exist yet; the nearest existing directory is checked. */
  readonly mayBeMissing?: boolean;
  readonly access?: "read" | "write";
}

/** What a caller wants to read at most. */
export interface ReadOptions {
  readonly maxBytes: number;
  /** A second name for a file may be a file from outside a root; refused unless allowed here. */
  readonly allowHardLinks?: boolean;
}

/** A look costs some microseconds; each one multiplies the odds against a swap that goes unnoticed. */
const STEADY_LOOKS = 32;

/**
 * Resolves directories to real paths, to be used as roots.
 *
 * @throws {PermissionDeniedError} when one is not a directory that Deno may read.
 */
export async function resolveRoots(directories: readonly string[]): Promise<readonly string[]> {
  const roots: string[] = [];
  for (const directory of directories) {
    const real = await findRealPath(directory);
    if (real === undefined || !(await Deno.stat(real)).isDirectory) {
      throw new PermissionDeniedError(`Root "${directory}" is not a readable directory`);
    }
    roots.push(real);
  }
  return Object.freeze([...new Set(roots)]);
}

/** Resolves a path argument to a real path inside a root, or says why not. Never throws for the path's sake. */
export async function resolveInRoots(
  input: string,
  roots: readonly string[],
  options: ResolveOptions = {},
): Promise<RootCheck> {
  const check = checkRootPath(input, roots);
  if (check.kind === "refused") return check;
  let existing = check.path;
  let rest = "";
  let real = await findRealPath(existing);
  while (real === undefined && options.mayBeMissing === true && existing !== check.root) {
    // A dangling link would be created through, at a place nobody checked.
    if (await isLink(existing)) return refuse("Path is a link that leads nowhere; remove it");
    const slash = existing.lastIndexOf("/");
    rest = existing.slice(slash) + rest;
    existing = existing.slice(0, slash);
    real = await findRealPath(existing);
  }
  if (real === undefined) return refuse("Path does not exist or may not be read");
  const contained = checkContained(real + rest, roots);
  if (contained.kind === "refused") {
    return refuse("Path leads outside the roots; start the server with --root for its directory");
  }
  const name = options.access ?? "read";
  const { state } = await Deno.permissions.query({ name, path: contained.path });
  if (state !== "granted") {
    return refuse(
      `Deno does not allow the path; start the server with --allow-${name}=${contained.root}`,
    );
  }
  return contained;
}

/**
 * Reads a regular file inside the roots. The file is opened, then the path is looked at again and must still name
 * the very file that is open.
 */
export async function readFileInRoots(
  input: string,
  roots: readonly string[],
  options: ReadOptions,
): Promise<
  { kind: "read"; path: string; bytes: Uint8Array } | { kind: "refused"; reason: string }
> {
  const before = await resolveInRoots(input, roots);
  if (before.kind === "refused") return before;
  // Opening a FIFO or a device could block or act; only a regular file is opened at all.
  const seen = await findEntry(before.path);
  if (seen === undefined || !seen.isFile) return refuse("Path is not a regular file");
  let file: Deno.FsFile;
  try {
    file = await Deno.open(before.path, { read: true });
  } catch {
    return refuse("Path does not exist or may not be read");
  }
  using open = file;
  const info = await open.stat();
  if (!info.isFile || !isSteady(before.path, info)) {
    return refuse("Path changed while it was opened; try again");
  }
  if ((info.nlink ?? 1) > 1 && options.allowHardLinks !== true) {
    return refuse("File has a second name, which may be outside the roots; copy it into the root");
  }
  if (info.size > options.maxBytes) return refuse(`File is larger than ${options.maxBytes} bytes`);
  const bytes = await readBounded(open, options.maxBytes);
  if (bytes === undefined) return refuse(`File is larger than ${options.maxBytes} bytes`);
  return { kind: "read", path: before.path, bytes };
}

/**
 * Tells whether a real path still is one, and still names the open file. Deno offers no way to open a file without
 * following links on the way, so somebody who swaps a directory for a link at the right moments could deceive one
 * such look. Deceiving all of them takes a swap between every two system calls.
 */
function isSteady(path: string, open: Deno.FileInfo): boolean {
  try {
    for (let look = 0; look < STEADY_LOOKS; look++) {
      if (Deno.realPathSync(path) !== path) return false;
      const { ino, dev } = Deno.lstatSync(path);
      if (ino !== open.ino || dev !== open.dev) return false;
    }
    return true;
  } catch {
    // The path is gone for the moment: not steady.
    return false;
  }
}

async function readBounded(file: Deno.FsFile, maxBytes: number): Promise<Uint8Array | undefined> {
  const { size } = await file.stat();
  // One byte more than allowed shows a file that grew since.
  let buffer = new Uint8Array(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) return buffer.slice(0, length);
    length += count;
    if (length > maxBytes) return undefined;
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(buffer.length * 2, maxBytes + 1));
      larger.set(buffer);
      buffer = larger;
    }
  }
}

async function findRealPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch {
    // Missing, a loop of links, or not granted: none of them can be used.
    return undefined;
  }
}

async function findEntry(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch {
    return undefined;
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await findEntry(path))?.isSymlink === true;
}

function refuse(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

// One configuration file on disk: opened only if it is what it seems, replaced as a whole or not at all. Synchronous
// throughout, so that the order of system calls is the order of the lines; `tests/faults/init_kill_test.ts` kills it
// before each of them.

import type { Place } from "../clients/client.ts";

/** A file as it was when it was looked at. */
export interface ConfigFile {
  /** Real path, links inside the root resolved. */
  readonly path: string;
  /** `undefined` when there is none. */
  readonly bytes: Uint8Array | undefined;
  readonly text: string;
  readonly mode: number;
  readonly owner: number | null;
}

/** The file, or one clause that follows its name and says why it is left alone. */
export type OpenedFile =
  | { readonly kind: "opened"; readonly file: ConfigFile }
  | { readonly kind: "refused"; readonly reason: string };

/** Larger files are no configuration that a person keeps. */
const MAX_BYTES = 16 * 1024 * 1024;

/** For what is new in a person's own directories; a file that exists keeps its mode. */
export const PRIVATE_MODE = 0o600;

/** For what is new in a project. */
export const PROJECT_MODE = 0o644;

const OWNER_MAY_WRITE = 0o200;

/** The name of the file that is written before it takes the place of a configuration. */
export function temporaryPath(path: string): string {
  return `${path}.bulkhead-tmp`;
}

/** Looks at a file without changing anything. One that is not there will get `newMode`. */
export function openConfig({ path, root }: Place, newMode: number): OpenedFile {
  const real = findRealPath(path, root);
  if (real.kind === "refused") return real;
  const info = lstat(real.path);
  if (info === undefined) {
    const file = { path: real.path, bytes: undefined, text: "", mode: newMode, owner: null };
    return { kind: "opened", file };
  }
  if (!info.isFile) return refuse("is not a regular file");
  if (info.size > MAX_BYTES) return refuse(`is larger than ${MAX_BYTES} bytes`);
  if (info.nlink !== null && info.nlink > 1) {
    return refuse("has a second name (a hard link) that would be cut off; copy it first");
  }
  const mode = info.mode === null ? newMode : info.mode & 0o7777;
  if ((mode & OWNER_MAY_WRITE) === 0) {
    return refuse("is read-only; make it writable if it may be changed");
  }
  const bytes = Deno.readFileSync(real.path);
  const text = decode(bytes);
  if (text === undefined) return refuse("is not UTF-8 text; convert it first");
  return { kind: "opened", file: { path: real.path, bytes, text, mode, owner: info.uid } };
}

/** Whether the directory of a file has to be made first. */
export function lacksDirectory({ path, root }: Place): boolean {
  const directory = parentOf(path);
  return directory !== root && lstat(directory) === undefined;
}

/** Makes the directory of a file; returns why it did not stay, if it turned out to lie elsewhere. */
export function makeDirectory({ path, root }: Place): string | undefined {
  const directory = parentOf(path);
  Deno.mkdirSync(directory, { recursive: true });
  const real = findRealPath(path, root);
  if (real.kind === "resolved") return undefined;
  Deno.removeSync(directory);
  return real.reason;
}

/**
 * Puts new bytes in the place of a file, or takes the file away. Before any harm is possible it is looked at again;
 * afterwards it is read back, and what was there before is restored if it does not say what it should. Returns why
 * it did not, and nothing when it did.
 */
export function replaceConfig(file: ConfigFile, bytes: Uint8Array | undefined): string | undefined {
  const { path } = file;
  if (bytes === undefined) {
    if (!isSame(readIfThere(path), file.bytes)) return CHANGED_MEANWHILE;
    Deno.removeSync(path);
    syncDirectory(path);
    return undefined;
  }
  const temporary = temporaryPath(path);
  try {
    const owner = writeTemporary(temporary, bytes, file.mode);
    if (file.owner !== null && owner !== null && owner !== file.owner) {
      return "belongs to another user, whose it would no longer be";
    }
    if (!isSame(readIfThere(path), file.bytes)) return CHANGED_MEANWHILE;
    Deno.renameSync(temporary, path);
  } finally {
    removeIfThere(temporary);
  }
  syncDirectory(path);
  if (isSame(tryToRead(path), bytes)) return undefined;
  rollBack(file);
  return "did not read back as written; the former content is restored";
}

/** Writes a file that must not exist yet and makes sure it is on the disk. */
export function writeNewFile(path: string, bytes: Uint8Array, mode: number): void {
  using output = Deno.openSync(path, { write: true, createNew: true, mode });
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(output.writeSync(rest));
  // The mode at creation is subject to the umask.
  if (Deno.build.os !== "windows") Deno.chmodSync(path, mode);
  output.syncSync();
}

/** The bytes of a file; `undefined` when there is none. */
export function readIfThere(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Removes a file or an empty directory, if it is there. */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Makes a rename durable, where the directory may be opened. */
export function syncDirectory(path: string): void {
  const directory = parentOf(path);
  const { state } = Deno.permissions.querySync({ name: "read", path: directory });
  if (state !== "granted" || Deno.build.os === "windows") return;
  using handle = Deno.openSync(directory, { read: true });
  handle.syncSync();
}

/** The directory of a path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
}

/** Whether two contents are the same; `undefined` is a file that is not there. */
export function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

const CHANGED_MEANWHILE = "was changed by something else just now; try again";

/** Returns the owner of what was written. */
function writeTemporary(path: string, bytes: Uint8Array, mode: number): number | null {
  // Under the lock of the journal only a killed run can have left it.
  removeIfThere(path);
  writeNewFile(path, bytes, mode);
  return Deno.lstatSync(path).uid;
}

function rollBack({ path, bytes, mode }: ConfigFile): void {
  if (bytes === undefined) {
    removeIfThere(path);
    return;
  }
  const temporary = temporaryPath(path);
  writeTemporary(temporary, bytes, mode);
  Deno.renameSync(temporary, path);
}

type RealPath =
  | { readonly kind: "resolved"; readonly path: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Follows links that stay inside the root; asks about the root itself only when there is a link. */
function findRealPath(path: string, root: string): RealPath {
  const directory = parentOf(path);
  // A directory that is not there yet leads nowhere else.
  const realDirectory = directory === root ? root : realPath(directory) ?? directory;
  const target = lstat(path)?.isSymlink === true
    ? realPath(path)
    : `${realDirectory}${path.slice(directory.length)}`;
  if (target === undefined) return refuse("is a link to nothing; mend it first");
  if (target === path) return { kind: "resolved", path };
  const { state } = Deno.permissions.querySync({ name: "read", path: root });
  if (state !== "granted") {
    return refuse(
      `lies behind a symbolic link; start with --allow-read=${root} to have it looked at`,
    );
  }
  if (target.startsWith(`${Deno.realPathSync(root)}/`)) return { kind: "resolved", path: target };
  return refuse("lies behind a symbolic link that leads elsewhere; edit the real file yourself");
}

function lstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Reading back must not throw: whatever is wrong, the former content comes back. */
function tryToRead(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

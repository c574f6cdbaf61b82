// Opens files for the reader: inside the roots, regular, bounded. Where a person declared no root, what Deno itself was
// told to allow is the root. Asks Deno before it touches anything, so that no prompt can appear, and every refusal
// names what would allow it in words that hold no path but the client's own.

import { PROTECTED_NAMES } from "../../permission/manifest.ts";
import { isBroadPath, isInside, normalizePath } from "../../permission/path_rule.ts";
import { PermissionDeniedError } from "../../permission/permission_denied_error.ts";
import { checkRootPath } from "../../permission/root_path.ts";
import { readFileInRoots, resolveInRoots, resolveRoots } from "../../process/root_guard.ts";
import type { OpenFile } from "./engine.ts";

/** A refusal, worded for a model. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** A file, or why there is none. */
export type OpenOutcome = { readonly kind: "opened"; readonly file: OpenFile } | Refusal;

/** Where a path lies: real roots, and the path as they spell it. */
export type Located =
  | { readonly kind: "located"; readonly path: string; readonly roots: readonly string[] }
  | Refusal;

/** What a payload may have at most; the codec's own bounds on what it inflates to come on top. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** How much of a client's own path is said back to it. */
const MAX_QUOTED_CHARS = 200;

/** The roots of a reader and the way to files in them. */
export class FileAccess {
  readonly #declared: readonly string[];
  /** Real paths by declared root. */
  readonly #real = new Map<string, string>();

  /** `declared` are absolute paths, as the person spelled them. */
  constructor(declared: readonly string[]) {
    this.#declared = declared.map(normalizePath);
  }

  /** Opens a payload: a regular file inside the roots whose name ends with `.bcp`. */
  async openPayload(name: string): Promise<OpenOutcome> {
    if (!isPayloadName(name)) {
      return refuse(`Not a .bcp file: ${quoteName(name)}; name a file that ends with ".bcp"`);
    }
    return await this.open(name);
  }

  /** Opens any regular file inside the roots. */
  async open(name: string): Promise<OpenOutcome> {
    const located = await this.locate(name, "read");
    if (located.kind === "refused") return located;
    const { path, roots } = located;
    const read = await readFileInRoots(path, roots, { maxBytes: MAX_FILE_BYTES });
    if (read.kind === "refused") return refuse(`Cannot read ${quoteName(name)}: ${read.reason}`);
    return { kind: "opened", file: { name, path: read.path, roots, bytes: read.bytes } };
  }

  /** Finds the roots that hold a path, by its spelling; links are looked at when it is opened. */
  async locate(name: string, access: "read" | "write"): Promise<Located> {
    const verb = access === "read" ? "Cannot read" : "Cannot write";
    const spelled = checkRootPath(name, ["/"]);
    if (spelled.kind === "refused") return refuse(`${verb} ${quoteName(name)}: ${spelled.reason}`);
    const found = this.#declared.length === 0
      ? await findGranted(name, spelled.path)
      : await this.#findDeclared(name);
    if (found.kind === "refused") return refuse(`${verb} ${quoteName(name)}: ${found.reason}`);
    for (const kind of access === "read" ? ["read"] as const : ["read", "write"] as const) {
      if (await isGranted(kind, found.path)) continue;
      const flag = `--allow-${kind}=${toGrantable(name)}`;
      return refuse(`${verb} ${quoteName(name)}: start the server with ${flag}`);
    }
    return found;
  }

  /** The declared roots that exist and may be read, as real paths. */
  async listRoots(): Promise<readonly string[]> {
    for (const root of this.#declared) {
      // What a root is was settled when it was first seen: a link put in its place later changes nothing.
      if (this.#real.has(root) || !await isGranted("read", root)) continue;
      try {
        const [real] = await resolveRoots([root]);
        if (real !== undefined) this.#real.set(root, real);
      } catch (error) {
        if (!(error instanceof PermissionDeniedError)) throw error;
      }
    }
    return [...new Set(this.#real.values())];
  }

  async #findDeclared(name: string): Promise<Located> {
    const roots = await this.listRoots();
    const path = this.#respell(name);
    const isUnread = name.startsWith("/") &&
      this.#declared.some((root) => !this.#real.has(root) && isInside(path, root));
    if (isUnread || roots.length === 0) {
      return refuse(`its root cannot be read; start the server with ${toReadFlag(name)}`);
    }
    const check = checkRootPath(path, roots);
    return check.kind === "refused" ? check : { kind: "located", path: check.path, roots };
  }

  /** A root may be declared by a link; a client then spells its paths with that link. */
  #respell(name: string): string {
    if (!name.startsWith("/")) return name;
    const path = normalizePath(name);
    for (const [declared, real] of this.#real) {
      if (isInside(path, declared)) return real + path.slice(declared.length);
    }
    return path;
  }
}

/** Whether a name is that of a payload. */
export function isPayloadName(name: string): boolean {
  return name.toLowerCase().endsWith(".bcp");
}

/** A client's own words, shortened, for saying them back. */
export function quoteName(name: string): string {
  return JSON.stringify(
    name.length > MAX_QUOTED_CHARS ? `${name.slice(0, MAX_QUOTED_CHARS)}…` : name,
  );
}

/** Whether Deno grants this; asking never prompts. */
export async function isGranted(name: "read" | "write", path: string): Promise<boolean> {
  return (await Deno.permissions.query({ name, path })).state === "granted";
}

/**
 * Without declared roots the widest directory above the path that Deno allows to be read is its root. Too wide a one,
 * such as everything, is none: that is for a person to say.
 */
async function findGranted(name: string, path: string): Promise<Located> {
  if (!name.startsWith("/")) {
    return refuse("the path is relative and no root is declared; give an absolute path");
  }
  const steps = path.split("/").slice(1);
  for (let depth = 0; depth <= steps.length; depth++) {
    const root = `/${steps.slice(0, depth).join("/")}`;
    if (!await isGranted("read", root)) continue;
    if (!isBroadPath(root)) return { kind: "located", path, roots: [root] };
    return refuse(`no root is declared; start the server with --root ${toGrantable(name)}`);
  }
  return refuse(`start the server with ${toReadFlag(name)}`);
}

function toReadFlag(name: string): string {
  return `--allow-read=${toGrantable(name)}`;
}

/** The directory of a path as the client spelled it; a relative one tells nothing about where the roots are. */
function toGrantable(name: string): string {
  if (!name.startsWith("/")) return "DIR, the root";
  const folder = normalizePath(name.slice(0, name.lastIndexOf("/")));
  return isBroadPath(folder) ? "DIR" : folder;
}

function refuse(reason: string): Refusal {
  return { kind: "refused", reason };
}

// Puts a payload at a path inside the roots: all of it or nothing, never through a link, never where programs are
// started from. The bytes go to a file beside it, which then takes its name.

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
  const guarded = PROTECTED_NAMES.find((entry) => isInside(path, `${check.root}/${entry}`));
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

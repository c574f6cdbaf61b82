// Payloads below the declared roots as resources. A URI says where a file is below its root, never where the root is.

import { isInside } from "../../permission/path_rule.ts";
import { checkRootPath } from "../../permission/root_path.ts";
import type { ResourceTemplate } from "../../mcp/model.ts";
import { type FileAccess, isPayloadName } from "./file_access.ts";

/** One payload. */
export interface PayloadEntry {
  readonly uri: string;
  /** Its path below the roots; with several of them the root's own name comes first. */
  readonly name: string;
  readonly bytes: number;
}

/** How payloads are addressed. */
export const TEMPLATE: ResourceTemplate = {
  uriTemplate: "bcp:///{+path}",
  name: "bcp_file",
  title: "BCP file",
  description: "A .bcp file below the roots, rendered as text",
  mimeType: "text/plain",
};

const SCHEME = "bcp:///";
/** A client shows a list to people; more than this is no list. */
const MAX_LISTED = 1000;
/** Bounds the time a huge tree takes. */
const MAX_VISITED = 20_000;
const MAX_DEPTH = 16;
/** Directories that hold what programs made for themselves. */
const SKIPPED = new Set(["node_modules", "target"]);

/** Lists and finds payloads. */
export class ResourceTree {
  readonly #access: FileAccess;

  /** Lists nothing yet. */
  constructor(access: FileAccess) {
    this.#access = access;
  }

  /**
   * The payloads below the declared roots, as far as the given access leaves them, and as many as the bounds allow.
   * Links are not followed. What a payload is called does not depend on the access.
   */
  async list(access: FileAccess = this.#access): Promise<readonly PayloadEntry[]> {
    const entries: PayloadEntry[] = [];
    const walk = { visited: 0, open: await access.listNarrowed() };
    for (const [label, root] of await this.#labels()) {
      for await (const { path, bytes } of walkPayloads(root, walk)) {
        if (entries.length >= MAX_LISTED) return entries;
        const name = `${label}${path.slice(root.length + 1)}`;
        entries.push({ uri: SCHEME + encodeName(name), name, bytes });
      }
    }
    return entries;
  }

  /** The absolute path that a URI stands for; `undefined` when it is none of ours. */
  async find(uri: string): Promise<string | undefined> {
    const name = decodeName(uri);
    if (name === undefined) return undefined;
    for (const [label, root] of await this.#labels()) {
      if (!name.startsWith(label)) continue;
      const check = checkRootPath(`${root}/${name.slice(label.length)}`, [root]);
      return check.kind === "inside" ? check.path : undefined;
    }
    return undefined;
  }

  /** What names of each root begin with: nothing for a single root, else its own name, made unique. */
  async #labels(): Promise<ReadonlyMap<string, string>> {
    const roots = await this.#access.listRoots();
    const labels = new Map<string, string>();
    for (const root of roots) {
      const base = root.slice(root.lastIndexOf("/") + 1);
      let label = roots.length === 1 ? "" : `${base}/`;
      for (let twin = 2; labels.has(label); twin++) label = `${base}-${twin}/`;
      labels.set(label, root);
    }
    return labels;
  }
}

interface Walk {
  visited: number;
  /** Only what lies in these directories is listed. */
  readonly open: readonly string[];
}

async function* walkPayloads(
  root: string,
  walk: Walk,
): AsyncGenerator<{ path: string; bytes: number }> {
  const waiting = [{ path: root, depth: 0 }];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (!leadsOn(folder.path, walk)) continue;
    for (const entry of await readFolder(folder.path)) {
      walk.visited += 1;
      if (walk.visited > MAX_VISITED) return;
      const path = `${folder.path}/${entry.name}`;
      if (entry.isFile && isPayloadName(entry.name) && isOpen(path, walk)) {
        const bytes = await findSize(path);
        if (bytes !== undefined) yield { path, bytes };
      }
      const isHidden = entry.name.startsWith(".") || SKIPPED.has(entry.name);
      if (entry.isDirectory && !isHidden && folder.depth < MAX_DEPTH) {
        waiting.push({ path, depth: folder.depth + 1 });
      }
    }
  }
}

function isOpen(path: string, { open }: Walk): boolean {
  return open.some((directory) => isInside(path, directory));
}

/** Whether something open lies in a directory, or around it. */
function leadsOn(folder: string, walk: Walk): boolean {
  return isOpen(folder, walk) || walk.open.some((directory) => isInside(directory, folder));
}

async function readFolder(path: string): Promise<readonly Deno.DirEntry[]> {
  const entries: Deno.DirEntry[] = [];
  try {
    for await (const entry of Deno.readDir(path)) {
      entries.push(entry);
      if (entries.length > MAX_VISITED) break;
    }
  } catch {
    // Gone, or not ours to read: it has nothing to list.
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

async function findSize(path: string): Promise<number | undefined> {
  try {
    return (await Deno.lstat(path)).size;
  } catch {
    return undefined;
  }
}

function encodeName(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}

function decodeName(uri: string): string | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  try {
    return decodeURIComponent(uri.slice(SCHEME.length));
  } catch {
    // Not percent-encoding, so no URI that was ever listed.
    return undefined;
  }
}

// Finds protected names that exist somewhere below a writable directory, such as the hooks of a repository in a
// subdirectory. The search is bounded; what it does not reach, and what does not exist yet, it cannot protect.

import type { Grants } from "../permission/grants.ts";
import { PRIVATE_TMP } from "../sandbox/bubblewrap.ts";

/** Bounds of one search. */
const MAX_DIRECTORIES = 2000;
const MAX_DEPTH = 8;
/** Each becomes an argument of the launch. */
const MAX_FOUND = 128;

/** How long a search holds: launches come in bursts, and repositories are seldom made between them. */
const HOLD_MS = 5000;

/** Directories that hold what programs made for themselves. */
const SKIPPED = new Set(["node_modules", "target"]);

interface Search {
  readonly at: number;
  readonly found: Promise<readonly string[]>;
}

/** Searches writable directories, and remembers for a moment what it found. */
export class NestedNames {
  readonly #searches = new Map<string, Search>();

  /** The existing protected paths below the writable directories of these grants, but not at their top. */
  async find({ write, protect }: Grants): Promise<readonly string[]> {
    const found: string[] = [];
    for (const directory of write) {
      // A sandbox puts a private one in its place.
      if (directory === PRIVATE_TMP) continue;
      const key = [directory, ...protect].join("\0");
      const known = this.#searches.get(key);
      const isFresh = known !== undefined && performance.now() - known.at < HOLD_MS;
      const search = isFresh
        ? known
        : { at: performance.now(), found: searchDirectory(directory, protect) };
      this.#searches.set(key, search);
      found.push(...await search.found);
    }
    return [...new Set(found)].slice(0, MAX_FOUND);
  }
}

async function searchDirectory(
  top: string,
  protect: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [{ path: top, depth: 0 }];
  for (let visited = 0; visited < MAX_DIRECTORIES && found.length < MAX_FOUND; visited++) {
    const folder = waiting.shift();
    if (folder === undefined) break;
    const entries = await readEntries(folder.path);
    // The names at the top are protected whether they exist or not.
    if (folder.depth > 0) found.push(...await findProtected(folder.path, entries, protect));
    const isRepository = entries.get(".git")?.isDirectory === true;
    if (isRepository && protect.includes(".git/hooks")) {
      found.push(...await listModules(`${folder.path}/.git/modules`));
    }
    if (folder.depth === MAX_DEPTH) continue;
    for (const [name, { isDirectory }] of entries) {
      if (!isDirectory || name === ".git" || SKIPPED.has(name)) continue;
      waiting.push({ path: `${folder.path}/${name}`, depth: folder.depth + 1 });
    }
  }
  return found;
}

async function findProtected(
  folder: string,
  entries: ReadonlyMap<string, Deno.DirEntry>,
  protect: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of protect) {
    const [first = "", second] = name.split("/");
    const entry = entries.get(first);
    if (entry === undefined || entry.isSymlink) continue;
    if (second === undefined) found.push(`${folder}/${name}`);
    // In a worktree or submodule ".git" is a file, which says where hooks are looked for.
    else if (entry.isFile) found.push(`${folder}/${first}`);
    else if ((await readEntries(`${folder}/${first}`)).has(second)) found.push(`${folder}/${name}`);
  }
  return found;
}

/** The hooks and settings of a repository's submodules, which lie inside its own ".git". */
async function listModules(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, { isDirectory }] of await readEntries(path)) {
    if (!isDirectory) continue;
    const entries = await readEntries(`${path}/${name}`);
    for (const kept of ["hooks", "config"]) {
      if (entries.has(kept)) found.push(`${path}/${name}/${kept}`);
    }
  }
  return found;
}

async function readEntries(path: string): Promise<ReadonlyMap<string, Deno.DirEntry>> {
  const entries = new Map<string, Deno.DirEntry>();
  try {
    for await (const entry of Deno.readDir(path)) {
      entries.set(entry.name, entry);
      if (entries.size >= MAX_DIRECTORIES) break;
    }
  } catch {
    // Missing, gone, or not ours to read: there is nothing in it to protect.
  }
  return entries;
}

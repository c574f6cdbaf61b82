// The roots of a mode and where a path lies in them. Where a person declared no root, what Deno itself was told to allow
// is the root. Asks Deno before it touches anything, so that no prompt can appear, and every refusal names what would
// allow it in words that hold no path but the client's own.

import { narrowRoots } from "../permission/grants.ts";
import { isBroadPath, isInside, normalizePath } from "../permission/path_rule.ts";
import { PermissionDeniedError } from "../permission/permission_denied_error.ts";
import { checkRootPath } from "../permission/root_path.ts";
import { resolveRoots } from "./root_guard.ts";

/** A refusal, worded for a model. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** Where a path lies: real roots, and the path as they spell it. */
export type Located =
  | { readonly kind: "located"; readonly path: string; readonly roots: readonly string[] }
  | Refusal;

/** How much of a client's own path is said back to it. */
const MAX_QUOTED_CHARS = 200;

/** What narrowed roots have besides: what is known about the declared ones, and the client's own. */
export interface Narrowed {
  readonly real: Map<string, string>;
  readonly offered: readonly string[];
}

/** The roots of a mode. */
export class RootAccess {
  readonly #declared: readonly string[];
  /** Real paths by declared root. */
  readonly #real: Map<string, string>;
  /** The client's roots; undefined when they do not matter. */
  readonly #offered: readonly string[] | undefined;

  /** `declared` are absolute paths, as the person spelled them. */
  constructor(declared: readonly string[], narrowed?: Narrowed) {
    this.#declared = declared.map(normalizePath);
    this.#real = narrowed?.real ?? new Map();
    this.#offered = narrowed?.offered;
  }

  /** What the same roots are made of, as far as the client's own cover them. */
  narrow(paths: readonly string[]): readonly [declared: readonly string[], narrowed: Narrowed] {
    return [this.#declared, { real: this.#real, offered: paths.map(normalizePath) }];
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
    const roots = await this.#narrow(found.roots);
    if (!roots.some((root) => isInside(found.path, root))) {
      return refuse(`${verb} ${quoteName(name)}: it is outside the client's own roots`);
    }
    for (const kind of access === "read" ? ["read"] as const : ["read", "write"] as const) {
      if (await isGranted(kind, found.path)) continue;
      const flag = `--allow-${kind}=${toGrantable(name)}`;
      return refuse(`${verb} ${quoteName(name)}: start the server with ${flag}`);
    }
    return { ...found, roots };
  }

  /** What the client's own roots leave of the declared ones, as real paths. */
  async listNarrowed(): Promise<readonly string[]> {
    return await this.#narrow(await this.listRoots());
  }

  /** What is left of these roots; a client may spell its own by links, as a person may. */
  async #narrow(roots: readonly string[]): Promise<readonly string[]> {
    if (this.#offered === undefined) return roots;
    const offered: string[] = [];
    for (const path of this.#offered) {
      for (const [declared, real] of this.#real) if (isInside(declared, path)) offered.push(real);
      const spelled = this.#respell(path);
      // What may not be read cannot be resolved; as it is spelled it can only cover less.
      offered.push(await isGranted("read", spelled) ? await findReal(spelled) : spelled);
    }
    return narrowRoots(roots, offered);
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

async function findReal(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return path;
  }
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

/** A refusal in these words. */
export function refuse(reason: string): Refusal {
  return { kind: "refused", reason };
}

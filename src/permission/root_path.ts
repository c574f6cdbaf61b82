// Roots: the text-only half of the check that keeps path arguments inside declared directories. The other half,
// which follows symbolic links, is `src/process/root_guard.ts`.

import { PROTECTED_NAMES } from "./manifest.ts";
import { hasControlCharacter, isInside, normalizePath } from "./path_rule.ts";

/** A path argument that may be looked at further, or the reason it may not. */
export type RootCheck =
  | { readonly kind: "inside"; readonly path: string; readonly root: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Longest path Linux accepts, in UTF-16 units; longer ones cannot name a file. */
const MAX_PATH_CHARS = 4096;

/** Bidirectional controls, zero-width characters and tag characters: a name that shows as another name. */
const INVISIBLE =
  /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const ENCODED = /%(?:2e|2f|5c|00)/i;

/** Checks the spelling of a path argument and that it lies inside a root, before the disk is asked. */
export function checkRootPath(input: string, roots: readonly string[]): RootCheck {
  const problem = findSpellingProblem(input);
  if (problem !== undefined) return { kind: "refused", reason: problem };
  const [only] = roots;
  if (only === undefined) return refuse("No root is declared; start the server with --root DIR");
  if (!input.startsWith("/") && roots.length > 1) {
    return refuse("Path is relative and there are several roots; give an absolute path");
  }
  const path = normalizePath(input.startsWith("/") ? input : `${only}/${input}`);
  return checkContained(path, roots);
}

/** Checks that a normal absolute path lies inside one of the roots. */
export function checkContained(path: string, roots: readonly string[]): RootCheck {
  const root = roots.find((candidate) => isInside(path, candidate));
  if (root === undefined) {
    return refuse("Path is outside the roots; start the server with --root for its directory");
  }
  return { kind: "inside", path, root };
}

/** The protected name that a path below a root goes through, at whatever depth; undefined when there is none. */
export function findProtectedName(path: string, root: string): string | undefined {
  // Some file systems do not tell upper from lower case.
  const below = `${path.slice(root.length).toLowerCase()}/`;
  return PROTECTED_NAMES.find((name) => below.includes(`/${name}/`));
}

function findSpellingProblem(input: string): string | undefined {
  if (input === "") return "Path is empty; name a file";
  if (input.length > MAX_PATH_CHARS) return `Path is longer than ${MAX_PATH_CHARS} characters`;
  if (hasControlCharacter(input)) return "Path holds a control character; remove it";
  if (input.startsWith("-")) return 'Path begins with "-"; write "./" before it';
  if (input.startsWith("~")) return 'Path begins with "~"; give the absolute path';
  if (input.includes("\\")) return 'Path holds a backslash; separate names with "/"';
  if (ENCODED.test(input)) return "Path holds a percent-encoded separator; write it plainly";
  if (INVISIBLE.test(input)) return "Path holds an invisible character; remove it";
  if (!input.isWellFormed()) return "Path is not well-formed Unicode";
  for (const segment of input.split("/")) {
    if (segment !== "." && segment !== ".." && /[. ]$/.test(segment)) {
      return "Path holds a name that ends with a dot or a space; rename the file";
    }
  }
  return undefined;
}

function refuse(reason: string): RootCheck {
  return { kind: "refused", reason };
}

// POSIX path handling for `path.ts`, pure but for `resolve`, which may ask for the working
// directory. The rules are those of `node:path/posix`, but as in `@std/path` the root is named "/"
// and `dirname` leaves no doubled slash at the end.

/** The parts of a path: `dir` + separator + `base`, and `base` = `name` + `ext`. */
export interface ParsedPath {
  /** `/` for an absolute path, else empty. */
  root: string;
  /** Everything before the last segment, `root` included. */
  dir: string;
  /** The last segment. */
  base: string;
  /** From the last dot of `base` on. */
  ext: string;
  /** `base` without `ext`. */
  name: string;
}

/** Whether the path begins at the root. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** Removes `.`, `..` and doubled slashes; a trailing slash stays. */
export function normalize(path: string): string {
  if (path === "") return ".";
  const root = isAbsolute(path) ? "/" : "";
  const body = toSegments(path, root !== "").join("/");
  if (body === "") return root || (path.endsWith("/") ? "./" : ".");
  return root + body + (path.endsWith("/") ? "/" : "");
}

/** Joins paths with a slash and normalises the result. */
export function join(...paths: string[]): string {
  const joined = paths.filter((path) => path !== "").join("/");
  return normalize(joined);
}

/** Goes from the working directory along each path in turn. */
export function resolve(...paths: string[]): string {
  let resolved = "";
  for (const path of paths.toReversed()) {
    if (path === "") continue;
    resolved = `${path}/${resolved}`;
    if (isAbsolute(path)) break;
  }
  if (!isAbsolute(resolved)) resolved = `${Deno.cwd()}/${resolved}`;
  return "/" + toSegments(resolved, true).join("/");
}

/** The path that leads from `from` to `to`. */
export function relative(from: string, to: string): string {
  if (from === to) return "";
  const start = toSegments(resolve(from), true);
  const goal = toSegments(resolve(to), true);
  let same = 0;
  while (same < start.length && same < goal.length && start[same] === goal[same]) same++;
  return [...start.slice(same).fill(".."), ...goal.slice(same)].join("/");
}

/** The path without its last segment and the slashes around it. */
export function dirname(path: string): string {
  const trimmed = trimSlashes(path);
  const slash = trimmed.lastIndexOf("/");
  return slash === -1 ? "." : trimSlashes(trimmed.slice(0, Math.max(slash, 1)));
}

/** The last segment, without `suffix` if it ends so and is longer; the root is its own name. */
export function basename(path: string, suffix = ""): string {
  const trimmed = trimSlashes(path);
  if (trimmed === "/") return "/";
  const base = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  return suffix !== "" && base !== suffix && base.endsWith(suffix)
    ? base.slice(0, -suffix.length)
    : base;
}

/** From the last dot of the last segment on. */
export function extname(path: string): string {
  const base = basename(path);
  const dot = base.lastIndexOf(".");
  return dot <= 0 || base === ".." ? "" : base.slice(dot);
}

/** Takes a path apart. */
export function parse(path: string): ParsedPath {
  if (path === "") return { root: "", dir: "", base: "", ext: "", name: "" };
  const root = isAbsolute(path) ? "/" : "";
  const base = basename(path);
  const ext = extname(path);
  const dir = root === "" && !trimSlashes(path).includes("/") ? "" : dirname(path);
  return {
    root,
    dir,
    base,
    ext,
    name: base === "/" ? "" : base.slice(0, base.length - ext.length),
  };
}

/** Puts a path together. */
export function format(parts: Partial<ParsedPath>): string {
  const dir = parts.dir || parts.root;
  const base = parts.base || (parts.name ?? "") + (parts.ext ?? "");
  if (!dir) return base;
  if (base === "/") return dir;
  return dir === parts.root ? dir + base : `${dir}/${base}`;
}

/** The path that a `file:` URL names; a `%` that escapes nothing stands for itself. */
export function fromFileUrl(url: URL | string): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") {
    throw new TypeError(`Cannot convert to a path: URL must be a file URL, not "${protocol}"`);
  }
  return decodeURIComponent(pathname.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
}

/** The `file:` URL of an absolute path. */
export function toFileUrl(path: string): URL {
  const url = new URL("file:///");
  url.pathname = path.replace(/[%\\\s]/g, encodeURIComponent);
  return url;
}

/** The segments of a path with `.` and `..` taken out; above the root there is only the root. */
function toSegments(path: string, isRooted: boolean): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    const canGoUp = segments.length > 0 && segments.at(-1) !== "..";
    if (segment === ".." && canGoUp) segments.pop();
    else if (segment !== ".." || !isRooted) segments.push(segment);
  }
  return segments;
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

// Stands in for `@std/path`, so that everything installs from an npm registry alone.
// `import_map.jsr.json` puts the original in its place; both behave the same, and this file holds
// no cleverness. Importing any `node:` module costs a Deno start 7 to 10 ms, a third of it, so
// POSIX paths are handled here and only Windows loads `node:path`.

import * as posix from "./path_posix.ts";

/** The parts of a path, as {@linkcode parse} returns them. */
export type { ParsedPath } from "./path_posix.ts";

const isWindows = Deno.build.os === "windows";
const native = isWindows ? (await import("node:path")).win32 : posix;
const nativeUrl = isWindows ? await import("node:url") : undefined;

/** Between the segments of a path: `/`, on Windows `\`. */
export const SEPARATOR: "/" | "\\" = isWindows ? "\\" : "/";

/** Between the paths of a list such as `PATH`: `:`, on Windows `;`. */
export const DELIMITER: ":" | ";" = isWindows ? ";" : ":";

/** Joins paths with the separator and normalises the result; `.` for nothing. */
export function join(...paths: string[]): string {
  return native.join(...paths);
}

/** The absolute path reached by going from the working directory along each path in turn. */
export function resolve(...pathSegments: string[]): string {
  return native.resolve(...pathSegments);
}

/** The path that leads from `from` to `to`; empty when they are the same. */
export function relative(from: string, to: string): string {
  return native.relative(from, to);
}

/** Whether the path does not depend on a working directory. */
export function isAbsolute(path: string): boolean {
  return native.isAbsolute(path);
}

/** Removes `.`, `..` and doubled separators; a trailing separator stays. */
export function normalize(path: string): string {
  return native.normalize(path);
}

/** The path without its last segment. */
export function dirname(path: string): string {
  return native.dirname(path);
}

/** The last segment of the path, without `suffix` if it ends so and is longer. */
export function basename(path: string, suffix = ""): string {
  return native.basename(path, suffix);
}

/** From the last dot of the last segment on; empty when there is none or it comes first. */
export function extname(path: string): string {
  return native.extname(path);
}

/** Takes a path apart; {@linkcode format} puts it together. */
export function parse(path: string): posix.ParsedPath {
  return native.parse(path);
}

/** Puts a path together from `dir` (or `root`) and `base` (or `name` and `ext`). */
export function format(pathObject: Partial<posix.ParsedPath>): string {
  return native.format(pathObject);
}

/**
 * The path that a `file:` URL names.
 *
 * @throws {TypeError} If the URL is not a `file:` URL.
 */
export function fromFileUrl(url: URL | string): string {
  return nativeUrl?.fileURLToPath(url) ?? posix.fromFileUrl(url);
}

/**
 * The `file:` URL of an absolute path.
 *
 * @throws {TypeError} If the path is relative.
 */
export function toFileUrl(path: string): URL {
  if (!isAbsolute(path)) {
    throw new TypeError(`Cannot convert to a file URL: path "${path}" must be absolute`);
  }
  return nativeUrl?.pathToFileURL(path) ?? posix.toFileUrl(path);
}

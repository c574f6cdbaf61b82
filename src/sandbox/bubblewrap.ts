// Bubblewrap arguments: an empty file system into which only the system's programs and the granted paths are mounted,
// in namespaces of its own. Later mounts cover earlier ones, so the order of the parts matters.

import type { Grants } from "../permission/grants.ts";
import { isInside } from "../permission/path_rule.ts";
import { PROTECTED_DIRECTORIES } from "../permission/manifest.ts";
import type { Mask, PathShape } from "./launch_plan.ts";

/** What to build around one program. */
export interface BubblewrapRequest {
  readonly grants: Grants;
  readonly cwd: string;
  /** Options the probe found this bubblewrap to know. */
  readonly extras: readonly string[];
  /** Further paths the program needs to run at all, such as its own executable. */
  readonly needs: readonly string[];
  readonly shapes: ReadonlyMap<string, PathShape>;
}

/** Arguments up to and including `--`, and the paths that have to be removed afterwards. */
export interface BubblewrapArguments {
  readonly args: readonly string[];
  readonly masks: readonly Mask[];
}

/** Programs and libraries of the system, which hold no secrets. */
const SYSTEM_PATHS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/** What dynamic linking, time zones and `alternatives` links need from `/etc`. */
const SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"];

/** What resolving names and verifying certificates needs, mounted only with a network. */
const NETWORK_FILES = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/ca-certificates",
  "/etc/pki",
];

/** Shared memory is a file system too and needs its own bound. */
const SHM_BYTES = 16 * 1024 * 1024;

/**
 * Bubblewrap as a leash: everything of the machine is there, but the processes have a namespace of their own. The
 * kernel ends all of them together, at the latest with the server, whatever they do.
 */
export const LEASH: readonly string[] = Object.freeze([
  "--dev-bind",
  "/",
  "/",
  "--unshare-pid",
  "--proc",
  "/proc",
  "--die-with-parent",
  "--new-session",
  "--",
]);

/** Where the private temporary directory stands inside the sandbox. */
export const PRIVATE_TMP = "/tmp";

/** Computes the arguments for one launch. */
export function planBubblewrap(request: BubblewrapRequest): BubblewrapArguments {
  const grants = withoutTmp(request.grants);
  const masks: Mask[] = [];
  const args = [
    "--unshare-all",
    "--unshare-user",
    ...request.extras,
    ...(grants.net === "all" || grants.net.length > 0 ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--hostname",
    "bulkhead",
    ...SYSTEM_PATHS.flatMap((path) => ["--ro-bind-try", path, path]),
    ...SYSTEM_FILES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(grants.net.length > 0 ? NETWORK_FILES : []).flatMap((
      path,
    ) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    // The superuser outside could otherwise change kernel settings through /proc/sys.
    "--remount-ro",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    String(Math.min(SHM_BYTES, grants.limits.tmpBytes)),
    "--tmpfs",
    "/dev/shm",
    "--remount-ro",
    "/dev",
    "--perms",
    "1777",
    "--size",
    String(grants.limits.tmpBytes),
    "--tmpfs",
    PRIVATE_TMP,
    // One that is not there is told apart inside, where it is a program that is not found.
    ...request.needs.flatMap((path) => ["--ro-bind-try", path, path]),
    ...planMounts(grants),
    ...planDenials(grants, request.shapes, masks),
    // Without this the root directory itself would be writable memory without a bound.
    "--remount-ro",
    "/",
    "--chdir",
    request.cwd,
    "--",
  ];
  return { args, masks };
}

/**
 * A granted "/tmp" is the private one, which is there already. It must not make a read-only directory writable that
 * happens to lie below the host's "/tmp", and what is denied in it is not looked for on the host.
 */
function withoutTmp(grants: Grants): Grants {
  const isMounted = (path: string) => path !== PRIVATE_TMP;
  const [read, write] = [grants.read.filter(isMounted), grants.write.filter(isMounted)];
  return {
    ...grants,
    read,
    write,
    denyRead: grants.denyRead.filter((path) => read.some((granted) => isInside(path, granted))),
    denyWrite: grants.denyWrite.filter((path) => write.some((granted) => isInside(path, granted))),
  };
}

/** Mounts outer paths first, so that a writable directory inside a readable one stays writable. */
function planMounts(grants: Grants): string[] {
  const paths = [...new Set([...grants.read, ...grants.write])].sort();
  return paths.flatMap((path) => [
    grants.write.some((granted) => isInside(path, granted)) ? "--bind" : "--ro-bind",
    path,
    path,
  ]);
}

function planDenials(
  grants: Grants,
  shapes: ReadonlyMap<string, PathShape>,
  masks: Mask[],
): string[] {
  const args: string[] = [];
  for (const path of grants.denyRead) {
    const shape = shapes.get(path) ?? "unknown";
    if (shape === "file") args.push("--ro-bind", "/dev/null", path);
    // A missing path is covered too: it could appear while the program runs.
    else if (shape === "missing") cover(path, "directory", grants, { args, masks });
    // Covering something of unknown shape as a directory fails the launch when it is a file: closed, not open.
    else args.push("--size", "4096", "--tmpfs", path, "--remount-ro", path);
  }
  const covered: string[] = [...grants.denyRead];
  for (const path of grants.denyWrite) {
    if (covered.some((outer) => isInside(path, outer))) continue;
    const shape = shapes.get(path) ?? "unknown";
    // In a git worktree ".git" is a file; it must not be replaced by a directory with hooks in it.
    const file = findParents(path, grants).find((parent) => shapes.get(parent) === "file");
    if (shape !== "missing") {
      args.push("--ro-bind", file ?? path, file ?? path);
      continue;
    }
    const missing = findParents(path, grants).filter((parent) => shapes.get(parent) === "missing");
    // With no ".git" at all, ".git" itself is covered.
    const target = missing.at(-1) ?? path;
    covered.push(target);
    const isDirectory = target !== path || isProtectedDirectory(path);
    cover(target, isDirectory ? "directory" : "file", grants, { args, masks });
  }
  return args;
}

function cover(
  path: string,
  shape: Mask["shape"],
  grants: Grants,
  out: { args: string[]; masks: Mask[] },
): void {
  // Inside a read-only mount nothing can be made, by the program as little as by bubblewrap.
  if (!grants.write.some((granted) => isInside(path, granted))) return;
  if (shape === "file") out.args.push("--ro-bind", "/dev/null", path);
  else out.args.push("--size", "4096", "--tmpfs", path, "--remount-ro", path);
  out.masks.push({ path, shape });
}

/** The directories between a path and the granted directory around it, innermost first. */
function findParents(path: string, grants: Grants): readonly string[] {
  const isBelowGrant = (directory: string) => {
    return grants.write.some((granted) => directory !== granted && isInside(directory, granted));
  };
  const parents: string[] = [];
  for (let parent = dirname(path); isBelowGrant(parent); parent = dirname(parent)) {
    parents.push(parent);
  }
  return parents;
}

function isProtectedDirectory(path: string): boolean {
  for (const name of PROTECTED_DIRECTORIES) if (path.endsWith("/" + name)) return true;
  return false;
}

function dirname(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The paths whose shape a caller must look up before it asks for a plan. */
export function listShapePaths(granted: Grants): readonly string[] {
  const grants = withoutTmp(granted);
  const paths = new Set<string>([...grants.denyRead, ...grants.denyWrite]);
  for (const path of grants.denyWrite) {
    for (const parent of findParents(path, grants)) paths.add(parent);
  }
  return [...paths].sort();
}

// From grants to a launch plan: checks what the caller asks for, chooses the walls this host has, and fails closed.

import { checkArguments } from "../permission/argument_grammar.ts";
import type { Grants } from "../permission/grants.ts";
import { isLoaderVariable } from "../permission/host_rule.ts";
import { hasControlCharacter, isInside } from "../permission/path_rule.ts";
import { LEASH, planBubblewrap, PRIVATE_TMP } from "./bubblewrap.ts";
import { planDenoFlags } from "./deno_flags.ts";
import type { Host } from "./host.ts";
import {
  freezePlan,
  type LaunchPlan,
  MARK_NAME,
  type PlanRequest,
  type PlanResult,
  type StopMethod,
} from "./launch_plan.ts";
import { planSeatbelt } from "./seatbelt.ts";

/** Where programs are looked for; in a sandbox all of it is mounted read-only. */
export const SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/** Inside a namespace, before the program. Programs and arguments are "$@" and never become part of the script. */
const FIND =
  'command -v "$1" >/dev/null 2>&1 || { echo "bulkhead: program not found" >&2; exit 127; }';

/** In a sandbox: bounds the number of processes. A leash has the count of the whole user, so it sets no bound. */
const COUNT = 'ulimit -c 0; ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null; shift';

/** Units of `ulimit`. */
const KIBIBYTE = 1024;
const FILE_BLOCK = 512;

/**
 * Gives the program an empty stdin, and leaves a watcher that sends TERM to every process of the namespace when the
 * launcher closes the real stdin.
 */
const SUPERVISE = [
  "exec 3<&0 0</dev/null",
  "{ read -r _ <&3; kill -TERM -1; } >/dev/null 2>&1 &",
  'exec 3<&-; exec "$@"',
].join("\n");

/** For programs that read stdin themselves. */
const START = 'exec "$@"';

/** What the starters print when the program does not exist inside the sandbox. */
export const NOT_FOUND_MARK = "bulkhead: program not found\n";

/** Plans one launch, or says why it may not happen. */
export function planLaunch(grants: Grants, request: PlanRequest, host: Host): PlanResult {
  const problem = findRequestProblem(grants, request);
  if (problem !== undefined) return refuse(problem);
  const program: [string, ...string[]] = grants.kind === "deno"
    ? [
      host.denoCommand,
      "run",
      ...planDenoFlags(grants).map(({ flag }) => flag),
      grants.command,
      ...request.args,
    ]
    : [grants.command, ...request.args];
  if (!isConfined(grants, host)) return planned(planUnconfined(grants, request, { host, program }));
  const { bubblewrap, seatbelt } = host;
  if (bubblewrap.kind === "available") {
    const { extras } = bubblewrap;
    return planned(wrapBubblewrap(grants, request, { host, program, extras }));
  }
  if (seatbelt.kind === "available") {
    return planned(wrapSeatbelt(grants, request, { host, program }));
  }
  const { reason } = host.os === "darwin" ? seatbelt : bubblewrap;
  return refuse(`Cannot start "${grants.name}" without a sandbox: ${reason}`);
}

/** Tells whether a sandbox of the operating system will stand around the program, or is required to. */
export function isConfined({ sandbox }: Grants, { bubblewrap, seatbelt }: Host): boolean {
  if (sandbox === "off") return false;
  return sandbox === "require" || bubblewrap.kind === "available" || seatbelt.kind === "available";
}

interface WrapOptions {
  readonly host: Host;
  readonly program: readonly [string, ...string[]];
}

function wrapBubblewrap(
  grants: Grants,
  request: PlanRequest,
  options: WrapOptions & { readonly extras: readonly string[] },
): LaunchPlan {
  const { host } = options;
  const { args, masks } = planBubblewrap({
    grants,
    cwd: request.cwd,
    extras: options.extras,
    needs: listNeeds(grants, host),
    shapes: request.shapes,
  });
  const script = [COUNT, ...toScript(grants, request)].join("\n");
  const { maxProcesses } = grants.limits;
  return {
    ...commonParts(grants, request, { host, stop: toNamespaceStop(request) }),
    argv: [
      "bwrap",
      ...args,
      ...["/bin/sh", "-c", script, "sh", String(maxProcesses)],
      ...toInner(grants, options),
    ],
    env: { HOME: PRIVATE_TMP, TMPDIR: PRIVATE_TMP, ...toEnv(grants, request, host) },
    sandbox: grants.kind === "deno" ? "deno" : "bubblewrap",
    walls: grants.kind === "deno" ? ["deno", "bubblewrap"] : ["bubblewrap"],
    masks,
  };
}

function wrapSeatbelt(grants: Grants, request: PlanRequest, options: WrapOptions): LaunchPlan {
  const profile = planSeatbelt(grants, listNeeds(grants, options.host));
  return {
    ...commonParts(grants, request, { host: options.host, stop: "marked" }),
    argv: ["sandbox-exec", "-p", profile, ...toInner(grants, options)],
    sandbox: grants.kind === "deno" ? "deno" : "seatbelt",
    walls: grants.kind === "deno" ? ["deno", "seatbelt"] : ["seatbelt"],
  };
}

/** Nothing but Deno's own flags, if they, confines the program; a leash ties its life to the server's. */
function planUnconfined(grants: Grants, request: PlanRequest, options: WrapOptions): LaunchPlan {
  const { host, program } = options;
  const isLeashed = host.canLeash && !grants.unleashed;
  const script = toScript(grants, request).join("\n");
  const stop = isLeashed ? toNamespaceStop(request) : "marked";
  return {
    ...commonParts(grants, request, { host, stop }),
    argv: isLeashed
      ? ["bwrap", ...LEASH, "/bin/sh", "-c", script, "sh", ...toInner(grants, options)]
      : program,
    sandbox: grants.kind === "deno" ? "deno" : "unconfined",
    walls: grants.kind === "deno" ? ["deno"] : [],
  };
}

/** What runs in a namespace before the program: bounds that the manifest asks for, or no program at all. */
function toScript({ kind, limits }: Grants, request: PlanRequest): readonly string[] {
  const { maxMemoryBytes, maxCpuSeconds, maxFileBytes } = limits;
  // V8 reserves far more address space than it uses; Deno programs get a bound on their heap instead.
  const kibibytes = kind === "deno" ? 0 : Math.ceil(maxMemoryBytes / KIBIBYTE);
  const bounds = [
    ["-v", kibibytes],
    ["-t", maxCpuSeconds],
    ["-f", Math.ceil(maxFileBytes / FILE_BLOCK)],
  ] as const;
  return [
    ...bounds.filter(([, bound]) => bound > 0).map(([option, bound]) =>
      `ulimit ${option} ${bound} || exit 126`
    ),
    FIND,
    request.stdin === "piped" ? START : SUPERVISE,
  ];
}

function toNamespaceStop(request: PlanRequest): StopMethod {
  return request.stdin === "piped" ? "stdin" : "control";
}

/** The program as something else starts it, with Deno by its path. */
function toInner(grants: Grants, { host, program }: WrapOptions): readonly string[] {
  return grants.kind === "deno" ? [host.denoPath, ...program.slice(1)] : program;
}

function commonParts(
  grants: Grants,
  request: PlanRequest,
  options: { readonly host: Host; readonly stop: StopMethod },
) {
  const env = toEnv(grants, request, options.host);
  return {
    // A namespace needs no mark: the kernel knows who belongs to it.
    env: options.stop === "marked" ? { ...env, [MARK_NAME]: request.mark } : env,
    cwd: request.cwd,
    limits: grants.limits,
    stop: options.stop,
    mark: request.mark,
    program: grants.name,
    masks: [],
  };
}

/** Paths a program cannot run without: its own file when it lies outside the system, Deno and its cache. */
function listNeeds(grants: Grants, host: Host): readonly string[] {
  const needs: string[] = [];
  if (grants.kind === "deno") {
    needs.push(host.denoPath);
    if (host.denoDir !== undefined) needs.push(host.denoDir);
  }
  const isGranted = grants.read.some((path) => {
    return path !== PRIVATE_TMP && isInside(grants.command, path);
  });
  if (
    grants.command.startsWith("/") && !isGranted && !/^\/(?:usr|bin|sbin)\//.test(grants.command)
  ) {
    needs.push(grants.command);
  }
  return needs;
}

function toEnv(
  grants: Grants,
  request: PlanRequest,
  host: Host,
): Readonly<Record<string, string>> {
  const isDeno = grants.kind === "deno";
  return {
    PATH: SANDBOX_PATH,
    LANG: "C.UTF-8",
    ...(isDeno ? { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } : {}),
    ...(isDeno && host.denoDir !== undefined ? { DENO_DIR: host.denoDir } : {}),
    ...request.env,
  };
}

function findRequestProblem(grants: Grants, request: PlanRequest): string | undefined {
  const check = checkArguments(request.args, grants.arguments);
  if (check.kind === "refused") return `Argument ${check.index + 1}: ${check.reason}`;
  for (const [name, value] of Object.entries(request.env)) {
    if (!grants.env.includes(name) || isLoaderVariable(name)) {
      return `Variable ${JSON.stringify(name)} is not granted; add it to "env" in the manifest`;
    }
    if (value.includes("\0")) return `Variable "${name}" holds a NUL byte`;
  }
  if (!request.cwd.startsWith("/") || hasControlCharacter(request.cwd)) {
    return "Working directory is not an absolute path";
  }
  const isReadable = grants.read.some((path) => isInside(request.cwd, path));
  if (!isReadable && request.cwd !== "/" && request.cwd !== PRIVATE_TMP) {
    return 'Working directory is not granted; add it to "read" in the manifest';
  }
  return undefined;
}

function planned(plan: LaunchPlan): PlanResult {
  return { kind: "planned", plan: freezePlan(plan) };
}

function refuse(reason: string): PlanResult {
  return { kind: "refused", reason };
}

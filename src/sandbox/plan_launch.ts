// From grants to a launch plan: checks what the caller asks for, chooses the walls this host has, and fails closed.

import { checkArguments } from "../permission/argument_grammar.ts";
import type { Grants } from "../permission/grants.ts";
import { isLoaderVariable } from "../permission/host_rule.ts";
import { hasControlCharacter, isInside } from "../permission/path_rule.ts";
import { planBubblewrap, PRIVATE_TMP } from "./bubblewrap.ts";
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

/** Where a confined program looks for others; all of it is mounted read-only. */
const SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/**
 * Started inside the sandbox before the program. It bounds the number of processes, gives the program an empty stdin,
 * and leaves a watcher that sends TERM to every process of the namespace when the launcher closes the real stdin.
 * The program and its arguments are passed as "$@" and never become part of the script.
 */
const SUPERVISOR = [
  'ulimit -c 0; ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null; shift',
  'command -v "$1" >/dev/null 2>&1 || { echo "bulkhead: program not found" >&2; exit 127; }',
  "exec 3<&0 0</dev/null",
  "{ read -r _ <&3; kill -TERM -1; } >/dev/null 2>&1 &",
  'exec 3<&-; exec "$@"',
].join("\n");

/** The same without a watcher, for programs that read stdin themselves. */
const STARTER = SUPERVISOR.split("\n").slice(0, 2).join("\n") + '\nexec "$@"';

/** What the starters print when the program does not exist inside the sandbox. */
export const NOT_FOUND_MARK = "bulkhead: program not found\n";

/** Plans one launch, or says why it may not happen. */
export function planLaunch(grants: Grants, request: PlanRequest, host: Host): PlanResult {
  const problem = findRequestProblem(grants, request);
  if (problem !== undefined) return refuse(problem);
  const program: [string, ...string[]] = grants.kind === "deno"
    ? [
      "deno",
      "run",
      ...planDenoFlags(grants).map(({ flag }) => flag),
      grants.command,
      ...request.args,
    ]
    : [grants.command, ...request.args];
  const { bubblewrap, seatbelt } = host;
  if (grants.sandbox !== "off") {
    if (bubblewrap.kind === "available") {
      const { extras } = bubblewrap;
      return planned(wrapBubblewrap(grants, request, { host, program, extras }));
    }
    if (seatbelt.kind === "available") {
      return planned(wrapSeatbelt(grants, request, { host, program }));
    }
    if (grants.sandbox === "require") {
      const { reason } = host.os === "darwin" ? seatbelt : bubblewrap;
      return refuse(`Cannot start "${grants.name}" without a sandbox: ${reason}`);
    }
  }
  return planned({
    ...commonParts(grants, request, { host, stop: "marked" }),
    argv: program,
    sandbox: grants.kind === "deno" ? "deno" : "unconfined",
    walls: grants.kind === "deno" ? ["deno"] : [],
  });
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
  const isPiped = request.stdin === "piped";
  const inner = grants.kind === "deno"
    ? [host.denoPath, ...options.program.slice(1)]
    : options.program;
  return {
    ...commonParts(grants, request, { host, stop: isPiped ? "stdin" : "control" }),
    argv: [
      "bwrap",
      ...args,
      "/bin/sh",
      "-c",
      isPiped ? STARTER : SUPERVISOR,
      "sh",
      String(grants.limits.maxProcesses),
      ...inner,
    ],
    env: { HOME: PRIVATE_TMP, TMPDIR: PRIVATE_TMP, ...toEnv(grants, request, host) },
    sandbox: grants.kind === "deno" ? "deno" : "bubblewrap",
    walls: grants.kind === "deno" ? ["deno", "bubblewrap"] : ["bubblewrap"],
    masks,
  };
}

function wrapSeatbelt(grants: Grants, request: PlanRequest, options: WrapOptions): LaunchPlan {
  const profile = planSeatbelt(grants, listNeeds(grants, options.host));
  const inner = grants.kind === "deno"
    ? [options.host.denoPath, ...options.program.slice(1)]
    : options.program;
  return {
    ...commonParts(grants, request, { host: options.host, stop: "marked" }),
    argv: ["sandbox-exec", "-p", profile, ...inner],
    sandbox: grants.kind === "deno" ? "deno" : "seatbelt",
    walls: grants.kind === "deno" ? ["deno", "seatbelt"] : ["seatbelt"],
  };
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

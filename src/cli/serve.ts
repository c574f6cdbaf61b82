// Runs a gateway until its client leaves or a signal arrives: on this process's stdin and stdout, or over HTTP.

import type { Activation } from "../activation/activation.ts";
import { Gateway } from "../gateway/gateway.ts";
import { createLog, describeError, type Log } from "../gateway/log.ts";
import { type Limits, settlesWithin } from "../gateway/limits.ts";
import { serveLines } from "../gateway/serve_lines.ts";
import { INVALID_LEVEL, isLogLevel, type LogLevel } from "../mcp/params.ts";
import { LineWriter } from "../transport/lines.ts";
import {
  captureConsole,
  findVariable,
  type HttpChoice,
  type OpenHttp,
  printError,
  UsageError,
  VERSION,
} from "./command.ts";

/** What a person chose for a server. */
export interface ServerOptions {
  readonly logLevel: LogLevel;
  readonly limits: Partial<Limits>;
  readonly minimal: boolean;
  readonly splitBatches: boolean;
  /** Serves over HTTP instead of stdio. */
  readonly http?: HttpChoice;
  /** Names of tools that are neither listed nor run. */
  readonly deniedTools: readonly string[];
}

const KINDS = ["run", "read", "write", "net", "env", "sys", "ffi"] as const;

/** What Deno grants permissions for. */
export type PermissionKind = typeof KINDS[number];

/** What a mode serves. */
export interface Server {
  readonly mode: string;
  readonly activations: readonly Activation[];
  readonly options: ServerOptions;
  /** The kinds of permission that the mode has a use for; any other is given back before the first message. */
  readonly needs: readonly PermissionKind[];
  /** What serves over HTTP, where that is at hand. */
  readonly openHttp: OpenHttp | undefined;
  /** Where it logs, when its activations log too. */
  readonly log?: ServerLog;
  /** What can wait until a greeting that is there already is answered. */
  readonly afterGreeting?: () => void;
}

/** The log of a server, whose last lines can be waited for. */
export interface ServerLog extends Log {
  flush(): Promise<unknown>;
}

/** How long activations may take to end, once nothing needs them. */
const DISPOSE_MS = 5000;

/** Log text that may wait for its reader, in characters: about what a pipe holds. */
const LOG_BACKLOG = 64 * 1024;

/** How long the last lines of the log may take. */
const LOG_FLUSH_MS = 250;

/** Serves, then ends all that was started. Returns the exit code. */
export async function serve(server: Server): Promise<number> {
  const { mode, activations, options } = server;
  const log = server.log ?? openServerLog(options);
  refuseUnknownTools(activations, options.deniedTools, log);
  captureConsole(log);
  captureFaults(log);
  const plan = options.http === undefined
    ? undefined
    : await (server.openHttp ?? refuseHttp(mode))(options.http);
  const revoked = revokeUnneeded(plan === undefined ? server.needs : [...server.needs, "net"]);
  if (revoked.length > 0) log.write("notice", "permissions_revoked", { mode, revoked });
  const gateway = new Gateway({
    server: { implementation: { name: "bulkhead", title: "Bulkhead", version: VERSION } },
    activations,
    log,
    limits: options.limits,
    minimal: options.minimal,
    deniedTools: options.deniedTools,
  });
  const signal = stopSignal();
  const http = plan?.listen(gateway, signal);
  const served = http?.ended ?? serveStdio(gateway, mode, options, signal);
  // A greeting that waits is answered before this is said.
  await Promise.race([served, letTurnsPass()]);
  const where = http === undefined ? { transport: "stdio" } : { transport: "http", url: http.url };
  log.write("info", "serving", { mode, ...where, version: VERSION });
  server.afterGreeting?.();
  await served;
  await settlesWithin(gateway[Symbol.asyncDispose](), DISPOSE_MS);
  log.write("info", "stopped", { mode });
  await log.flush();
  return 0;
}

/** @throws UsageError always: the modes' own files leave HTTP out, because what can be loaded is read at each start. */
function refuseHttp(mode: string): never {
  throw new UsageError(`Option "--http" needs mod.ts: start it as mod.ts ${mode} --http`);
}

/**
 * Gives back every permission of a kind that is not needed at all. A kind that is needed in part cannot be narrowed
 * afterwards: Deno would drop the needed part too. Returns the kinds that had been granted without bounds.
 */
export function revokeUnneeded(needs: readonly PermissionKind[]): readonly PermissionKind[] {
  return KINDS.filter((name) => {
    if (needs.includes(name)) return false;
    // Read before the revocation: Deno's status objects are live and would tell the state after it.
    const { state } = Deno.permissions.querySync({ name });
    Deno.permissions.revokeSync({ name });
    return state === "granted";
  });
}

function serveStdio(
  gateway: Gateway,
  mode: string,
  { splitBatches }: ServerOptions,
  signal: AbortSignal,
): Promise<void> {
  if (Deno.stdin.isTerminal()) printError(terminalHint(mode));
  return serveLines(gateway, { input: Deno.stdin, output: Deno.stdout, signal, splitBatches });
}

/**
 * A denial that denies nothing is a mistake, and a tool that should be denied would run. Where tools come and go, the
 * name may yet come.
 *
 * @throws UsageError when no tool has the name.
 */
function refuseUnknownTools(
  activations: readonly Activation[],
  denied: readonly string[],
  log: Log,
): void {
  if (denied.length === 0) return;
  const names = activations.flatMap((activation) => activation.tools().map(({ name }) => name));
  const mayChange = activations.some(({ changes }) => changes !== undefined);
  for (const tool of denied.filter((name) => !names.includes(name))) {
    if (!mayChange) {
      throw new UsageError(`Cannot deny tool "${tool}": the tools are ${names.join(", ")}`);
    }
    log.write("warning", "denied_tool_unknown", { tool });
  }
}

/** The log of a server: stderr, from the chosen level on. */
export function openServerLog(options: ServerOptions): ServerLog {
  const errors = new LineWriter(Deno.stderr, { highWaterMark: LOG_BACKLOG });
  const log = createLog({ level: options.logLevel, sink: (line) => offer(errors, line) });
  return { write: log.write, flush: () => settlesWithin(errors.flush(), LOG_FLUSH_MS) };
}

/** Lets the event loop turn a few times, under a millisecond in all. The first `setTimeout` of a process costs eight. */
async function letTurnsPass(): Promise<void> {
  const nothing = new Uint8Array(0);
  try {
    for (let turn = 0; turn < 4; turn++) await Deno.stderr.write(nothing);
  } catch {
    // Stderr is closed: what would be said there need not wait.
  }
}

/** Aborts on SIGINT or SIGTERM. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const names: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  for (const name of names) Deno.addSignalListener(name, () => controller.abort());
  return controller.signal;
}

const LEVEL_VARIABLES = ["BULKHEAD_LOG_LEVEL"];

/**
 * The options of a server for which a person chose nothing.
 *
 * @throws UsageError when the environment names a level that there is not.
 */
export function defaultOptions(): ServerOptions {
  return {
    logLevel: findLevel(),
    limits: {},
    minimal: false,
    splitBatches: false,
    deniedTools: [],
  };
}

/**
 * The level that the environment names; the first variable that is set wins.
 *
 * @throws UsageError for a word that is no level.
 */
export function findLevel(variables: readonly string[] = LEVEL_VARIABLES): LogLevel {
  for (const variable of variables) {
    const level = findVariable(variable);
    if (level !== undefined && level !== "") return parseLevel(level);
  }
  return "info";
}

/**
 * The level that a word means.
 *
 * @throws UsageError for a word that is no level.
 */
export function parseLevel(word: unknown): LogLevel {
  if (word === "") return "info";
  // The short word that other programs use.
  if (word === "warn") return "warning";
  if (isLogLevel(word)) return word;
  throw new UsageError(`Cannot log at "${String(word)}": ${INVALID_LEVEL}`);
}

/** Hands a line to whoever reads stderr; while nobody does, lines are left out rather than waited for. */
function offer(errors: LineWriter, line: string): void {
  if (errors.ready() === undefined) errors.send(line.slice(0, -1));
}

/** A fault of an activation that nobody waits for ends neither the server nor the other calls. */
function captureFaults(log: Log): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.write("error", "fault", { error: describeError(event.reason) });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.write("error", "fault", { error: describeError(event.error) });
  });
}

function terminalHint(mode: string): string {
  return `Bulkhead serves MCP on stdin and stdout and waits for a client.
To try it by hand, paste this line and press Enter:
{"jsonrpc":"2.0","id":1,"method":"ping"}
To use it, put this command into your AI client, or see: mod.ts ${mode} --help
`;
}

// Options that every server mode understands.

import { parseArgs } from "@std/cli";
import { DEFAULT_LIMITS, type Limits } from "../gateway/limits.ts";
import { type HttpBound, type HttpChoice, UsageError } from "./command.ts";
import { findLevel, parseLevel, type ServerOptions } from "./serve.ts";

const HTTP_BOUNDS: readonly HttpBound[] = ["max-connections", "max-sessions", "max-rate"];
const HTTP_LISTS = ["allow-origin", "allow-host"] as const;

const LIMIT_FLAGS = {
  "max-concurrent": "maxConcurrentCalls",
  "max-queue": "maxQueuedCalls",
  "max-line-bytes": "maxLineBytes",
  "max-result-chars": "maxResultLength",
  "max-notifications": "maxNotificationsPerMinute",
  "grace-ms": "graceMs",
} as const satisfies Record<string, keyof Limits>;

/** Help on these options, for the help of each mode. */
export const SERVER_OPTIONS_HELP = `Server options:
  --log-level LEVEL        least severe line on stderr (default info; or BULKHEAD_LOG_LEVEL)
  --max-concurrent N       calls that run side by side (${DEFAULT_LIMITS.maxConcurrentCalls})
  --max-queue N            calls that may wait for their turn (${DEFAULT_LIMITS.maxQueuedCalls})
  --max-line-bytes N       longest message from a client (${DEFAULT_LIMITS.maxLineBytes})
  --max-result-chars N     longest result (${DEFAULT_LIMITS.maxResultLength})
  --max-notifications N    progress and log notifications a call a minute (${DEFAULT_LIMITS.maxNotificationsPerMinute})
  --grace-ms N             time for running calls after the client has left (${DEFAULT_LIMITS.graceMs})
  --deny-tool NAME         neither list nor run this tool; repeat it for several
  --compat-batches         take JSON-RPC batches of any revision apart, answer each message alone
  --force-minimal          lifecycle, ping and logging only, for diagnosis
  --http [HOST:PORT]       serve over HTTP at /mcp instead of stdio (127.0.0.1:8808; needs --allow-net=HOST:PORT)
  --token-file FILE        bearer tokens, one a line; a must beyond this machine (needs --allow-read=FILE)
  --allow-origin ORIGIN    a web page that may connect, such as https://app.example; repeat it for several
  --allow-host NAME        a further name in Host headers, as behind a reverse proxy; repeat it for several
  --legacy-sse             HTTP+SSE of 2024-11-05 at /sse too
  --max-connections N      connections at once (1024)
  --max-sessions N         sessions at once (1000)
  --max-rate N             requests a second of one client (no bound; 100 beyond this machine)
`;

/** What a mode understands besides. */
export interface ModeOptions {
  /** Its own options; each takes a value. */
  readonly names: readonly string[];
  /** Variables that name the log level, the first that is set wins. */
  readonly levelVariables?: readonly string[];
}

/** The options of a server beside those of its mode. */
export interface ModeServerOptions {
  readonly server: ServerOptions;
  /** Values of the mode's own options, by name, in the order given. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

const NOTHING_GIVEN: Readonly<Record<string, unknown>> = {};

/**
 * Reads the options of a server mode that has none of its own.
 *
 * @throws UsageError for an unknown option or an unusable value.
 */
export function parseServerOptions(args: readonly string[]): ServerOptions {
  return parseModeOptions(args, { names: [] }).server;
}

/**
 * Reads the options of a server and those of its mode.
 *
 * @throws UsageError for an unknown option or an unusable value.
 */
export function parseModeOptions(args: readonly string[], mode: ModeOptions): ModeServerOptions {
  // Most servers are started without options; reading none would cost each start a millisecond.
  const parsed = args.length === 0 ? NOTHING_GIVEN : parseOptions(args, mode);
  // What stands behind "--" is not asked about.
  if (Array.isArray(parsed._) && parsed._.length > 0) refuseOption(String(parsed._[0]));
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const [flag, field] of Object.entries(LIMIT_FLAGS)) {
    const value = parsed[flag];
    if (value !== undefined) limits[field] = parseCount(flag, value);
  }
  const http = parseHttp(parsed);
  const level = parsed["log-level"];
  return {
    server: {
      logLevel: level === undefined ? findLevel(mode.levelVariables) : parseLevel(level),
      limits,
      minimal: parsed["force-minimal"] === true,
      splitBatches: parsed["compat-batches"] === true,
      deniedTools: parseValues("deny-tool", parsed["deny-tool"]),
      ...(http === undefined ? {} : { http }),
    },
    given: new Map(mode.names.map((name) => [name, parseValues(name, parsed[name])])),
  };
}

/**
 * The one value of an option of a mode.
 *
 * @throws UsageError when it was given twice.
 */
export function findOne({ given }: ModeServerOptions, name: string): string | undefined {
  const [value, ...more] = given.get(name) ?? [];
  if (more.length > 0) throw new UsageError(`Option "--${name}" may be given once`);
  return value;
}

/**
 * The directories that a mode works in.
 *
 * @throws UsageError for one that is not absolute.
 */
export function parseRoots({ given }: ModeServerOptions): readonly string[] {
  const roots = given.get("root") ?? [];
  const relative = roots.find((root) => !root.startsWith("/"));
  if (relative !== undefined) throw new UsageError(`Root "${relative}" must be an absolute path`);
  return roots;
}

/**
 * One of some words, the first when there is none.
 *
 * @throws UsageError for another word.
 */
export function parseChoice<Word extends string>(
  name: string,
  value: string | undefined,
  words: readonly Word[],
): Word {
  const word = value === undefined || value === "" ? words[0] : words.find((w) => w === value);
  if (word !== undefined) return word;
  throw new UsageError(`Cannot use ${name} "${value}": it is one of ${words.join(", ")}`);
}

/**
 * Whether a client's own roots narrow those of the mode.
 *
 * @throws UsageError for another word.
 */
export function parseClientRoots(options: ModeServerOptions): "narrow" | "ignore" {
  return parseChoice("--client-roots", findOne(options, "client-roots"), ["narrow", "ignore"]);
}

function parseOptions(
  args: readonly string[],
  mode: ModeOptions,
): Readonly<Record<string, unknown>> {
  return parseArgs([...args], {
    string: [
      "log-level",
      "deny-tool",
      "http",
      "token-file",
      ...Object.keys(LIMIT_FLAGS),
      ...HTTP_BOUNDS,
      ...HTTP_LISTS,
      ...mode.names,
    ],
    collect: ["deny-tool", ...HTTP_LISTS, ...mode.names],
    boolean: ["force-minimal", "compat-batches", "legacy-sse"],
    unknown: refuseOption,
  });
}

function parseHttp(parsed: Readonly<Record<string, unknown>>): HttpChoice | undefined {
  const address = parsed.http;
  const tokenFile = parsed["token-file"];
  const [allowOrigins = [], allowHosts = []] = HTTP_LISTS.map((name) =>
    parseValues(name, parsed[name])
  );
  const bounds: Partial<Record<HttpBound, number>> = {};
  for (const name of HTTP_BOUNDS) {
    if (parsed[name] !== undefined) bounds[name] = parseCount(name, parsed[name]);
  }
  if (typeof address !== "string") {
    const stray = [...HTTP_BOUNDS, ...HTTP_LISTS, "token-file", "legacy-sse"].find((name) => {
      const value = parsed[name];
      return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    });
    if (stray !== undefined) throw new UsageError(`Option "--${stray}" needs --http`);
    return undefined;
  }
  return {
    address,
    tokenFile: typeof tokenFile === "string" ? tokenFile : undefined,
    allowOrigins,
    allowHosts,
    legacyEvents: parsed["legacy-sse"] === true,
    bounds,
  };
}

function refuseOption(argument: string): never {
  throw new UsageError(`Unknown option "${argument}"`);
}

function parseValues(name: string, values: unknown): readonly string[] {
  const texts = Array.isArray(values) ? values.map(String) : [];
  if (texts.includes("")) throw new UsageError(`Option "--${name}" needs a value`);
  return texts;
}

function parseCount(flag: string, value: unknown): number {
  const count = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : 0;
  if (count < 1) throw new UsageError(`Option "--${flag}" needs a whole number of at least 1`);
  return count;
}

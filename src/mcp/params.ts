// What requests carry, read the same on every revision: levels, metadata, parameters.

import {
  invalidParams,
  isObject,
  type JsonObject,
  type JsonValue,
  RpcError,
} from "../jsonrpc/message.ts";
import { findStatelessRevision, STATELESS_REVISIONS, type StatelessRevision } from "./revision.ts";

// Severities of log messages, and comparing them.

/** Severities, mildest first (RFC 5424). */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** A severity. */
export type LogLevel = typeof LOG_LEVELS[number];

/** What to tell someone who named no level. */
export const INVALID_LEVEL = `a level must be one of ${LOG_LEVELS.join(", ")}`;

/** Whether a value names a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether `level` is as severe as `threshold`, or more. */
export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

// The reserved `_meta` keys, and what a request's metadata says. The keys are written out: to look up a name that was
// put together takes several times as long.

/** Names the revision of a stateless request. */
export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** What the client of a stateless request can do. */
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** Introduces the client of a stateless request. */
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
/** Which log messages a stateless request wants. */
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** Introduces the server in every stateless result. */
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** Ties a notification to its `subscriptions/listen` request. */
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
/** The extension by which calls go on as tasks. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** A request cannot go on without something the client does not offer. */
export const MISSING_CLIENT_CAPABILITY = -32021;

/** The request names a revision that is not spoken here. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** A progress token: the client's own, never one of ours. */
export type ProgressToken = string | number;

/** What the metadata of a stateless request says. */
export interface StatelessMeta {
  readonly revision: StatelessRevision;
  readonly capabilities: JsonObject;
  readonly logLevel: LogLevel | undefined;
}

/** The `_meta` object of a request's parameters, if it has one. */
export function findMeta(params: unknown): JsonObject | undefined {
  if (!isObject(params)) return undefined;
  return isObject(params._meta) ? params._meta : undefined;
}

/** Whether a request speaks the stateless wire: its metadata says so (MCP 2026-07-28 basic). */
export function isStateless(meta: JsonObject | undefined): boolean {
  return meta !== undefined &&
    (meta[META_PROTOCOL_VERSION] !== undefined || meta[META_CLIENT_CAPABILITIES] !== undefined);
}

/**
 * Reads the metadata of a stateless request.
 *
 * @throws RpcError -32602 when a required key is missing or wrong, -32022 when the revision is not spoken.
 */
export function parseStatelessMeta(meta: JsonObject | undefined): StatelessMeta {
  const requested = meta?.[META_PROTOCOL_VERSION];
  if (typeof requested !== "string") {
    throw invalidParams(`Cannot serve the request: params._meta needs "${META_PROTOCOL_VERSION}"`);
  }
  const capabilities = meta?.[META_CLIENT_CAPABILITIES];
  if (!isObject(capabilities)) {
    throw invalidParams(
      `Cannot serve the request: params._meta needs "${META_CLIENT_CAPABILITIES}", an object`,
    );
  }
  const revision = findStatelessRevision(requested);
  if (revision === undefined) throw unsupportedRevision(requested);
  return { revision, capabilities, logLevel: parseLogLevel(meta?.[META_LOG_LEVEL]) };
}

/** Whether a client with these capabilities knows what a task is. */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isObject(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION) &&
    isObject(extensions[TASKS_EXTENSION]);
}

/** Refuses a revision and names the ones that work. */
export function unsupportedRevision(requested: string): RpcError {
  return new RpcError(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", {
    supported: STATELESS_REVISIONS,
    requested,
  });
}

/** Refuses a request whose client does not offer what it needs. */
export function missingCapabilities(names: string, requiredCapabilities: JsonObject): RpcError {
  return new RpcError(
    MISSING_CLIENT_CAPABILITY,
    `The client does not offer what this request needs: ${names}`,
    { requiredCapabilities },
  );
}

/** Refuses what only a client that knows tasks may ask for. */
export function missingTasks(): RpcError {
  return missingCapabilities(TASKS_EXTENSION, { extensions: { [TASKS_EXTENSION]: {} } });
}

/** A client's name is for people who read logs; more than this is not a name. */
const MAX_CLIENT_NAME = 100;
/** Longest capabilities of a client, as JSON; even new clients need few hundred characters. */
export const MAX_CAPABILITIES_LENGTH = 8 * 1024;

/** What a client calls itself in its `clientInfo`; empty when it does not say. */
export function toClientName(info: JsonValue | undefined): string {
  const name = isObject(info) ? info.name : undefined;
  if (typeof name !== "string") return "";
  // A part of a string keeps the whole; letters put together again do not.
  return name.length <= MAX_CLIENT_NAME ? name : [...name.slice(0, MAX_CLIENT_NAME)].join("");
}

/**
 * Makes sure that what a client can do may be kept as long as its session or its task.
 *
 * @throws RpcError -32602 when it is too long.
 */
export function checkCapabilities(capabilities: JsonObject): void {
  if (JSON.stringify(capabilities).length <= MAX_CAPABILITIES_LENGTH) return;
  throw invalidParams(
    `Invalid params: capabilities may have at most ${MAX_CAPABILITIES_LENGTH} characters as JSON`,
  );
}

/** The client's progress token, if the request carries a usable one. */
export function findProgressToken(meta: JsonObject | undefined): ProgressToken | undefined {
  const token = meta?.progressToken;
  return typeof token === "string" || Number.isSafeInteger(token)
    ? token as ProgressToken
    : undefined;
}

function parseLogLevel(value: JsonValue | undefined): LogLevel | undefined {
  if (value === undefined) return undefined;
  if (!isLogLevel(value)) throw invalidParams(`Invalid "${META_LOG_LEVEL}": ${INVALID_LEVEL}`);
  return value;
}

// Parameters of requests, read the same on every revision. Each reader names the field it cannot accept (-32602).

/** What completion is asked about. */
export type CompletionReference =
  | { readonly kind: "prompt"; readonly name: string }
  | { readonly kind: "resource"; readonly uri: string };

/** What a listener wants to hear of (MCP 2026-07-28 subscriptions). */
export interface ListenFilter {
  readonly toolsListChanged: boolean;
  readonly promptsListChanged: boolean;
  readonly resourcesListChanged: boolean;
  readonly resourceSubscriptions: readonly string[];
  /** Tasks of the tasks extension; nothing when the client does not ask for any. */
  readonly taskIds: readonly string[] | undefined;
}

/** The parameters as an object; none is an empty one. MCP has no positional parameters. */
export function parseParams(params: JsonObject | readonly JsonValue[] | undefined): JsonObject {
  if (params === undefined) return {};
  if (!isObject(params)) throw invalidParams("Invalid params: expected an object");
  return params;
}

/** A required string. */
export function parseString(params: JsonObject, field: string): string {
  const value = params[field];
  if (typeof value !== "string") {
    throw invalidParams(`Invalid params: "${field}" must be a string`);
  }
  return value;
}

/** An object that may be missing or `null`, which both mean empty. */
export function parseOptionalObject(params: JsonObject, field: string): JsonObject {
  const value = params[field] ?? undefined;
  if (value === undefined) return {};
  if (!isObject(value)) throw invalidParams(`Invalid params: "${field}" must be an object`);
  return value;
}

/** An object of strings that may be missing. */
export function parseStrings(
  params: JsonObject,
  field: string,
): Readonly<Record<string, string>> {
  const strings: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(parseOptionalObject(params, field))) {
    if (typeof value !== "string") {
      throw invalidParams(`Invalid params: "${field}.${key}" must be a string`);
    }
    strings[key] = value;
  }
  return strings;
}

/** The level of `logging/setLevel`. */
export function parseLevel(params: JsonObject): LogLevel {
  if (!isLogLevel(params.level)) throw invalidParams(`Invalid params: ${INVALID_LEVEL}`);
  return params.level;
}

/** The reference of `completion/complete`. */
export function parseReference(params: JsonObject): CompletionReference {
  const reference = parseOptionalObject(params, "ref");
  switch (reference.type) {
    case "ref/prompt":
      return { kind: "prompt", name: parseString(reference, "name") };
    case "ref/resource":
      return { kind: "resource", uri: parseString(reference, "uri") };
    default:
      throw invalidParams('Invalid params: "ref.type" must be "ref/prompt" or "ref/resource"');
  }
}

/** The filter of `subscriptions/listen`. */
export function parseListenFilter(params: JsonObject): ListenFilter {
  const filter = parseOptionalObject(params, "notifications");
  return {
    toolsListChanged: filter.toolsListChanged === true,
    promptsListChanged: filter.promptsListChanged === true,
    resourcesListChanged: filter.resourcesListChanged === true,
    resourceSubscriptions: parseWatched(filter, "resourceSubscriptions") ?? [],
    taskIds: parseWatched(filter, "taskIds"),
  };
}

function parseWatched(filter: JsonObject, field: string): readonly string[] | undefined {
  const watched = filter[field] ?? undefined;
  if (watched === undefined) return undefined;
  if (!Array.isArray(watched) || !watched.every((item) => typeof item === "string")) {
    throw invalidParams(`Invalid params: "notifications.${field}" must be an array of strings`);
  }
  return [...new Set(watched)];
}

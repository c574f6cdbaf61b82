// The reserved `_meta` keys, and what a request's metadata says.

import { invalidParams, RpcError } from "../jsonrpc/error.ts";
import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/json.ts";
import { INVALID_LEVEL, isLogLevel, type LogLevel } from "./log_level.ts";
import { findStatelessRevision, STATELESS_REVISIONS, type StatelessRevision } from "./revision.ts";

const PREFIX = "io.modelcontextprotocol/";

/** Names the revision of a stateless request. */
export const META_PROTOCOL_VERSION = `${PREFIX}protocolVersion`;
/** What the client of a stateless request can do. */
export const META_CLIENT_CAPABILITIES = `${PREFIX}clientCapabilities`;
/** Introduces the client of a stateless request. */
export const META_CLIENT_INFO = `${PREFIX}clientInfo`;
/** Which log messages a stateless request wants. */
export const META_LOG_LEVEL = `${PREFIX}logLevel`;
/** Introduces the server in every stateless result. */
export const META_SERVER_INFO = `${PREFIX}serverInfo`;
/** Ties a notification to its `subscriptions/listen` request. */
export const META_SUBSCRIPTION_ID = `${PREFIX}subscriptionId`;

/** The extension by which calls go on as tasks. */
export const TASKS_EXTENSION = `${PREFIX}tasks`;

/** The request names a revision that is not spoken here. */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** A request cannot go on without something the client does not offer. */
export const MISSING_CLIENT_CAPABILITY = -32021;

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

/** What a client calls itself in its `clientInfo`; empty when it does not say. */
export function toClientName(info: JsonValue | undefined): string {
  const name = isObject(info) ? info.name : undefined;
  return typeof name === "string" ? name.slice(0, MAX_CLIENT_NAME) : "";
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

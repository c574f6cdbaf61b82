// Parameters of requests, read the same on every revision. Each reader names the field it cannot accept (-32602).

import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/json.ts";
import { INVALID_LEVEL, isLogLevel, type LogLevel } from "./log_level.ts";

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

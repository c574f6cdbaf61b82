// JSON-RPC 2.0: JSON values, what each is as a message, and messages as text.

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; an `undefined` member is one that is left out when written. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** Whether a value is a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value nests objects and arrays deeper than `maxDepth`. Never recurses further than that itself. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth <= 0) return true;
  const members = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) {
    if (typeof member === "object" && member !== null && isDeeperThan(member, maxDepth - 1)) {
      return true;
    }
  }
  return false;
}

// What a JSON value is as a JSON-RPC 2.0 message: request, notification, response, or invalid and why.

/** An id keeps its type and value: `1` and `"1"` are two ids, `0` and `""` are ids. */
export type RequestId = string | number;

/** Asks for an answer. */
export interface Request {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | readonly JsonValue[] | undefined;
}

/** Tells something; is never answered. */
export interface Notification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject | readonly JsonValue[] | undefined;
}

/** Answers a request that was sent to the peer. */
export interface Response {
  readonly kind: "response";
  readonly id: RequestId;
  readonly outcome: ResponseOutcome;
}

/** What an error says on the wire. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: JsonValue | undefined;
}

/** How the peer answered. */
export type ResponseOutcome =
  | { readonly kind: "result"; readonly result: JsonValue }
  | { readonly kind: "error" } & ErrorBody;

/** Not a message. `reply` is false where an answer could only confuse: a malformed response is no request. */
export interface Invalid {
  readonly kind: "invalid";
  readonly reason: string;
  readonly id: RequestId | undefined;
  readonly reply: boolean;
}

/** Any one of the four. */
export type Message = Request | Notification | Response | Invalid;

/** Whether a value may be an id: a string, or an integer that a double holds exactly. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Classifies one JSON value; never throws. */
export function classify(value: JsonValue): Message {
  if (!isObject(value)) return invalid("A message must be a JSON object");
  const { id, method, params } = value;
  if (value.jsonrpc !== "2.0") {
    const isResponse = method === undefined &&
      (value.result !== undefined || value.error !== undefined);
    return invalid('Member "jsonrpc" must be the string "2.0"', id, !isResponse);
  }
  if (method === undefined) return classifyResponse(value);
  if (typeof method !== "string") return invalid('Member "method" must be a string', id);
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    return invalid('Member "params" must be an object', id);
  }
  if (id === undefined) return { kind: "notification", method, params };
  if (!isRequestId(id)) {
    return invalid('Member "id" must be a string or an integer within ±(2^53 - 1)');
  }
  return { kind: "request", id, method, params };
}

function classifyResponse(value: JsonObject): Message {
  const { id, result, error } = value;
  if (result === undefined && error === undefined) {
    return invalid('A message needs a "method", a "result" or an "error"', id);
  }
  if (!isRequestId(id)) return invalid("A response needs the id of its request", undefined, false);
  if (error === undefined) {
    return { kind: "response", id, outcome: { kind: "result", result: result ?? null } };
  }
  if (result !== undefined || !isObject(error)) {
    return invalid("A response carries a result or an error object", undefined, false);
  }
  const { code, message, data } = error;
  if (!Number.isInteger(code) || typeof message !== "string") {
    return invalid("An error needs an integer code and a message", undefined, false);
  }
  return { kind: "response", id, outcome: { kind: "error", code: Number(code), message, data } };
}

function invalid(reason: string, id?: unknown, reply = true): Invalid {
  return { kind: "invalid", reason, id: isRequestId(id) ? id : undefined, reply };
}

// Messages → text of one line. JSON.stringify never emits a raw line break, so a message is always one line.

/** A successful answer. */
export function resultText(id: RequestId, result: JsonValue): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${JSON.stringify(result)}}`;
}

/** A refusal. `id` is `null` or left out where the request's own could not be read. */
export function errorText(id: RequestId | null | undefined, error: ErrorBody): string {
  const { code, message, data } = error;
  const head = id === undefined ? "" : `"id":${id === null ? "null" : idText(id)},`;
  return `{"jsonrpc":"2.0",${head}"error":${JSON.stringify({ code, message, data })}}`;
}

/** A notification. */
export function notificationText(method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** A request to the peer. */
export function requestText(id: RequestId, method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function idText(id: RequestId): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

// JSON-RPC 2.0: JSON values, what each is as a message, messages from and to the text of one line, and the error that
// crosses the wire.

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
  if (Array.isArray(value)) {
    for (const member of value) if (isDeeperThan(member, maxDepth - 1)) return true;
    return false;
  }
  // Without an array of the members: to make one cost more than to look at them.
  for (const key in value) {
    if (isDeeperThan((value as JsonObject)[key], maxDepth - 1)) return true;
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

/** Longest id: it is kept as long as its request, and sent back with the answer. */
const MAX_ID_LENGTH = 1024;

/** Whether a value may be an id: a string that is not too long, or an integer that a double holds exactly. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
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
    return invalid(
      `Member "id" must be a string of at most ${MAX_ID_LENGTH} characters or an integer within ±(2^53 - 1)`,
    );
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

// Text of one line → messages. Bounds nesting, so that nothing later meets a value it cannot walk.

/** What one line of text holds. */
export type Parsed =
  | Message
  | { readonly kind: "batch"; readonly messages: readonly Message[] }
  | { readonly kind: "blank" }
  | { readonly kind: "malformed"; readonly reason: string };

/** Bounds on what is parsed. */
export interface ParseOptions {
  /** Deepest nesting of objects and arrays that is accepted. */
  readonly maxDepth: number;
  /** Most values in one message, members of objects and arrays counted each. */
  readonly maxValues: number;
}

const BOM = 0xfeff;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Longer lines are looked at before they are parsed: parsed, some need a hundred times the memory of their text. */
const MAX_UNSEEN_LENGTH = 64 * 1024;

/** Parses a line; tolerates a byte order mark, surrounding white space and a carriage return. Never throws. */
export function parseLine(line: string, options: ParseOptions): Parsed {
  const text = line.charCodeAt(0) === BOM ? line.slice(1) : line;
  if (text.length > MAX_UNSEEN_LENGTH) {
    const reason = findExcess(text, options);
    if (reason !== undefined) return { kind: "invalid", reason, id: undefined, reply: true };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === ""
      ? { kind: "blank" }
      : { kind: "malformed", reason: "The line is not valid JSON" };
  }
  // Each level costs at least two characters, so a short line cannot be too deep.
  if (text.length > 2 * options.maxDepth && isDeeperThan(value, options.maxDepth)) {
    return invalidDepth(value, options.maxDepth);
  }
  if (!Array.isArray(value)) return classify(value);
  if (value.length === 0) {
    return { kind: "invalid", reason: "A batch must not be empty", id: undefined, reply: true };
  }
  return { kind: "batch", messages: value.map(classify) };
}

/** Which bound the text breaks, if it is JSON at all; a text that is none is left to the parser. */
function findExcess(text: string, { maxDepth, maxValues }: ParseOptions): string | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = findStringEnd(text, index);
      if (index === -1) return undefined;
    } else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return tooDeep(maxDepth);
    } else if (CLOSING.has(code)) {
      depth -= 1;
    } else if (code === COMMA) {
      values += 1;
      if (values > maxValues) return `The message holds more than ${maxValues} values`;
    }
  }
  return undefined;
}

function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

function tooDeep(maxDepth: number): string {
  return `The message nests deeper than ${maxDepth} levels`;
}

function invalidDepth(value: JsonValue, maxDepth: number): Message {
  const message = classify(value);
  const id = message.kind === "request" || message.kind === "invalid" ? message.id : undefined;
  const reply = message.kind !== "response" && message.kind !== "notification";
  return { kind: "invalid", reason: tooDeep(maxDepth), id, reply };
}

// The one error class that crosses the wire, and the numbers that JSON-RPC 2.0 reserves for it.

/** The text is not JSON. */
export const PARSE_ERROR = -32700;
/** The JSON is no message, or one that may not come now. */
export const INVALID_REQUEST = -32600;
/** There is no such method here. */
export const METHOD_NOT_FOUND = -32601;
/** The method is right, its parameters are not. */
export const INVALID_PARAMS = -32602;
/** The fault is on this side. */
export const INTERNAL_ERROR = -32603;

/** What a peer is told when a request cannot be answered with a result. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** The JSON-RPC error number. */
  readonly code: number;
  /** Further detail for the peer; never the host's paths or secrets. */
  readonly data: JsonValue | undefined;

  /** Makes the error from its number, a sentence and, optionally, data and the cause (for the log only). */
  constructor(code: number, message: string, data?: JsonValue, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}

/** A request whose parameters are wrong: -32602. */
export function invalidParams(message: string, data?: JsonValue): RpcError {
  return new RpcError(INVALID_PARAMS, message, data);
}

// Headers of the stateless wire over HTTP (MCP 2026-07-28 transports): they repeat what the body says, so that whatever
// stands between can route without reading it. A request whose headers and body differ is refused.

import {
  isObject,
  type JsonObject,
  type JsonValue,
  type Request,
  RpcError,
} from "../jsonrpc/message.ts";
import { findMeta, META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION } from "./params.ts";
import { findStatelessRevision } from "./revision.ts";
import type { ToolHeader } from "./tool_header.ts";

/** A header of the request is missing, malformed, or says something else than the body. */
export const HEADER_MISMATCH = -32020;

/** Names the revision, on both wires. */
export const VERSION_HEADER = "mcp-protocol-version";

const METHOD_HEADER = "mcp-method";
const NAME_HEADER = "mcp-name";
const PARAM_PREFIX = "mcp-param-";

/** Which parameter `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * Compares the standard headers with the request. Faults of the metadata itself are left to whoever reads it: they
 * have other numbers, and come between these checks.
 *
 * @throws RpcError -32020 for a missing or different header.
 */
export function checkHeaders(request: Request, headers: ReadonlyMap<string, string>): void {
  const version = headers.get(VERSION_HEADER);
  if (version === undefined) throw mismatch("MCP-Protocol-Version is missing");
  const meta = findMeta(request.params);
  const stated = meta?.[META_PROTOCOL_VERSION];
  if (typeof stated !== "string" || !isObject(meta?.[META_CLIENT_CAPABILITIES])) return;
  if (stated !== version) {
    throw mismatch(`MCP-Protocol-Version must be the revision in params._meta`);
  }
  if (findStatelessRevision(stated) === undefined) return;
  const method = headers.get(METHOD_HEADER);
  if (method === undefined) throw mismatch("Mcp-Method is missing");
  if (method !== request.method) throw mismatch("Mcp-Method must be the method of the body");
  checkName(request, headers.get(NAME_HEADER));
}

function checkName({ method, params }: Request, header: string | undefined): void {
  const field = NAMED.get(method);
  const name = field !== undefined && isObject(params) ? params[field] : undefined;
  if (typeof name !== "string") return;
  if (header === undefined) throw mismatch("Mcp-Name is missing");
  if (header !== name && decodeHeader(header) !== name) {
    throw mismatch(`Mcp-Name must be params.${field} of the body`);
  }
}

/**
 * Compares the headers that a tool declares with the arguments of a call.
 *
 * @throws RpcError -32020 for a missing, malformed or different header.
 */
export function checkParamHeaders(
  declared: readonly ToolHeader[],
  given: JsonObject,
  headers: ReadonlyMap<string, string>,
): void {
  for (const { name, path } of declared) {
    const text = headers.get(PARAM_PREFIX + name.toLowerCase());
    const value = find(given, path);
    if (value === undefined || value === null) {
      if (text !== undefined) throw mismatch(`Mcp-Param-${name} has no argument in the body`);
      continue;
    }
    if (text === undefined) throw mismatch(`Mcp-Param-${name} is missing`);
    const decoded = decodeHeader(text);
    if (decoded === undefined) throw mismatch(`Mcp-Param-${name} is not valid Base64`);
    if (!isSame(decoded, value)) throw mismatch(`Mcp-Param-${name} must be the argument`);
  }
}

function find(given: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = given;
  for (const key of path) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Whether a header says the same as an argument. One of a wrong type is left to the tool's schema to refuse. */
function isSame(text: string, value: JsonValue): boolean {
  switch (typeof value) {
    case "string":
      return text === value;
    case "number":
      return /^-?\d{1,16}(?:\.0{1,16})?$/.test(text) && Number(text) === value;
    case "boolean":
      return text === String(value);
    default:
      return true;
  }
}

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The text that a header carries, plain or as marked Base64; `undefined` when the marked part is not valid. */
export function decodeHeader(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  // The decoder forgives white space; the sender's has none.
  if (!BASE64.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function mismatch(reason: string): RpcError {
  return new RpcError(HEADER_MISMATCH, `Header mismatch: ${reason}`);
}

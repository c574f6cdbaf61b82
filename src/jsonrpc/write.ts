// Messages → text of one line. JSON.stringify never emits a raw line break, so a message is always one line.

import type { RpcError } from "./error.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { RequestId } from "./message.ts";

/** A successful answer. */
export function resultText(id: RequestId, result: JsonValue): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${JSON.stringify(result)}}`;
}

/** A refusal. `id` is `null` or left out where the request's own could not be read. */
export function errorText(id: RequestId | null | undefined, error: RpcError): string {
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

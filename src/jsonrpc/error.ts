// The one error class that crosses the wire, and the numbers that JSON-RPC 2.0 reserves for it.

import type { JsonValue } from "./message.ts";

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

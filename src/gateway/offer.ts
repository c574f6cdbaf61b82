// What is on offer, told without loading what does the work.

import { METHOD_NOT_FOUND, RpcError } from "../jsonrpc/message.ts";
import type { Features } from "../mcp/model.ts";
import type { Exchange } from "./exchange.ts";

const NEEDS = {
  "tools/list": "tools",
  "tools/call": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "completion/complete": "completions",
} as const satisfies Record<string, keyof Features>;

/** A request that activations answer. */
export type OfferedMethod = keyof typeof NEEDS;

/** Whether activations answer this method here. */
export function isOffered(method: string, features: Features): method is OfferedMethod {
  return Object.hasOwn(NEEDS, method) && features[NEEDS[method as OfferedMethod]];
}

/** The refusal of a method that the revision or this server does not have. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: "${method}"`);
}

/** The refusal of a resource that no activation knows, in the number of the client's revision. */
export function resourceNotFound(uri: string, exchange: Exchange): RpcError {
  return new RpcError(exchange.codec.shape.resourceNotFound, "Resource not found", { uri });
}

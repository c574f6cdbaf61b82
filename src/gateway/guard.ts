// What a request is refused for before anything is loaded or done: it comes out of its time, or asks for what is not on
// offer.

import { INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from "../jsonrpc/message.ts";
import type { Features } from "../mcp/model.ts";
import type { Exchange } from "./exchange.ts";

/** Where a session stands. */
export type LifecycleState = "uninitialized" | "initializing" | "ready" | "shutting down";

/** The number of a request that comes before or after its time. */
export const NOT_READY = -32002;

const GUARD_TEXTS: Readonly<Record<Exclude<LifecycleState, "ready">, string>> = {
  uninitialized: "Server not initialized",
  initializing: "Server initializing",
  "shutting down": "Server shutting down",
};

/** Uninitialized, initializing, ready, shutting down, in this order; no way back. */
export class Lifecycle {
  #state: LifecycleState = "uninitialized";
  #wasReady = false;

  /** Where the session stands. */
  get state(): LifecycleState {
    return this.#state;
  }

  /**
   * `initialize` arrived.
   *
   * @throws RpcError when it is not the first.
   */
  initialize(): void {
    if (this.#state === "shutting down") this.guard();
    if (this.#state !== "uninitialized") {
      throw new RpcError(INVALID_REQUEST, "Server already initialized");
    }
    this.#state = "initializing";
  }

  /** `notifications/initialized` arrived; tells whether it was expected. */
  initialized(): boolean {
    if (this.#state !== "initializing") return false;
    this.#state = "ready";
    this.#wasReady = true;
    return true;
  }

  /** Whether the client has finished its handshake, whatever came after it. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** The session takes no further requests. */
  shutDown(): void {
    this.#state = "shutting down";
  }

  /**
   * Lets a request pass in the ready state only.
   *
   * @throws RpcError -32002 with the state's text otherwise.
   */
  guard(): void {
    if (this.#state !== "ready") throw new RpcError(NOT_READY, GUARD_TEXTS[this.#state]);
  }
}

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

const NEED_OF: ReadonlyMap<string, (typeof NEEDS)[OfferedMethod]> = new Map(Object.entries(NEEDS));

/** Whether activations answer this method here. */
export function isOffered(method: string, features: Features): method is OfferedMethod {
  const need = NEED_OF.get(method);
  return need !== undefined && features[need];
}

/** The refusal of a method that the revision or this server does not have. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: "${method}"`);
}

/** The refusal of a resource that no activation knows, in the number of the client's revision. */
export function resourceNotFound(uri: string, exchange: Exchange): RpcError {
  return new RpcError(exchange.codec.shape.resourceNotFound, "Resource not found", { uri });
}

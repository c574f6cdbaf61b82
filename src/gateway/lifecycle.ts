// The states of a handshake session and what each refuses.

import { INVALID_REQUEST, RpcError } from "../jsonrpc/message.ts";

/** Where a session stands. */
export type LifecycleState = "uninitialized" | "initializing" | "ready" | "shutting down";

/** The number of a request that comes before or after its time. */
export const NOT_READY = -32002;

const GUARD_TEXTS: Readonly<Record<Exclude<LifecycleState, "ready">, string>> = {
  uninitialized: "Server not initialized",
  initializing: "Server initializing",
  "shutting down": "Server shutting down",
};

/** Uninitialized → initializing → ready → shutting down; no way back. */
export class Lifecycle {
  #state: LifecycleState = "uninitialized";

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
    return true;
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

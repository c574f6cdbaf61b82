// Where messages to one client go.

/** Takes whole messages, in order. */
export interface Outlet {
  /** Queues one message. */
  send(text: string): void;
  /** Resolves when the client has taken enough for more to be sent; `undefined` when it has already. */
  ready(): Promise<void> | undefined;
}

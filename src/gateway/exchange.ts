// One request under way: where its answer goes, what its client can do, and whether it is still wanted.

import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
import type { Codec } from "../mcp/codec.ts";
import type { LogLevel, ProgressToken } from "../mcp/params.ts";
import type { Outlet } from "../transport/outlet.ts";

/** How questions reach the client: as requests of a table of open ones, or inside the answer. */
export type Wire =
  | { readonly kind: "handshake"; readonly pending: PendingRequests }
  | { readonly kind: "stateless" };

/** Takes the one answer of a request, or learns that there is none. */
export interface Reply {
  /** `id` is that of the request, where it could be read. */
  answer(text: string, id: RequestId | undefined): void;
  skip(): void;
}

/** What an exchange is made of. */
export interface ExchangeOptions {
  readonly id: RequestId;
  readonly codec: Codec;
  /** Where notifications and questions about the request go. */
  readonly outlet: Outlet;
  readonly reply: Reply;
  readonly capabilities: JsonObject;
  /** What the client calls itself. */
  readonly client?: string;
  readonly wire: Wire;
  /** The least severe log message that the client wants, now; `undefined` for none. */
  readonly logLevel: () => LogLevel | undefined;
  readonly progressToken: ProgressToken | undefined;
  /** Characters of the request, for the bound on what waits. */
  readonly length: number;
}

/** Why an exchange was ended early. */
export class CanceledError extends Error {
  override readonly name = "CanceledError";

  /** States who or what ended it. */
  constructor(reason: string) {
    super(`The request was canceled: ${reason}`);
  }
}

/** One request from its arrival to its answer. */
export class Exchange {
  readonly id: RequestId;
  readonly codec: Codec;
  readonly outlet: Outlet;
  readonly progressToken: ProgressToken | undefined;
  readonly length: number;
  readonly #options: ExchangeOptions;
  #controller: AbortController | undefined;
  #cancellation: CanceledError | undefined;
  #answered = false;
  #cancelers: ((reason: CanceledError) => void)[] | undefined;

  /** Starts the exchange. */
  constructor(options: ExchangeOptions) {
    this.id = options.id;
    this.codec = options.codec;
    this.outlet = options.outlet;
    this.progressToken = options.progressToken;
    this.length = options.length;
    this.#options = options;
  }

  /** Aborts when the exchange is canceled. Made when first looked at: most calls never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancellation !== undefined) this.#controller.abort(this.#cancellation);
    }
    return this.#controller.signal;
  }

  /** Whether nothing more may be sent about this request. */
  get isOver(): boolean {
    return this.#answered || this.#cancellation !== undefined;
  }

  /** The least severe log message that the client wants. */
  get logLevel(): LogLevel | undefined {
    return this.#options.logLevel();
  }

  /** What the client calls itself; empty when it has not said. */
  get client(): string {
    return this.#options.client ?? "";
  }

  /** What the client said it can do. */
  get capabilities(): JsonObject {
    return this.#options.capabilities;
  }

  /** How questions reach the client. */
  get wire(): Wire {
    return this.#options.wire;
  }

  /** Ends the work; nothing is answered afterwards. */
  cancel(reason: string): void {
    if (this.isOver) return;
    this.#cancellation = new CanceledError(reason);
    this.#controller?.abort(this.#cancellation);
    for (const canceler of this.#cancelers ?? []) canceler(this.#cancellation);
    this.#cancelers = undefined;
    this.#options.reply.skip();
  }

  /**
   * Settles as `work` does, or rejects when the exchange is canceled first: a tool that takes no notice of its signal
   * holds nothing up. A late failure of `work` is then nobody's concern.
   */
  untilCanceled<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.onCancel(reject);
      work.then(resolve, reject);
    });
  }

  /** Calls back when the exchange is canceled, at once if it is already. Cheaper than a signal's listener. */
  onCancel(canceler: (reason: CanceledError) => void): void {
    if (this.#cancellation === undefined) (this.#cancelers ??= []).push(canceler);
    else canceler(this.#cancellation);
  }

  /** Sends the one answer, unless the exchange was canceled. */
  answer(text: string): void {
    if (this.isOver) return;
    this.#answered = true;
    this.#options.reply.answer(text, this.id);
  }
}

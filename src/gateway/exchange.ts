// One request under way: what its client can do, whether it is still wanted, and how its answer leaves.

import {
  errorText,
  INTERNAL_ERROR,
  type JsonObject,
  type RequestId,
  resultText,
  RpcError,
} from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
import type { Codec, EncodeContext } from "../mcp/codec.ts";
import type { Result } from "../mcp/model.ts";
import type { LogLevel, ProgressToken } from "../mcp/params.ts";
import type { Outlet } from "../transport/outlet.ts";
import type { Limits } from "./limits.ts";
import { type Log, toRpcError } from "./log.ts";

/** How questions reach the client: as requests of a table of open ones, or inside the answer. */
export type Wire =
  | { readonly kind: "handshake"; readonly pending: PendingRequests }
  | { readonly kind: "stateless" };

/** Takes the one answer of a request, or learns that there is none. */
export interface Reply {
  /** `id` is that of the request, where it could be read; `error` is given when the text says one. */
  answer(text: string, id: RequestId | undefined, error?: RpcError): void;
  skip(): void;
}

/** Where one message came from, and where what it causes goes. */
export interface Port {
  /** For notifications and questions about the message. */
  readonly outlet: Outlet;
  readonly reply: Reply;
  /** Characters of the message. */
  readonly length: number;
  /** What the client can do on this way, where that is less than it said. */
  readonly capabilities?: JsonObject;
  /** Whose token the client showed; empty where none is asked for. */
  readonly owner?: string;
  /** The client need not wait here: it can come back for the answer, best after `retryMs`. */
  readonly detach?: (retryMs: number | undefined) => void;
}

/** Counts the work of one request, from when it was made until one of these is called. */
export interface Watch {
  succeed(result: Result): void;
  fail(error: unknown): void;
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
  /** Who the client is, where it had to show that; its tasks are nobody else's. */
  readonly owner?: string | undefined;
  /** Stands for the session that the request belongs to. */
  readonly session?: object;
  readonly wire: Wire;
  /** The least severe log message that the client wants, now; `undefined` for none. */
  readonly logLevel: () => LogLevel | undefined;
  readonly progressToken: ProgressToken | undefined;
  /** Characters of the request, for the bound on what waits. */
  readonly length: number;
  /** Learns that the work goes on by itself, and after which time a client should look for the answer. */
  readonly detach?: ((retryMs: number | undefined) => void) | undefined;
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
  /** Counts its work, where that is counted. */
  watch: Watch | undefined;
  /** Makes the result of work that asked its client something inside the answer. */
  revise: ((work: Promise<Result>) => Promise<Result>) | undefined;
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

  /** Who the client is; empty where nobody is told from anybody else. */
  get owner(): string {
    return this.#options.owner ?? "";
  }

  /** Who shares places to run with others: an owner, else a session; none where the server has one client only. */
  get party(): string | object | undefined {
    const { owner, session } = this.#options;
    return owner === "" ? session ?? owner : owner;
  }

  /** Stands for the session that the request belongs to; none on the stateless wire. */
  get session(): object | undefined {
    return this.#options.session;
  }

  /** What the client said it can do. */
  get capabilities(): JsonObject {
    return this.#options.capabilities;
  }

  /** How questions reach the client. */
  get wire(): Wire {
    return this.#options.wire;
  }

  /** Ends the work because its client wants it no more; nothing is answered. */
  cancel(reason: string): void {
    if (this.isOver) return;
    this.#stop(reason);
    this.#options.reply.skip();
  }

  /** Ends the work although its client waits for it, which is told so. */
  abort(reason: string): void {
    if (this.isOver) return;
    this.#stop(reason);
    const error = new RpcError(INTERNAL_ERROR, `The request was canceled: ${reason}`);
    this.#options.reply.answer(errorText(this.id, error), this.id, error);
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
    if (this.#cancellation !== undefined) canceler(this.#cancellation);
    else if (this.#cancelers === undefined) this.#cancelers = [canceler];
    else this.#cancelers.push(canceler);
  }

  /** The work goes on by itself: a transport that lets the client come back for the answer may let go of it. */
  detach(retryMs: number | undefined): void {
    if (!this.isOver) this.#options.detach?.(retryMs);
  }

  /** Sends the one answer, unless the exchange was canceled. */
  answer(text: string, error?: RpcError): void {
    if (this.isOver) return;
    this.#answered = true;
    this.#options.reply.answer(text, this.id, error);
  }

  #stop(reason: string): void {
    this.#cancellation = new CanceledError(reason);
    this.#controller?.abort(this.#cancellation);
    for (const canceler of this.#cancelers ?? []) canceler(this.#cancellation);
    this.#cancelers = undefined;
  }
}

/** A request ready to run. */
export interface Prepared {
  readonly exchange: Exchange;
  readonly run: () => Result | Promise<Result>;
}

/** What an answer is made with. */
export interface AnswerContext extends EncodeContext {
  readonly limits: Limits;
  readonly log: Log;
}

/** Runs a request and answers it; `finish` is called when nothing more will come of it. */
export function runExchange(
  context: AnswerContext,
  { exchange, run }: Prepared,
  finish: (exchange: Exchange) => void,
): void {
  const end = new ExchangeEnd(context, exchange, finish);
  try {
    const result = run();
    if (result instanceof Promise) result.then(end.succeed, end.fail);
    else end.succeed(result);
  } catch (error) {
    end.fail(error);
  }
}

/** Makes the answer of what a request came to. */
class ExchangeEnd {
  readonly #context: AnswerContext;
  readonly #exchange: Exchange;
  readonly #finish: (exchange: Exchange) => void;

  constructor(context: AnswerContext, exchange: Exchange, finish: (exchange: Exchange) => void) {
    this.#context = context;
    this.#exchange = exchange;
    this.#finish = finish;
  }

  readonly succeed = (result: Result): void => {
    const exchange = this.#exchange;
    if (exchange.revise !== undefined) return this.#revise(Promise.resolve(result));
    exchange.watch?.succeed(result);
    try {
      exchange.answer(encodeAnswer(this.#context, exchange, result));
      this.#finish(exchange);
    } catch (error) {
      this.#answerError(error);
    }
  };

  readonly fail = (error: unknown): void => {
    const exchange = this.#exchange;
    if (exchange.revise !== undefined) return this.#revise(Promise.reject(error));
    exchange.watch?.fail(error);
    this.#answerError(error);
  };

  #revise(work: Promise<Result>): void {
    const { revise } = this.#exchange;
    this.#exchange.revise = undefined;
    revise?.(work).then(this.succeed, this.fail);
  }

  #answerError(error: unknown): void {
    const exchange = this.#exchange;
    if (!(error instanceof CanceledError)) {
      const told = toRpcError(error, this.#context.log);
      exchange.answer(errorText(exchange.id, told), told);
    }
    this.#finish(exchange);
  }
}

/** Room for what surrounds a result of the longest length, such as escapes and metadata. */
const ENVELOPE_LENGTH = 1 << 20;

function encodeAnswer(context: AnswerContext, exchange: Exchange, result: Result): string {
  const text = resultText(exchange.id, exchange.codec.encode(result, context));
  const { maxResultLength } = context.limits;
  if (text.length <= maxResultLength + ENVELOPE_LENGTH) return text;
  throw new RpcError(INTERNAL_ERROR, `The result is longer than ${maxResultLength} characters`);
}

// One client's messages: told apart by wire, answered side by side, tracked until each is over.

import {
  errorText,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isObject,
  isRequestId,
  type JsonObject,
  type Message,
  type Notification,
  PARSE_ERROR,
  type Parsed,
  parseLine,
  type Request,
  type RequestId,
  RpcError,
} from "../jsonrpc/message.ts";
import { IdTable, PendingRequests } from "../jsonrpc/pending.ts";
import type { Codec } from "../mcp/codec.ts";
import type { Result } from "../mcp/model.ts";
import type { Revision } from "../mcp/revision.ts";
import type { LineFault } from "../transport/lines.ts";
import type { Outlet } from "../transport/outlet.ts";
import { toRpcError } from "./log.ts";
import { type Exchange, type Port, type Reply, runExchange, type Wire } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { prepareHandshake, Session } from "./handshake.ts";
import { settlesWithin } from "./limits.ts";
import { BatchReply, DirectReply } from "./reply.ts";
import { isStatelessRequest, prepareStateless } from "./stateless.ts";
import type { SessionState } from "./store.ts";

/** Choices of the person who runs the server. */
export interface ConnectionOptions {
  /** Takes a batch apart and answers each message alone, whatever the revision. */
  readonly splitBatches?: boolean;
  /** Whose token the client showed, where it is one of several clients and its messages do not say. */
  readonly owner?: string;
}

/** Why what is under way ends with the connection. */
const ENDED = "the session has ended";

/** Serves one client. */
export class Connection implements Disposable {
  readonly #gateway: Gateway;
  readonly #port: Omit<Port, "length">;
  readonly #options: ConnectionOptions;
  readonly #session: Session;
  readonly #pending = new PendingRequests();
  readonly #wire: Wire = { kind: "handshake", pending: this.#pending };
  readonly #shutDownOnce = () => this.#shutDown();
  readonly #finishOnce = (exchange: Exchange) => this.#finish(exchange);
  readonly #inFlight = new IdTable<Exchange>();
  readonly #closing = new AbortController();
  readonly #exit = Promise.withResolvers<void>();
  #idle: PromiseWithResolvers<void> | undefined;
  #exitTimer: ReturnType<typeof setTimeout> | undefined;
  /** The codec that the client last spoke; decides how unreadable messages are answered. */
  #spoken: Codec | undefined;

  /** Answers go to the outlet. */
  constructor(gateway: Gateway, outlet: Outlet, options: ConnectionOptions = {}) {
    this.#gateway = gateway;
    const { owner } = options;
    const port = { outlet, reply: new DirectReply(outlet) };
    this.#port = owner === undefined ? port : { ...port, owner };
    this.#options = options;
    this.#session = new Session(gateway, outlet);
  }

  /** Requests that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Questions to the client that are not answered yet. */
  get asked(): number {
    return this.#pending.size;
  }

  /** The revision that was negotiated with the client; `undefined` before that. */
  get revision(): Revision | undefined {
    return this.#session.codec?.shape.revision;
  }

  /** What was negotiated with the client; `undefined` before that. */
  get state(): SessionState | undefined {
    return this.#session.state;
  }

  /** Goes on with a session that is open: handed over by another server, changed there, or greeted already. */
  restore(state: SessionState, owner = ""): void {
    this.#session.restore(state, owner);
    this.#spoken = this.#session.codec;
  }

  /** Resolves when the client has said that it wants no more: `shutdown`, then `exit` or five seconds. */
  get exited(): Promise<void> {
    return this.#exit.promise;
  }

  /** Takes one line; never throws, never waits. */
  receive(line: string | LineFault): void {
    if (typeof line !== "string") return this.#refuseLine(line);
    const parsed = parseLine(line, this.#gateway.limits);
    if (parsed.kind !== "blank") this.take(parsed, { ...this.#port, length: line.length });
  }

  /** Takes what one line or one HTTP body holds; never throws, never waits. */
  take(parsed: Exclude<Parsed, { kind: "blank" }>, port: Port): void {
    switch (parsed.kind) {
      case "malformed": {
        const error = new RpcError(PARSE_ERROR, `Parse error: ${parsed.reason}`);
        return this.#refuse(undefined, error, port.reply);
      }
      case "batch":
        return this.#receiveBatch(parsed.messages, port);
      default:
        return this.#receiveMessage(parsed, port);
    }
  }

  /** Waits for what is under way, at most the grace period, then cancels the rest. Nothing new is taken. */
  async drain(options: { readonly clientGone: boolean }): Promise<void> {
    this.#session.lifecycle.shutDown();
    if (options.clientGone) this.#pending.close();
    this.#closing.abort();
    if (this.#inFlight.size > 0) {
      this.#idle = Promise.withResolvers<void>();
      await settlesWithin(this.#idle.promise, this.#gateway.limits.graceMs);
    }
    if (options.clientGone) {
      for (const exchange of this.#inFlight.values()) exchange.cancel("the client has left");
    }
    this[Symbol.dispose]();
  }

  /** Cancels all that is under way, and says so to a client that still listens. */
  [Symbol.dispose](): void {
    clearTimeout(this.#exitTimer);
    this.#closing.abort();
    for (const exchange of this.#inFlight.values()) {
      exchange.abort(ENDED);
      this.#inFlight.delete(exchange.id);
    }
    this.#pending.close();
    this.#session[Symbol.dispose]();
  }

  #receiveMessage(message: Message, port: Port): void {
    switch (message.kind) {
      case "request":
        return this.#receiveRequest(message, port);
      case "notification":
        return this.#receiveNotification(message);
      case "response":
        this.#pending.settle(message.id, message.outcome);
        return;
      case "invalid":
        if (message.reply) {
          this.#refuse(
            message.id,
            new RpcError(INVALID_REQUEST, `Invalid Request: ${message.reason}`),
            port.reply,
          );
        }
    }
  }

  #receiveBatch(messages: readonly Message[], port: Port): void {
    const { maxBatch, maxResultLength } = this.#gateway.limits;
    const split = this.#options.splitBatches === true;
    if (messages.length > maxBatch) {
      return this.#refuseBatch(`a batch holds at most ${maxBatch} messages`, port);
    }
    if (!split && this.#session.codec?.shape.batches !== true) {
      return this.#refuseBatch(
        "batches exist in revision 2025-03-26 only; send its messages one by one",
        port,
      );
    }
    if (split) {
      for (const message of messages) {
        this.#receiveMessage(message, { ...port, length: JSON.stringify(message).length });
      }
      return;
    }
    const length = Math.ceil(port.length / messages.length);
    const answered = messages.filter((message) =>
      message.kind === "request" || (message.kind === "invalid" && message.reply)
    );
    const reply = new BatchReply(port.reply, answered.length, maxResultLength);
    for (const message of messages) {
      if (message.kind === "request" && isStatelessRequest(message, true)) {
        const reason = "Invalid Request: a batch belongs to its session alone";
        this.#refuse(message.id, new RpcError(INVALID_REQUEST, reason), reply);
      } else {
        this.#receiveMessage(message, { ...port, reply, length });
      }
    }
  }

  #receiveRequest(request: Request, port: Port): void {
    try {
      if (this.#inFlight.has(request.id)) {
        throw new RpcError(INVALID_REQUEST, "Invalid Request: the id is in use by another request");
      }
      const { maxOpenRequests, maxQueuedCalls } = this.#gateway.limits;
      if (this.#inFlight.size >= maxOpenRequests + maxQueuedCalls && request.method !== "ping") {
        throw new RpcError(
          INTERNAL_ERROR,
          `Server busy: ${this.#inFlight.size} requests are under way; try again later`,
        );
      }
      const prepared = isStatelessRequest(request, this.#session.codec !== undefined)
        ? prepareStateless(this.#gateway, request, { port, closing: this.#closing.signal })
        : prepareHandshake(this.#gateway, this.#session, request, {
          port,
          wire: this.#wire,
          shutDown: this.#shutDownOnce,
        });
      const { exchange } = prepared;
      // A ping before `initialize` settles nothing.
      if (exchange.wire.kind === "stateless") this.#spoken = exchange.codec;
      else this.#spoken = this.#session.codec ?? this.#spoken;
      this.#inFlight.set(exchange.id, exchange);
      runExchange(this.#gateway, prepared, this.#finishOnce);
    } catch (error) {
      this.#refuse(request.id, toRpcError(error, this.#gateway.log), port.reply);
    }
  }

  #finish(exchange: Exchange): void {
    // A canceled request's id may be in use again already.
    if (this.#inFlight.get(exchange.id) === exchange) this.#inFlight.delete(exchange.id);
    if (this.#inFlight.size === 0) this.#idle?.resolve();
  }

  #receiveNotification({ method, params }: Notification): void {
    switch (method) {
      case "notifications/initialized":
        return this.#session.initialized();
      case "notifications/cancelled":
        return this.#cancel(isObject(params) ? params : {});
      case "exit":
        if (this.#exitTimer !== undefined) this.#exit.resolve();
    }
  }

  #cancel(params: JsonObject): void {
    const { requestId, reason } = params;
    if (!isRequestId(requestId)) return;
    const exchange = this.#findInFlight(requestId);
    if (exchange === undefined) return;
    exchange.cancel(typeof reason === "string" ? reason : "the client wants it no more");
    this.#finish(exchange);
  }

  /** Some clients send the id of the request as a string; the exact id goes first. */
  #findInFlight(id: RequestId): Exchange | undefined {
    const exact = this.#inFlight.get(id);
    if (exact !== undefined || typeof id === "number") return exact ?? this.#inFlight.get(`${id}`);
    // Only the number's own spelling: "" is not 0.
    return String(Number(id)) === id ? this.#inFlight.get(Number(id)) : undefined;
  }

  #shutDown(): Result {
    this.#session.lifecycle.shutDown();
    this.#closing.abort();
    const { exitTimeoutMs } = this.#gateway.limits;
    this.#exitTimer ??= setTimeout(() => this.#exit.resolve(), exitTimeoutMs);
    return { kind: "empty" };
  }

  #refuseLine(fault: LineFault): void {
    const error = fault.kind === "too_long"
      ? new RpcError(INVALID_REQUEST, `Invalid Request: longer than ${fault.maxBytes} bytes`)
      : new RpcError(PARSE_ERROR, "Parse error: The line is not valid UTF-8");
    this.#refuse(undefined, error, this.#port.reply);
  }

  #refuseBatch(reason: string, port: Port): void {
    const error = new RpcError(INVALID_REQUEST, `Invalid Request: ${reason}`);
    this.#refuse(undefined, error, port.reply);
  }

  #refuse(id: RequestId | undefined, error: RpcError, reply: Reply): void {
    // That a message was unreadable is for the log to say; what it held is not.
    if (id === undefined) this.#gateway.log.write("warning", "unreadable", { code: error.code });
    // Before the client has spoken in any revision, plain JSON-RPC holds: an unreadable id is null.
    const unreadable = this.#spoken === undefined ? null : this.#spoken.shape.unreadableId;
    reply.answer(errorText(id ?? unreadable, error), id, error);
  }
}

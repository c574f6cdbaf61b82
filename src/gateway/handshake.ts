// The handshake wire: the state that `initialize` settles with one client, and its requests, answered in that revision.

import { invalidParams, type JsonObject, type Request } from "../jsonrpc/message.ts";
import { type Codec, getCodec } from "../mcp/codec.ts";
import type { Features, Result } from "../mcp/model.ts";
import {
  findMeta,
  findProgressToken,
  type LogLevel,
  parseLevel,
  parseParams,
  parseString,
} from "../mcp/params.ts";
import { LATEST_HANDSHAKE } from "../mcp/revision.ts";
import type { Outlet } from "../transport/outlet.ts";
import { ClientListener, tooManyListen } from "./audience.ts";
import { Exchange, type Port, type Prepared, type Wire } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { FIRST_LOG_LEVEL, parseIntroduction } from "./greeting.ts";
import { isOffered, Lifecycle, methodNotFound, resourceNotFound } from "./guard.ts";
import type { SessionState } from "./store.ts";

/** Where a handshake request came from. */
export interface HandshakeOrigin {
  readonly port: Port;
  readonly wire: Wire;
  /** Begins the end of the connection. */
  readonly shutDown: () => Result;
}

const EMPTY: Result = { kind: "empty" };

/**
 * Finds what answers a request in the session's state.
 *
 * @throws RpcError -32002 out of its time, -32601 for an unknown method, -32602 for malformed parameters.
 */
export function prepareHandshake(
  gateway: Gateway,
  session: Session,
  request: Request,
  origin: HandshakeOrigin,
): Prepared {
  const { method } = request;
  const params = parseParams(request.params);
  if (method === "initialize") {
    const { codec, result } = session.initialize(params);
    return { exchange: openExchange(session, request, origin, codec), run: () => result };
  }
  if (method !== "ping") session.lifecycle.guard();
  const exchange = openExchange(session, request, origin, session.codec);
  switch (offered(method, gateway.features)) {
    case "ping":
      return { exchange, run: () => EMPTY };
    case "logging/setLevel":
      return { exchange, run: () => session.setLevel(params) };
    case "shutdown":
      return { exchange, run: origin.shutDown };
    case "resources/subscribe":
      return { exchange, run: () => session.subscribe(exchange, params) };
    case "resources/unsubscribe":
      return { exchange, run: () => session.unsubscribe(params) };
    default: {
      if (!isOffered(method, gateway.features)) throw methodNotFound(method);
      return { exchange, run: () => gateway.handle(method, exchange, params) };
    }
  }
}

/** The method, unless it is about watching resources and none can be watched. */
function offered(method: string, features: Features): string | undefined {
  return method.endsWith("subscribe") && !features.subscriptions ? undefined : method;
}

function openExchange(
  session: Session,
  request: Request,
  origin: HandshakeOrigin,
  codec: Codec = getCodec(LATEST_HANDSHAKE),
): Exchange {
  const { port } = origin;
  return new Exchange({
    id: request.id,
    codec,
    outlet: port.outlet,
    reply: port.reply,
    capabilities: port.capabilities ?? session.capabilities,
    client: session.client,
    session: session.key,
    wire: origin.wire,
    logLevel: session.readLogLevel,
    progressToken: findProgressToken(findMeta(request.params)),
    length: port.length,
    owner: port.owner,
    detach: port.detach,
  });
}

/** From `initialize` to the end of the connection. */
export class Session implements Disposable {
  readonly lifecycle = new Lifecycle();
  /** Stands for this session towards activations; it tells and holds nothing. */
  readonly key: object = Object.freeze({});
  readonly #gateway: Gateway;
  readonly #listener: ClientListener;
  readonly #subscriptions = new Set<string>();
  #codec: Codec | undefined;
  #capabilities: JsonObject = {};
  #client = "";
  /** Whose subscriptions they are. */
  #owner = "";
  #logLevel: LogLevel = FIRST_LOG_LEVEL;

  /** News for this client go to the outlet. */
  constructor(gateway: Gateway, outlet: Outlet) {
    this.#gateway = gateway;
    this.#listener = new ClientListener({ outlet, wants: () => true, meta: undefined });
  }

  /** The codec that was negotiated, if one was. */
  get codec(): Codec | undefined {
    return this.#codec;
  }

  /** What the client said it can do. */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** What the client calls itself. */
  get client(): string {
    return this.#client;
  }

  /** The least severe log message that the client wants; one function for all its requests. */
  readonly readLogLevel: () => LogLevel = () => this.#logLevel;

  /**
   * Opens the session in the revision that the client asks for, or the latest.
   *
   * @throws RpcError for malformed parameters or a second time.
   */
  initialize(params: JsonObject): { readonly codec: Codec; readonly result: Result } {
    const { revision, capabilities, client } = parseIntroduction(params);
    this.lifecycle.initialize();
    this.#capabilities = capabilities;
    this.#client = client;
    const codec = getCodec(revision);
    this.#codec = codec;
    const { features, server } = this.#gateway;
    return { codec, result: { kind: "initialize", features, server } };
  }

  /** The client is ready; from now on it hears of changes. */
  initialized(): void {
    if (this.lifecycle.initialized()) this.#gateway.audience.join(this.#listener);
  }

  /** What another server would need to go on with this session; `undefined` before its handshake. */
  get state(): SessionState | undefined {
    if (this.#codec === undefined) return undefined;
    return {
      revision: this.#codec.shape.revision,
      capabilities: this.#capabilities,
      client: this.#client,
      ready: this.lifecycle.wasReady,
      logLevel: this.#logLevel,
      subscriptions: [...this.#subscriptions],
    };
  }

  /** Goes on where the session stands at another server. */
  restore(state: SessionState, owner: string): void {
    if (this.#codec === undefined) {
      this.lifecycle.initialize();
      this.#codec = getCodec(state.revision);
      this.#capabilities = state.capabilities;
      this.#client = state.client;
    }
    this.#logLevel = state.logLevel;
    this.#owner = owner;
    const { audience } = this.#gateway;
    const wanted = new Set(state.subscriptions);
    for (const uri of this.#subscriptions) {
      if (!wanted.has(uri)) this.#unwatch(uri);
    }
    for (const uri of wanted) {
      if (this.#subscriptions.has(uri) || !audience.kept.take(owner, uri.length)) continue;
      this.#subscriptions.add(uri);
      if (!audience.tryWatch(uri, this.#listener)) this.#unwatch(uri);
    }
    if (state.ready) this.initialized();
  }

  /** Chooses which log messages the client gets. */
  setLevel(params: JsonObject): Result {
    this.#logLevel = parseLevel(params);
    return { kind: "empty" };
  }

  /**
   * Tells the client of changes of a resource.
   *
   * @throws RpcError when there is no such resource or too many are watched.
   */
  subscribe(exchange: Exchange, params: JsonObject): Result {
    const uri = parseString(params, "uri");
    if (!this.#subscriptions.has(uri)) this.#subscribe(uri, exchange.owner);
    try {
      // Anew, too, if what was watched has come to an end.
      if (!this.#gateway.audience.watch(uri, this.#listener)) throw resourceNotFound(uri, exchange);
    } catch (error) {
      this.#unwatch(uri);
      throw error;
    }
    return { kind: "empty" };
  }

  /** Ends a subscription, if there is one. */
  unsubscribe(params: JsonObject): Result {
    this.#unwatch(parseString(params, "uri"));
    return { kind: "empty" };
  }

  /** The client hears nothing any more. */
  [Symbol.dispose](): void {
    for (const uri of this.#subscriptions) this.#unwatch(uri);
    this.#gateway.audience.leave(this.#listener);
  }

  /** Notes a subscription, if there is room for one more. */
  #subscribe(uri: string, owner: string): void {
    const { audience, limits } = this.#gateway;
    const { maxSubscriptions, maxListenLength } = limits;
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw invalidParams(`Cannot watch more than ${maxSubscriptions} resources; unsubscribe some`);
    }
    if (uri.length > maxListenLength) {
      throw invalidParams(`Cannot watch a URI of over ${maxListenLength} characters`);
    }
    if (!audience.kept.take(owner, uri.length)) throw tooManyListen();
    this.#owner = owner;
    this.#subscriptions.add(uri);
  }

  #unwatch(uri: string): void {
    if (!this.#subscriptions.delete(uri)) return;
    const { audience } = this.#gateway;
    audience.unwatch(uri, this.#listener);
    audience.kept.give(this.#owner, uri.length);
  }
}

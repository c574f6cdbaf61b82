// Requests of the handshake wire: answered in the revision that `initialize` settled.

import type { Request } from "../jsonrpc/message.ts";
import { type Codec, getCodec } from "../mcp/codec.ts";
import { findMeta, findProgressToken, parseParams } from "../mcp/params.ts";
import type { Features, Result } from "../mcp/model.ts";
import { LATEST_HANDSHAKE } from "../mcp/revision.ts";
import { Exchange, type Port, type Prepared, type Wire } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { isOffered, methodNotFound } from "./guard.ts";
import type { Session } from "./session.ts";

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

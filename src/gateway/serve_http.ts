// A gateway over HTTP: listens, lets in whom it may, and ends in good order.

import type { HttpLimits, HttpServer } from "../transport/http.ts";
import { listenHttp } from "../transport/http_server.ts";
import { type Authenticator, TokenList } from "./authenticator.ts";
import type { Gateway } from "./gateway.ts";
import { Door, isLoopback } from "./http_door.ts";
import { HttpEndpoint, MCP_PATH } from "./http_endpoint.ts";
import { LegacyEvents } from "./http_legacy.ts";
import { DEFAULT_ENDPOINT_LIMITS, type EndpointLimits } from "./http_limits.ts";
import { Metrics } from "./metrics.ts";
import { aborted, settlesWithin, shareOf } from "./limits.ts";
import { MemorySessionStore, type SessionStore } from "./store.ts";
import { SturdyStore } from "./sturdy_store.ts";

/** Where to listen, and for whom. */
export interface ServeHttpOptions {
  /** A name or an address; an IPv6 address without brackets. */
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Stops taking requests; what is under way may finish within the grace period. */
  readonly signal: AbortSignal;
  /** Bearer tokens; needed where other machines can connect. */
  readonly tokens?: readonly string[];
  /** Tells who requests are from, instead of tokens. */
  readonly authenticator?: Authenticator;
  /** Web pages that may connect, besides those of the server itself. */
  readonly allowOrigins?: readonly string[];
  /** Further names in `Host` headers. */
  readonly allowHosts?: readonly string[];
  /** Serves HTTP+SSE of 2024-11-05 too. */
  readonly legacyEvents?: boolean;
  /** Bounds on sessions and requests. */
  readonly limits?: Partial<EndpointLimits>;
  /** Bounds on connections. */
  readonly connections?: Partial<HttpLimits>;
  /** Shown at `/metrics`; becomes the gateway's meter unless that has one. */
  readonly metrics?: Metrics;
}

/** A gateway that listens. */
export interface ServedHttp {
  readonly url: string;
  readonly port: number;
  /** Resolves when it has stopped and everything it started has ended. */
  readonly ended: Promise<void>;
}

/** How long answers that are complete may take to reach their clients, and the last events the store. */
const FLUSH_MS = 1000;

/**
 * Serves until the signal aborts.
 *
 * @throws TypeError when other machines could connect without a token; a Deno error when it cannot listen.
 */
export function serveHttp(gateway: Gateway, options: ServeHttpOptions): ServedHttp {
  const { hostname, port, signal, tokens = [] } = options;
  const authenticator: Authenticator | undefined = options.authenticator ??
    (tokens.length === 0 ? undefined : new TokenList(tokens));
  if (authenticator === undefined && !isLoopback(hostname)) {
    throw new TypeError(`Cannot listen on "${hostname}" without tokens: anyone could connect`);
  }
  const metrics = options.metrics ??
    (gateway.meter instanceof Metrics ? gateway.meter : new Metrics());
  gateway.meter ??= metrics;
  const limits = { ...DEFAULT_ENDPOINT_LIMITS, ...options.limits };
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const door = new Door({
    hostname: host,
    allowHosts: options.allowHosts ?? [],
    allowOrigins: options.allowOrigins ?? [],
    authenticator,
    limits,
  });
  const { maxSessions } = limits;
  // Where there is one token, nobody else could use what it leaves over.
  const isShared = options.authenticator !== undefined || tokens.length > 1;
  const maxSessionsPerOwner = isShared ? shareOf(maxSessions) : maxSessions;
  const legacy = options.legacyEvents === true
    ? new LegacyEvents(gateway, { limits, maxSessionsPerOwner })
    : undefined;
  const endpoint = new HttpEndpoint({
    gateway,
    door,
    store: openStore(gateway, limits),
    limits,
    maxSessionsPerOwner,
    metrics,
    metadata: authenticator?.metadata,
    ...(legacy === undefined ? {} : { legacy }),
  });
  const server = listen(endpoint, { hostname, port, gateway, connections: options.connections });
  const countSessions = () => endpoint.sessions + (legacy?.size ?? 0);
  const gauges = new DisposableStack();
  gauges.use(metrics.gauge("bulkhead_sessions", "Sessions that are open.", countSessions));
  gauges.use(metrics.gauge("bulkhead_connections", "Open connections.", () => server.connections));
  return {
    url: `http://${host}:${server.port}${MCP_PATH}`,
    port: server.port,
    ended: serveUntil(signal, server, endpoint).finally(() => gauges.dispose()),
  };
}

function openStore(gateway: Gateway, limits: EndpointLimits): SessionStore {
  const { store, log, limits: { storeTimeoutMs } } = gateway;
  if (store.sessions !== undefined) return new SturdyStore(store.sessions, log, storeTimeoutMs);
  return new MemorySessionStore({
    maxSessionLength: limits.maxSessionReplay,
    maxLength: limits.maxReplay,
  });
}

interface Listening {
  readonly hostname: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly connections: Partial<HttpLimits> | undefined;
}

function listen(endpoint: HttpEndpoint, options: Listening): HttpServer {
  const { hostname, port, gateway, connections } = options;
  try {
    return listenHttp({
      hostname,
      port,
      handler: endpoint,
      limits: {
        maxBodyBytes: gateway.limits.maxLineBytes,
        maxBacklogLength: gateway.limits.maxBacklogLength,
        ...connections,
      },
    });
  } catch (error) {
    endpoint[Symbol.dispose]();
    throw error;
  }
}

async function serveUntil(
  signal: AbortSignal,
  server: HttpServer,
  endpoint: HttpEndpoint,
): Promise<void> {
  await aborted(signal);
  server.close();
  await endpoint.drain();
  endpoint[Symbol.dispose]();
  await settlesWithin(Promise.all([server.closed, endpoint.written()]), FLUSH_MS);
  server[Symbol.dispose]();
}

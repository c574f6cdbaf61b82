// A server over HTTP: where it listens, whom it lets in, how it ends.

import type { Gateway } from "../gateway/gateway.ts";
import { Door, isLoopback } from "../gateway/http_door.ts";
import { HttpEndpoint } from "../gateway/http_endpoint.ts";
import { LegacyEvents } from "../gateway/http_legacy.ts";
import { DEFAULT_ENDPOINT_LIMITS, type EndpointLimits } from "../gateway/http_limits.ts";
import { Metrics } from "../gateway/metrics.ts";
import { settlesWithin } from "../gateway/race.ts";
import { MemorySessionStore } from "../gateway/store.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import type { HttpServer } from "../transport/http.ts";
import { listenHttp } from "../transport/http_server.ts";
import { UsageError } from "./command.ts";
import type { HttpChoice } from "./server_options.ts";

/** A server that is ready to listen. */
export interface HttpPlan {
  /** The flags that listening needs. */
  readonly needs: readonly Flag[];
  readonly metrics: Metrics;
  /**
   * Listens.
   *
   * @throws UsageError when another program does already.
   */
  listen(gateway: Gateway): HttpService;
}

/** A server that listens. */
export interface HttpService {
  readonly url: string;
  /** Serves until the signal aborts; everything it started has ended then. */
  serve(signal: AbortSignal): Promise<void>;
}

/** Where a server listens. */
export interface Address {
  /** As in a URL: an IPv6 address has brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8808;

/** Requests a second of one client, where clients may be anywhere. */
const OUTSIDE_RATE = 100;

/** The shortest token that is no guess. */
const MIN_TOKEN_LENGTH = 16;

/** How long answers that are complete may take to reach their clients. */
const FLUSH_MS = 1000;

/**
 * Reads what a person chose and checks that it can be served.
 *
 * @throws UsageError when it cannot, with what to add.
 */
export async function openHttp(
  choice: HttpChoice,
  children: (() => number) | undefined,
): Promise<HttpPlan> {
  const { host, port } = parseAddress(choice.address);
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const outside = !isLoopback(hostname);
  const tokens = choice.tokenFile === undefined ? [] : await readTokens(choice.tokenFile);
  if (outside && tokens.length === 0) {
    throw new UsageError(
      `Cannot listen on ${host} for everyone: name a file of bearer tokens with --token-file`,
    );
  }
  const needs = [{ flag: `--allow-net=${host}:${port}`, reason: "listening for clients" }];
  const { state } = await Deno.permissions.query({ name: "net", host: `${host}:${port}` });
  if (state !== "granted") {
    throw new UsageError(`Cannot listen without --allow-net=${host}:${port}`);
  }
  const limits = chooseLimits(choice, outside);
  const metrics = new Metrics();
  metrics.gauge("bulkhead_children", "Processes that were started and run.", children ?? none);
  const door = new Door({
    hostname: host,
    allowHosts: choice.allowHosts,
    allowOrigins: choice.allowOrigins,
    tokens,
    limits,
  });
  const start = (gateway: Gateway): HttpService => {
    const store = new MemorySessionStore({
      maxSessionLength: limits.maxSessionReplay,
      maxLength: limits.maxReplay,
    });
    const legacy = choice.legacyEvents ? new LegacyEvents(gateway, limits) : undefined;
    const rest = legacy === undefined ? {} : { legacy };
    const endpoint = new HttpEndpoint({ gateway, door, store, limits, metrics, ...rest });
    const server = listen(choice, { hostname, port, gateway, endpoint });
    metrics.gauge(
      "bulkhead_sessions",
      "Sessions that are open.",
      () => endpoint.sessions.size + (legacy?.size ?? 0),
    );
    metrics.gauge("bulkhead_connections", "Open connections.", () => server.connections);
    return {
      url: `http://${host}:${server.port}/mcp`,
      serve: (signal) => serveUntil(signal, server, endpoint),
    };
  };
  return { needs, metrics, listen: start };
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
  await settlesWithin(server.closed, FLUSH_MS);
  server[Symbol.dispose]();
}

/**
 * Reads `HOST:PORT`, either of which may be missing.
 *
 * @throws UsageError when it is something else.
 */
export function parseAddress(text: string): Address {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)?(?::?(\d{1,5}))?$/.exec(text);
  const bare = /^\d{1,5}$/.test(text);
  const host = bare ? undefined : match?.[1];
  const port = Number(bare ? text : match?.[2] ?? DEFAULT_PORT);
  if (match === null || port > 65535) {
    throw new UsageError(`Cannot listen on "${text}": give HOST:PORT, as 127.0.0.1:8808`);
  }
  return { host: host ?? DEFAULT_HOST, port };
}

function chooseLimits({ bounds }: HttpChoice, outside: boolean): EndpointLimits {
  return {
    ...DEFAULT_ENDPOINT_LIMITS,
    maxSessions: bounds["max-sessions"] ?? DEFAULT_ENDPOINT_LIMITS.maxSessions,
    maxRate: bounds["max-rate"] ?? (outside ? OUTSIDE_RATE : DEFAULT_ENDPOINT_LIMITS.maxRate),
  };
}

async function readTokens(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotCapable
      ? `add --allow-read=${file}`
      : "it cannot be read";
    throw new UsageError(`Cannot use the token file "${file}": ${reason}`);
  }
  const tokens = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const unfit = tokens.findIndex((token) =>
    token.length < MIN_TOKEN_LENGTH || !/^[A-Za-z0-9._~+/-]+=*$/.test(token)
  );
  if (tokens.length === 0 || unfit >= 0) {
    throw new UsageError(
      `Cannot use the token file "${file}": it needs tokens of at least ${MIN_TOKEN_LENGTH} ` +
        "letters and digits, one a line, as `openssl rand -hex 32` makes them",
    );
  }
  return tokens;
}

interface Listening {
  readonly hostname: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly endpoint: HttpEndpoint;
}

function listen({ bounds }: HttpChoice, options: Listening): HttpServer {
  const { hostname, port, gateway, endpoint } = options;
  const maxConnections = bounds["max-connections"];
  try {
    return listenHttp({
      hostname,
      port,
      handler: endpoint,
      limits: {
        maxBodyBytes: gateway.limits.maxLineBytes,
        maxBacklogLength: gateway.limits.maxBacklogLength,
        ...(maxConnections === undefined ? {} : { maxConnections }),
      },
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new UsageError(`Cannot listen on port ${port}: another program does; choose another`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function none(): number {
  return 0;
}

// A server over HTTP as a person asks for it: where it listens and whom it lets in.

import type { Gateway } from "../gateway/gateway.ts";
import { isLoopback } from "../gateway/http_door.ts";
import { Metrics } from "../gateway/metrics.ts";
import { type ServedHttp, serveHttp, type ServeHttpOptions } from "../gateway/serve_http.ts";
import { countRunning } from "../process/start.ts";
import { type HttpChoice, type HttpPlan, UsageError } from "./command.ts";

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

/** As browsers send it: no path, not even a slash. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]*]+)(?::\d{1,5})?$/i;
const HOST = /^(?:\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::\d{1,5})?$/i;

/** The shortest token that is no guess. */
const MIN_TOKEN_LENGTH = 16;

/**
 * Reads what a person chose and checks that it can be served.
 *
 * @throws UsageError when it cannot, with what to add.
 */
export async function openHttp(
  choice: HttpChoice,
): Promise<HttpPlan> {
  const { host, port } = parseAddress(choice.address);
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const outside = !isLoopback(host);
  const tokens = choice.tokenFile === undefined ? [] : await readTokens(choice.tokenFile);
  if (tokens.length === 0) refuseOpenDoor(host);
  const { state } = await Deno.permissions.query({ name: "net", host: `${host}:${port}` });
  if (state !== "granted") {
    throw new UsageError(`Cannot listen without --allow-net=${host}:${port}`);
  }
  const { allowOrigins, allowHosts, legacyEvents, bounds } = choice;
  refuseUnfit("--allow-origin", allowOrigins, ORIGIN, "https://app.example");
  refuseUnfit("--allow-host", allowHosts, HOST, "app.example or app.example:8443");
  const metrics = new Metrics();
  metrics.gauge("bulkhead_children", "Processes that were started and still run.", countRunning);
  const maxSessions = bounds["max-sessions"];
  const maxRate = bounds["max-rate"] ?? (outside ? OUTSIDE_RATE : undefined);
  const maxConnections = bounds["max-connections"];
  const options = {
    hostname,
    port,
    tokens,
    allowOrigins,
    allowHosts,
    legacyEvents,
    metrics,
    limits: {
      ...(maxSessions === undefined ? {} : { maxSessions }),
      ...(maxRate === undefined ? {} : { maxRate }),
    },
    connections: maxConnections === undefined ? {} : { maxConnections },
  };
  return {
    listen: (gateway, signal) => listen(gateway, { ...options, signal }),
  };
}

/**
 * Reads `HOST:PORT`, either of which may be missing.
 *
 * @throws UsageError when it is something else.
 */
export function parseAddress(text: string): Address {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)?(?::(\d{1,5}))?$/.exec(text);
  const bare = /^\d{1,5}$/.test(text);
  const host = bare ? undefined : match?.[1];
  const port = Number(bare ? text : match?.[2] ?? DEFAULT_PORT);
  if (match === null || port > 65535) {
    throw new UsageError(`Cannot listen on "${text}": give HOST:PORT, as 127.0.0.1:8808`);
  }
  return { host: host ?? DEFAULT_HOST, port };
}

/**
 * Refuses to let other machines in without tokens.
 *
 * @throws UsageError when they could come in at this host.
 */
export function refuseOpenDoor(host: string): void {
  if (isLoopback(host)) return;
  throw new UsageError(
    `Cannot listen on ${host} for everyone: name a file of bearer tokens with --token-file`,
  );
}

/** What no request could ever carry would be allowed in vain; "null", which pages of any origin carry, would let in all. */
function refuseUnfit(
  option: string,
  values: readonly string[],
  form: RegExp,
  example: string,
): void {
  const unfit = values.find((value) => !form.test(value));
  if (unfit === undefined) return;
  throw new UsageError(`Cannot use ${option} "${unfit}": write it as ${example}, nothing more`);
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

function listen(gateway: Gateway, options: ServeHttpOptions): ServedHttp {
  try {
    return serveHttp(gateway, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new UsageError(
      `Cannot listen on port ${options.port}: another program does; choose another with --http`,
    );
  }
}

// Who may come in over HTTP, told by the head of a request alone: the host it was sent to, the page it was sent from,
// the token it carries, and how much its client asks for.

import type { RequestId } from "../jsonrpc/message.ts";
import type { HttpAnswer, HttpHead } from "../transport/http.ts";
import { isFieldValue } from "../transport/http_answer.ts";
import type { Authenticator, Identity } from "./authenticator.ts";
import { type ClientLimits, Clients, type Holding } from "./http_clients.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { refusal, refuse } from "./http_refusal.ts";
import { answersWithin } from "./limits.ts";
import type { Eventually } from "./store.ts";

/** Who is let in. */
export interface DoorOptions {
  /** What the server is bound to. */
  readonly hostname: string;
  /** Further names that requests may be sent to. */
  readonly allowHosts: readonly string[];
  /** Pages that may send requests from a browser, besides those of the host itself. */
  readonly allowOrigins: readonly string[];
  /** Tells who requests are from; without it anyone is let in, and nobody told from anybody else. */
  readonly authenticator?: Authenticator | undefined;
  readonly limits: ClientLimits & Pick<EndpointLimits, "identifyTimeoutMs">;
}

/** Why somebody is not let in, in words for counters. */
export type DenialReason = "host" | "origin" | "token" | "rate";

/** Refuses a request. */
export interface Denial {
  readonly kind: "denied";
  readonly reason: DenialReason;
  readonly answer: HttpAnswer;
}

/** Lets a request in as somebody's, or refuses it. */
export type Admission = { readonly kind: "admitted"; readonly owner: string } | Denial;

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/** Whether only this machine can reach a server that is bound to this name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.has(hostname) || hostname === "::1";
}

/** Judges heads of requests. */
export class Door {
  readonly #options: DoorOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #clients: Clients;
  /** Hosts that were let in, spelled as clients spell them: the same few again and again. */
  readonly #known = new Set<string>();

  /** Lets in what the options name. */
  constructor(options: DoorOptions) {
    this.#options = options;
    this.#hosts = new Set([...options.allowHosts.map(toLower), toLower(options.hostname)]);
    this.#origins = new Set(options.allowOrigins.map(toLower));
    this.#clients = new Clients(options.limits);
  }

  /** Whether anyone may come in who comes from the right place. */
  get isOpen(): boolean {
    return this.#options.authenticator === undefined;
  }

  /** Judges where a request was sent to and from: a page in a browser must not reach us through a name of its own. */
  admitSite({ headers }: HttpHead): Admission | undefined {
    const host = headers.get("host") ?? "";
    if (!this.#known.has(host) && !this.#admitHost(host)) {
      return deny("host", 403, "the Host header names another server; add it with --allow-host");
    }
    const origin = headers.get("origin");
    if (origin === undefined || this.isOwnOrigin(origin, host)) return undefined;
    return deny("origin", 403, "this page may not use the server; add it with --allow-origin");
  }

  /** Whether a page may send requests: it is of this server, or was allowed by name. */
  isOwnOrigin(origin: string, host: string): boolean {
    const name = origin.toLowerCase();
    if (this.#origins.has(name)) return true;
    return name === `http://${host.toLowerCase()}` || name === `https://${host.toLowerCase()}`;
  }

  /** Judges who a request is from. Strangers count against the address they come from. */
  admitOwner(head: HttpHead): Eventually<Admission> {
    const { authenticator, limits } = this.#options;
    try {
      const identity = authenticator === undefined ? NOBODY : authenticator.identify(head);
      if (!(identity instanceof Promise)) return this.#judge(identity, head);
      const patience = { who: "The authenticator", timeoutMs: limits.identifyTimeoutMs };
      return answersWithin(identity, patience).then((told) => this.#judge(told, head));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Judges how often a client comes. */
  admitClient(client: string): Admission | undefined {
    const wait = this.#clients.spend(client);
    return wait === 0 ? undefined : denyRate(wait);
  }

  /** Counts in what a client has under way, unless it has too much already; `leave` counts it out. */
  enter(client: string, holding: Holding, id?: RequestId): Denial | undefined {
    return this.#clients.enter(client, holding) ? undefined : denyRate(1, id);
  }

  /** What was counted in is over. */
  leave(client: string, holding: Holding): void {
    this.#clients.leave(client, holding);
  }

  #admitHost(host: string): boolean {
    const site = host.toLowerCase();
    const name = /^(.*?)(?::\d{1,5})?$/.exec(site)?.[1] ?? "";
    // Whoever gives an address did not get it from a foreign name server.
    const admitted = LOOPBACK.has(name) || this.#hosts.has(name) || this.#hosts.has(site) ||
      (!isLoopback(this.#options.hostname) && ADDRESS.test(name));
    if (admitted && this.#known.size < MAX_KNOWN) this.#known.add(host);
    return admitted;
  }

  #judge(identity: Identity, { peer }: HttpHead): Admission {
    if (identity.kind === "known") return { kind: "admitted", owner: identity.owner };
    const wait = this.#clients.spend(peer);
    if (wait > 0) return denyRate(wait);
    const { status, challenge } = identity;
    if (!isFieldValue(challenge)) {
      throw new TypeError(
        "Cannot send the authenticator's challenge: it has characters that no header field may have",
      );
    }
    const sentence = status === 401
      ? "a valid bearer token is needed in the Authorization header"
      : "the token does not allow this";
    return deny("token", status, sentence, { "www-authenticate": challenge });
  }
}

const MAX_KNOWN = 64;

/** Where nobody is told from anybody else. */
const NOBODY: Identity = { kind: "known", owner: "" };

function denyRate(wait: number, id?: RequestId): Denial {
  const headers = { "retry-after": `${wait}` };
  const answer = refuse(429, id, "too many requests; try again later", headers);
  return { kind: "denied", reason: "rate", answer };
}

function deny(
  reason: DenialReason,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): Denial {
  return { kind: "denied", reason, answer: refusal(status, sentence, headers) };
}

function toLower(text: string): string {
  return text.toLowerCase();
}

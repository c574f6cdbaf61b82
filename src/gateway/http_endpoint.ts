// One HTTP endpoint for both wires: tells each request's wire, and hands it to the session or the work it belongs to.

import { errorText, type JsonObject, parseLine, type RequestId } from "../jsonrpc/message.ts";
import { VERSION_HEADER } from "../mcp/http_header.ts";
import type { HttpAnswer, HttpHandler, HttpHead, HttpReply } from "../transport/http.ts";
import { toRpcError } from "./log.ts";
import type { Gateway } from "./gateway.ts";
import type { Holding } from "./http_clients.ts";
import type { Admission, Denial, Door } from "./http_door.ts";
import { HandshakeRequests } from "./http_handshake.ts";
import type { LegacyEvents } from "./http_legacy.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { parseAccept } from "./http_post.ts";
import {
  idOf,
  isStatelessVersion,
  JSON_HEADERS,
  reasonOf,
  refusal,
  refuseMethod,
  screenPost,
} from "./http_refusal.ts";
import { isAnswered } from "./http_session.ts";
import { isOfStatelessWire, StatelessPosts } from "./http_stateless.ts";
import { crossOrigin, preflight, Visit } from "./http_visit.ts";
import type { Metrics } from "./metrics.ts";
import type { Eventually, SessionStore } from "./store.ts";

/** What an endpoint is made of. */
export interface HttpEndpointOptions {
  readonly gateway: Gateway;
  readonly door: Door;
  readonly store: SessionStore;
  readonly limits: EndpointLimits;
  /** The most sessions that one owner may have. */
  readonly maxSessionsPerOwner: number;
  readonly metrics: Metrics;
  /** Where clients get their tokens (RFC 9728). */
  readonly metadata?: JsonObject | undefined;
  /** Serves HTTP+SSE of 2024-11-05 too. */
  readonly legacy?: LegacyEvents;
}

/** Where MCP is spoken. */
export const MCP_PATH = "/mcp";

const METRICS_PATH = "/metrics";
/** Where clients read how to get a token; that of one resource goes behind it (RFC 9728). */
const METADATA_PATH = "/.well-known/oauth-protected-resource";

const METHODS = "GET, POST, DELETE, OPTIONS";
/** Its answer is a stream that stays open. */
const LISTEN = "subscriptions/listen";

/** Answers HTTP requests. */
export class HttpEndpoint implements HttpHandler, Disposable {
  readonly #options: HttpEndpointOptions;
  readonly #closing = new AbortController();
  readonly #handshake: HandshakeRequests;
  readonly #stateless: StatelessPosts;
  /** Who the requests are from whose bodies are still to come. */
  readonly #asked = new WeakMap<HttpHead, Eventually<Admission>>();
  readonly #sweeper: ReturnType<typeof setInterval>;

  /** Starts with no session. */
  constructor(options: HttpEndpointOptions) {
    this.#options = options;
    this.#handshake = new HandshakeRequests(options, this.#closing.signal);
    this.#stateless = new StatelessPosts(options.gateway, this.#closing.signal);
    // A request that has just begun is left alone the first time.
    this.#sweeper = setInterval(() => this.#sweep(), options.limits.keepAliveMs / 2);
  }

  /** How many sessions are open. */
  get sessions(): number {
    return this.#handshake.sessions.size;
  }

  /** Refuses by the head what must not even send its body. */
  screen(head: HttpHead): HttpAnswer | undefined {
    const { door, metrics } = this.#options;
    const site = door.admitSite(head);
    if (site?.kind === "denied") {
      metrics.deny(site.reason);
      return site.answer;
    }
    const crossing = crossOrigin(head);
    const answer = head.method === "OPTIONS" ? preflight(head, METHODS) : this.#screenPath(head);
    return answer === undefined || crossing === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, ...crossing } };
  }

  /** Answers a request that was let in. */
  handle(head: HttpHead, body: string | undefined, reply: HttpReply): void {
    const visit = new Visit(reply, crossOrigin(head));
    try {
      this.#route(head, body, visit);
    } catch (error) {
      this.#fail(error, visit);
    }
  }

  /** Counts what was refused before anything of it came here. */
  refused(status: number): void {
    this.#options.metrics.deny(reasonOf(status));
  }

  /** Takes nothing new, and waits for what is under way, at most the grace period. */
  async drain(): Promise<void> {
    this.#closing.abort();
    const { legacy } = this.#options;
    const { sessions } = this.#handshake;
    await Promise.all([sessions.drain(), this.#stateless.drain(), legacy?.drain()]);
  }

  /** Resolves when the store has taken all that it was told. */
  written(): Promise<void> {
    return this.#handshake.sessions.written();
  }

  /** Ends everything. */
  [Symbol.dispose](): void {
    clearInterval(this.#sweeper);
    this.#closing.abort();
    this.#handshake.sessions[Symbol.dispose]();
    this.#options.legacy?.[Symbol.dispose]();
  }

  #screenPath(head: HttpHead): HttpAnswer | undefined {
    const { door, metrics, legacy } = this.#options;
    const { path, method } = head;
    const reads = method === "GET" || method === "HEAD";
    if (this.#findPage(path) !== undefined) return reads ? undefined : refuseMethod("GET");
    if (path !== MCP_PATH && path !== METRICS_PATH && legacy?.serves(path) !== true) {
      return refusal(404, `there is nothing here; MCP is spoken at ${MCP_PATH}`);
    }
    const admission = door.isOpen ? undefined : this.#ask(head);
    if (admission?.kind === "denied") {
      metrics.deny(admission.reason);
      return admission.answer;
    }
    if (path === METRICS_PATH) return reads ? undefined : refuseMethod("GET");
    if (method === "POST") return screenPost(head);
    if (path !== MCP_PATH) return legacy?.screen(head);
    if (method !== "GET" && method !== "DELETE") return refuseMethod(METHODS);
    return isStatelessVersion(head.headers.get(VERSION_HEADER)) ? refuseMethod("POST") : undefined;
  }

  #route(head: HttpHead, body: string | undefined, visit: Visit): void {
    const page = this.#findPage(head.path);
    if (page !== undefined) return visit.answer(page);
    const admission = this.#takeAdmission(head);
    if (!(admission instanceof Promise)) return this.#serve(admission, head, body, visit);
    admission.then((told) => this.#serve(told, head, body, visit))
      .catch((error) => this.#fail(error, visit));
  }

  #serve(admission: Admission, head: HttpHead, body: string | undefined, visit: Visit): void {
    const { door, metrics, legacy } = this.#options;
    if (this.#isDenied(admission, visit)) return;
    // Those who look after the server want to know most when its clients ask for too much.
    if (head.path === METRICS_PATH) {
      const headers = { "content-type": "text/plain; version=0.0.4" };
      return visit.answer({ status: 200, headers, body: metrics.toText() });
    }
    const { owner } = admission;
    const caller = { owner, client: owner === "" ? head.peer : owner };
    if (this.#isDenied(door.admitClient(caller.client), visit)) return;
    if (head.method === "POST") {
      if (head.path === MCP_PATH) this.#post(head, caller, body, visit);
      else legacy?.post(head, owner, body, visit);
    } else if (head.method === "DELETE" || this.#enter(caller, "stream", visit)) {
      if (head.path === MCP_PATH) this.#handshake.visit(head, owner, visit);
      else legacy?.open(head, owner, visit);
    }
  }

  /** Asks who a request is from; tells it if that is known at once. */
  #ask(head: HttpHead): Admission | undefined {
    const admission = this.#options.door.admitOwner(head);
    this.#asked.set(head, admission);
    if (!(admission instanceof Promise)) return admission;
    // Who waits for it hears of it.
    admission.catch(() => {});
    return undefined;
  }

  /** Who a request is from, as it was asked when its head was there. */
  #takeAdmission(head: HttpHead): Eventually<Admission> {
    const { door } = this.#options;
    const asked = door.isOpen ? undefined : this.#asked.get(head);
    // The next request may have the same head.
    if (asked !== undefined) this.#asked.delete(head);
    return asked ?? door.admitOwner(head);
  }

  #isDenied(admission: Admission | undefined, visit: Visit): admission is Denial {
    if (admission?.kind !== "denied") return false;
    this.#options.metrics.deny(admission.reason);
    visit.answer(admission.answer);
    return true;
  }

  /**
   * Counts a request in until it is over; false when its client has too much under way, which it is told, with the id of
   * the JSON-RPC request where one was read.
   */
  #enter({ client }: Caller, holding: Holding, visit: Visit, id?: RequestId): boolean {
    const { door } = this.#options;
    if (this.#isDenied(door.enter(client, holding, id), visit)) return false;
    visit.onOver = () => door.leave(client, holding);
    return true;
  }

  #post(head: HttpHead, caller: Caller, body: string | undefined, visit: Visit): void {
    const { owner } = caller;
    if (body === undefined) return visit.answer(this.#handshake.refuse("UTF-8", head, owner));
    const parsed = parseLine(body, this.#options.gateway.limits);
    if (parsed.kind === "blank" || parsed.kind === "malformed") {
      return visit.answer(this.#handshake.refuse("JSON", head, owner));
    }
    // What gets no answer is over at once, and may be what makes room.
    const holding = "method" in parsed && parsed.method === LISTEN ? "stream" : "request";
    if (isAnswered(parsed) && !this.#enter(caller, holding, visit, idOf(parsed))) return;
    const accepts = parseAccept(head.headers.get("accept"));
    const post = { head, owner, length: body.length, visit, accepts };
    if (parsed.kind === "request" && isOfStatelessWire(parsed, head)) {
      return this.#stateless.post(parsed, post);
    }
    this.#handshake.post(parsed, post);
  }

  #fail(error: unknown, visit: Visit): void {
    const told = toRpcError(error, this.#options.gateway.log);
    visit.answer({ status: 500, headers: JSON_HEADERS, body: errorText(undefined, told) });
  }

  /** What anyone may read. */
  #findPage(path: string): HttpAnswer | undefined {
    if (path === "/healthz") return this.#health();
    const { metadata } = this.#options;
    if (metadata === undefined || (path !== METADATA_PATH && path !== METADATA_PATH + MCP_PATH)) {
      return undefined;
    }
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(metadata) };
  }

  #health(): HttpAnswer {
    const draining = this.#closing.signal.aborted;
    const body = JSON.stringify({ status: draining ? "draining" : "ok" });
    return { status: draining ? 503 : 200, headers: JSON_HEADERS, body };
  }

  #sweep(): void {
    const { sessions } = this.#handshake;
    sessions.sweep(performance.now());
    sessions.keepAlive();
    this.#stateless.keepAlive();
    this.#options.legacy?.keepAlive();
  }
}

/** Who sends a request. */
interface Caller {
  /** Whose token it carries. */
  readonly owner: string;
  /** Who it counts for. */
  readonly client: string;
}

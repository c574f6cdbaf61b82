// One HTTP endpoint for both wires: tells each request's wire, and hands it to the session or the work it belongs to.

import {
  errorText,
  type Parsed,
  parseLine,
  type Request,
  type RequestId,
} from "../jsonrpc/message.ts";
import { VERSION_HEADER } from "../mcp/http_header.ts";
import type { HttpAnswer, HttpHandler, HttpHead, HttpReply } from "../transport/http.ts";
import { toRpcError } from "./log.ts";
import { parseEventId } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";
import type { Holding } from "./http_clients.ts";
import type { Admission, Door } from "./http_door.ts";
import type { LegacyEvents } from "./http_legacy.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { parseAccept } from "./http_post.ts";
import {
  idOf,
  isStatelessVersion,
  JSON_HEADERS,
  refusal,
  refuse,
  refuseAccept,
  refuseBody,
  refuseBusy,
  refuseMethod,
  refuseVersion,
  refuseWithoutSession,
  screenPost,
  SESSION_HEADER,
  SESSION_MISSING,
  SESSION_UNKNOWN,
} from "./http_refusal.ts";
import { type HttpSession, isAnswered, negotiates } from "./http_session.ts";
import { HttpSessions } from "./http_sessions.ts";
import { isOfStatelessWire, type Posted, StatelessPosts } from "./http_stateless.ts";
import { crossOrigin, preflight, Visit } from "./http_visit.ts";
import type { Metrics } from "./metrics.ts";
import type { SessionStore } from "./store.ts";

/** What an endpoint is made of. */
export interface HttpEndpointOptions {
  readonly gateway: Gateway;
  readonly door: Door;
  readonly store: SessionStore;
  readonly limits: EndpointLimits;
  /** The most sessions that one owner may have. */
  readonly maxSessionsPerOwner: number;
  readonly metrics: Metrics;
  /** Serves HTTP+SSE of 2024-11-05 too. */
  readonly legacy?: LegacyEvents;
}

/** Where MCP is spoken. */
export const MCP_PATH = "/mcp";

const METHODS = "GET, POST, DELETE, OPTIONS";
const CROWDED = "Server busy: too many sessions; try again later";

/** Answers HTTP requests. */
export class HttpEndpoint implements HttpHandler, Disposable {
  readonly sessions: HttpSessions;
  readonly #options: HttpEndpointOptions;
  readonly #stateless: StatelessPosts;
  readonly #closing = new AbortController();
  readonly #sweeper: ReturnType<typeof setInterval>;

  /** Starts with no session. */
  constructor(options: HttpEndpointOptions) {
    this.#options = options;
    this.sessions = new HttpSessions(options);
    this.#stateless = new StatelessPosts(options.gateway, this.#closing.signal);
    // A request that has just begun is left alone the first time.
    this.#sweeper = setInterval(() => this.#sweep(), options.limits.keepAliveMs / 2);
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
    const visit = new Visit({ http: reply, crossing: crossOrigin(head) });
    try {
      this.#route(head, body, visit);
    } catch (error) {
      this.#fail(error, visit);
    }
  }

  /** Takes nothing new, and waits for what is under way, at most the grace period. */
  async drain(): Promise<void> {
    this.#closing.abort();
    const { legacy } = this.#options;
    await Promise.all([this.sessions.drain(), this.#stateless.drain(), legacy?.drain()]);
  }

  /** Ends everything. */
  [Symbol.dispose](): void {
    clearInterval(this.#sweeper);
    this.#closing.abort();
    this.sessions[Symbol.dispose]();
    this.#options.legacy?.[Symbol.dispose]();
  }

  #screenPath(head: HttpHead): HttpAnswer | undefined {
    const { door, metrics, legacy } = this.#options;
    const { path, method } = head;
    const reads = method === "GET" || method === "HEAD";
    if (path === "/healthz") return reads ? undefined : refuseMethod("GET");
    if (path !== MCP_PATH && path !== "/metrics" && legacy?.serves(path) !== true) {
      return refusal(404, `there is nothing here; MCP is spoken at ${MCP_PATH}`);
    }
    const admission = door.admitToken(head);
    if (admission.kind === "denied") {
      metrics.deny(admission.reason);
      return admission.answer;
    }
    if (path === "/metrics") return reads ? undefined : refuseMethod("GET");
    if (method === "POST") return screenPost(head);
    if (path !== MCP_PATH) return legacy?.screen(head);
    if (method !== "GET" && method !== "DELETE") return refuseMethod(METHODS);
    return isStatelessVersion(head.headers.get(VERSION_HEADER)) ? refuseMethod("POST") : undefined;
  }

  #route(head: HttpHead, body: string | undefined, visit: Visit): void {
    const { door, metrics, legacy } = this.#options;
    if (head.path === "/healthz") return visit.answer(this.#health());
    const admission = door.admitToken(head);
    if (admission.kind === "denied") return visit.answer(admission.answer);
    // Those who look after the server want to know most when its clients ask for too much.
    if (head.path === "/metrics") {
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
      if (head.path === MCP_PATH) this.#visit(head, owner, visit);
      else legacy?.open(head, owner, visit);
    }
  }

  #isDenied(admission: Admission | undefined, visit: Visit): boolean {
    if (admission?.kind !== "denied") return false;
    this.#options.metrics.deny(admission.reason);
    visit.answer(admission.answer);
    return true;
  }

  /** Counts a request in until it is over; false when its client has too much under way, which it is told. */
  #enter({ client }: Caller, holding: Holding, visit: Visit): boolean {
    const { door } = this.#options;
    if (this.#isDenied(door.enter(client, holding), visit)) return false;
    visit.onOver = () => door.leave(client, holding);
    return true;
  }

  #post(head: HttpHead, caller: Caller, body: string | undefined, visit: Visit): void {
    if (body === undefined) return visit.answer(refuseBody(head, "UTF-8"));
    const parsed = parseLine(body, this.#options.gateway.limits);
    if (parsed.kind === "blank" || parsed.kind === "malformed") {
      return visit.answer(refuseBody(head, "JSON"));
    }
    // What gets no answer is over at once, and may be what makes room.
    if (isAnswered(parsed) && !this.#enter(caller, "request", visit)) return;
    const accepts = parseAccept(head.headers.get("accept"));
    const post = { head, owner: caller.owner, length: body.length, visit, accepts };
    if (parsed.kind === "request" && isOfStatelessWire(parsed, head)) {
      return this.#stateless.post(parsed, post);
    }
    this.#postHandshake(parsed, post);
  }

  #postHandshake(parsed: Exclude<Parsed, { kind: "blank" }>, post: Posted): void {
    const { head, owner, length, visit, accepts } = post;
    // A client of the stateless wire has no session, whatever else it says.
    const isStateless = isStatelessVersion(head.headers.get(VERSION_HEADER));
    const id = isStateless ? undefined : head.headers.get(SESSION_HEADER);
    const request = { http: visit, accepts };
    if (id === undefined) {
      if (parsed.kind === "request" && parsed.method === "initialize") {
        return this.#initialize(parsed, post);
      }
      return visit.answer(refuseWithoutSession(parsed, head));
    }
    const unsupported = refuseVersion(head, idOf(parsed));
    if (unsupported !== undefined) return visit.answer(unsupported);
    this.#withSession({ id, owner, visit, request: idOf(parsed) }, (session) => {
      session.post(parsed, length, request);
      if (negotiates(parsed)) this.sessions.save(session);
    });
  }

  #initialize(request: Request, { owner, length, visit, accepts }: Posted): void {
    if (this.#closing.signal.aborted) {
      return visit.answer(refuseBusy(request.id, "Server shutting down"));
    }
    const session = this.sessions.open(owner);
    if (session === undefined) return visit.answer(refuseBusy(request.id, CROWDED));
    session.post(request, length, { http: visit, accepts });
    if (session.record === undefined) this.sessions.end(session);
    else this.sessions.keep(session);
  }

  /** GET opens or resumes a stream, DELETE ends the session. */
  #visit(head: HttpHead, owner: string, visit: Visit): void {
    const id = head.headers.get(SESSION_HEADER);
    if (id === undefined) return visit.answer(refusal(400, SESSION_MISSING));
    const unsupported = refuseVersion(head);
    if (unsupported !== undefined) return visit.answer(unsupported);
    const accepts = parseAccept(head.headers.get("accept"));
    if (head.method === "GET" && !accepts.events) {
      return visit.answer(refuseAccept("text/event-stream"));
    }
    this.#withSession({ id, owner, visit }, async (session) => {
      if (head.method === "DELETE") {
        await this.sessions.end(session);
        return visit.answer({ status: 204 });
      }
      const request = { http: visit, accepts };
      const last = head.headers.get("last-event-id");
      if (last === undefined || last === "") return session.listen(request);
      const position = parseEventId(last);
      const end = position === undefined ? "lost" : await session.resume(position, request);
      // As the HTML standard has it, 204 ends a client's attempts to reconnect.
      if (end === "over") return visit.answer({ status: 204 });
      if (end === "resumed") return;
      visit.answer(refusal(404, "Event not found: it is no longer kept; start a new session"));
    });
  }

  #withSession(
    { id, owner, visit, request }: SessionCall,
    use: (session: HttpSession) => void | Promise<void>,
  ): void {
    const take = (session: HttpSession | "full" | undefined) => {
      if (session === "full") return visit.answer(refuseBusy(request, CROWDED));
      if (session === undefined) return visit.answer(refuse(404, request, SESSION_UNKNOWN));
      return use(session);
    };
    const found = this.sessions.find(id, owner);
    const used = found instanceof Promise ? found.then(take) : take(found);
    if (used instanceof Promise) used.catch((error) => this.#fail(error, visit, request));
  }

  #fail(error: unknown, visit: Visit, id?: RequestId): void {
    const told = toRpcError(error, this.#options.gateway.log);
    visit.answer({ status: 500, headers: JSON_HEADERS, body: errorText(id, told) });
  }

  #health(): HttpAnswer {
    const draining = this.#closing.signal.aborted;
    const body = JSON.stringify({ status: draining ? "draining" : "ok" });
    return { status: draining ? 503 : 200, headers: JSON_HEADERS, body };
  }

  #sweep(): void {
    this.sessions.sweep(performance.now());
    this.sessions.keepAlive();
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

/** One HTTP request that belongs to a session. */
interface SessionCall {
  readonly id: string;
  readonly owner: string;
  readonly visit: Visit;
  /** The id of the JSON-RPC request in it, where one was read. */
  readonly request?: RequestId | undefined;
}

// Requests of the handshake wire over HTTP: each goes to the session it names, or begins one.

import { errorText, type Parsed, type Request, type RequestId } from "../jsonrpc/message.ts";
import { VERSION_HEADER } from "../mcp/http_header.ts";
import type { HttpAnswer, HttpHead } from "../transport/http.ts";
import { parseEventId } from "./event_stream.ts";
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
  refuseVersion,
  refuseWithoutSession,
  SESSION_HEADER,
  SESSION_MISSING,
  SESSION_UNKNOWN,
} from "./http_refusal.ts";
import { type HttpSession, negotiates } from "./http_session.ts";
import { HttpSessions, type HttpSessionsOptions } from "./http_sessions.ts";
import type { Posted } from "./http_stateless.ts";
import type { Visit } from "./http_visit.ts";
import { toRpcError } from "./log.ts";

const CROWDED = "Server busy: too many sessions; try again later";

/** One HTTP request that belongs to a session. */
interface SessionCall {
  readonly id: string;
  readonly owner: string;
  readonly visit: Visit;
  /** The id of the JSON-RPC request in it, where one was read. */
  readonly request?: RequestId | undefined;
}

/** Finds the sessions that requests belong to. */
export class HandshakeRequests {
  readonly sessions: HttpSessions;
  readonly #options: HttpSessionsOptions;
  readonly #closing: AbortSignal;

  /** Opens no session any more when `closing` aborts. */
  constructor(options: HttpSessionsOptions, closing: AbortSignal) {
    this.sessions = new HttpSessions(options);
    this.#options = options;
    this.#closing = closing;
  }

  /** Takes what a POST holds. */
  post(parsed: Exclude<Parsed, { kind: "blank" }>, post: Posted): void {
    const { head, owner, length, visit, accepts } = post;
    // A client of the stateless wire has no session, whatever else it says.
    const isStateless = isStatelessVersion(head.headers.get(VERSION_HEADER));
    const id = isStateless ? undefined : head.headers.get(SESSION_HEADER);
    if (id === undefined) {
      if (parsed.kind === "request" && parsed.method === "initialize") {
        return this.#initialize(parsed, post);
      }
      return visit.answer(refuseWithoutSession(parsed, head));
    }
    const unsupported = refuseVersion(head, idOf(parsed));
    if (unsupported !== undefined) return visit.answer(unsupported);
    this.#withSession({ id, owner, visit, request: idOf(parsed) }, (session) => {
      session.post(parsed, length, { http: visit, accepts });
      if (negotiates(parsed)) this.sessions.save(session);
    });
  }

  /** Refuses a body that cannot be read. */
  refuse(kind: "UTF-8" | "JSON", { headers }: HttpHead, owner: string): HttpAnswer {
    return refuseBody(kind, this.sessions.revisionOf(headers.get(SESSION_HEADER) ?? "", owner));
  }

  /** GET opens or resumes a stream, DELETE ends the session. */
  visit(head: HttpHead, owner: string, visit: Visit): void {
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

  #initialize(request: Request, { owner, length, visit, accepts }: Posted): void {
    if (this.#closing.aborted) {
      return visit.answer(refuseBusy(request.id, "Server shutting down"));
    }
    const session = this.sessions.open(owner);
    if (session === undefined) return visit.answer(refuseBusy(request.id, CROWDED));
    session.post(request, length, { http: visit, accepts });
    if (session.record === undefined) this.sessions.end(session);
    else this.sessions.keep(session);
  }

  #withSession(
    { id, owner, visit, request }: SessionCall,
    use: (session: HttpSession) => void | Promise<void>,
  ): void {
    const take = (session: HttpSession | "full" | undefined) => {
      if (session === "full") return visit.answer(refuseBusy(request, CROWDED));
      if (session === undefined || session.isEnded) {
        return visit.answer(refuse(404, request, SESSION_UNKNOWN));
      }
      return use(session);
    };
    const found = this.sessions.find(id, owner);
    const used = found instanceof Promise ? found.then(take) : take(found);
    if (used instanceof Promise) used.catch((error) => this.#fail(error, visit, request));
  }

  #fail(error: unknown, visit: Visit, id: RequestId | undefined): void {
    const told = toRpcError(error, this.#options.gateway.log);
    visit.answer({ status: 500, headers: JSON_HEADERS, body: errorText(id, told) });
  }
}

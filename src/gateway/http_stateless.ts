// POSTs of the stateless wire: headers that repeat the body are compared with it, and a client that leaves has canceled.

import { errorText, INVALID_PARAMS, isObject, type Request } from "../jsonrpc/message.ts";
import { checkHeaders, checkParamHeaders, VERSION_HEADER } from "../mcp/http_header.ts";
import type { Result } from "../mcp/model.ts";
import { HANDSHAKE_REVISIONS } from "../mcp/revision.ts";
import type { HttpHead } from "../transport/http.ts";
import { toRpcError } from "./log.ts";
import { type Exchange, runExchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { type Acceptance, PostReply, statelessStatus } from "./http_post.ts";
import { isStatelessVersion, JSON_HEADERS, refuseAccept, SESSION_HEADER } from "./http_refusal.ts";
import type { Visit } from "./http_visit.ts";
import { settlesWithin } from "./limits.ts";
import { Roster, type Seat } from "./roster.ts";
import { isStatelessRequest, prepareStateless } from "./stateless.ts";
import type { Workroom } from "./workroom.ts";

/** One POST, its body aside. */
export interface Posted {
  readonly head: HttpHead;
  /** Whose token it carries. */
  readonly owner: string;
  /** Characters of the body. */
  readonly length: number;
  readonly visit: Visit;
  readonly accepts: Acceptance;
}

/** Whether a request is of the stateless wire: by itself, or by a version header that no session explains. */
export function isOfStatelessWire(request: Request, { headers }: HttpHead): boolean {
  const version = headers.get(VERSION_HEADER);
  if (isStatelessRequest(request, headers.has(SESSION_HEADER)) || isStatelessVersion(version)) {
    return true;
  }
  const isUnknown = version !== undefined &&
    !HANDSHAKE_REVISIONS.some((revision) => revision === version);
  return isUnknown && !headers.has(SESSION_HEADER) && request.method !== "initialize";
}

/** A request under way. */
interface OpenPost {
  readonly reply: PostReply;
  readonly exchange: Exchange;
}

/** Why a request ends that outlasts the grace period. */
const STOPPING = "the server is shutting down";

/** Answers requests that bring all that is known about their client. */
export class StatelessPosts {
  readonly #gateway: Gateway;
  readonly #closing: AbortSignal;
  readonly #open = new Roster<OpenPost>();
  #idle: PromiseWithResolvers<void> | undefined;

  /** Listening ends with a proper answer when `closing` aborts. */
  constructor(gateway: Gateway, closing: AbortSignal) {
    this.#gateway = gateway;
    this.#closing = closing;
  }

  /** Answers one. */
  post(request: Request, { head, visit, accepts, length, owner }: Posted): void {
    const gateway = this.#gateway;
    const reply = new PostReply({
      http: visit,
      accepts,
      headers: () => JSON_HEADERS,
      statusOf: statelessStatus,
      finish: () => this.#finish(seat),
    });
    let seat: Seat<OpenPost> | undefined;
    try {
      checkHeaders(request, head.headers);
      const port = { outlet: reply, reply, length, owner };
      const { exchange, run } = prepareStateless(gateway, request, {
        port,
        closing: this.#closing,
      });
      if (request.method === "subscriptions/listen" && !accepts.events) {
        return visit.answer(refuseAccept("text/event-stream", request.id));
      }
      seat = this.#open.add({ reply, exchange });
      visit.onGone(() => exchange.cancel("the client has disconnected"));
      runExchange(gateway, { exchange, run: this.#toChecked(request, head, run) }, ignore);
    } catch (error) {
      const told = toRpcError(error, gateway.log);
      // Nothing ran yet: what is wrong is the request's own metadata.
      const status = told.code === INVALID_PARAMS ? 400 : statelessStatus(told);
      visit.answer({ status, headers: JSON_HEADERS, body: errorText(request.id, told) });
    }
  }

  /** Shows clients that their requests are still worked on. */
  keepAlive(): void {
    for (const { reply } of this.#open.values()) reply.keepAlive();
  }

  /** Waits for what is under way, at most the grace period, then cancels the rest. */
  async drain(): Promise<void> {
    if (this.#open.size === 0) return;
    this.#idle = Promise.withResolvers<void>();
    await settlesWithin(this.#idle.promise, this.#gateway.limits.graceMs);
    for (const { exchange } of this.#open.values()) exchange.abort(STOPPING);
  }

  /** Of its own, because functions of one scope keep what any of them needs: those above live as long as the answer. */
  #toChecked(
    request: Request,
    head: HttpHead,
    run: () => Result | Promise<Result>,
  ): () => Result | Promise<Result> {
    return request.method === "tools/call" ? () => this.#checkParams(request, head, run) : run;
  }

  #finish(seat: Seat<OpenPost> | undefined): void {
    if (seat !== undefined) this.#open.delete(seat);
    if (this.#open.size === 0) this.#idle?.resolve();
  }

  /** Compares the headers that a tool declares with its arguments, before it runs. */
  #checkParams(
    request: Request,
    head: HttpHead,
    run: () => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const check = ({ catalog }: Workroom) => {
      const { name, arguments: given } = isObject(request.params) ? request.params : {};
      const entry = typeof name === "string" ? catalog.find(name) : undefined;
      if (entry !== undefined && entry.headers.length > 0) {
        checkParamHeaders(entry.headers, isObject(given) ? given : {}, head.headers);
      }
      return run();
    };
    const { workroom } = this.#gateway;
    return workroom instanceof Promise ? workroom.then(check) : check(workroom);
  }
}

function ignore(): void {}

// POSTs of the stateless wire: headers that repeat the body are compared with it, and a client that leaves has canceled.

import {
  errorText,
  INVALID_PARAMS,
  isObject,
  type Request,
  type RpcError,
} from "../jsonrpc/message.ts";
import { checkHeaders, checkParamHeaders, VERSION_HEADER } from "../mcp/http_header.ts";
import { HANDSHAKE_REVISIONS } from "../mcp/revision.ts";
import type { Catalog } from "../router/catalog.ts";
import type { HttpHead } from "../transport/http.ts";
import { toRpcError } from "./log.ts";
import { type Prepared, runExchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { type Acceptance, type PostHost, PostReply, statelessStatus } from "./http_post.ts";
import { isStatelessVersion, JSON_HEADERS, refuseAccept, SESSION_HEADER } from "./http_refusal.ts";
import type { Visit } from "./http_visit.ts";
import { settlesWithin } from "./limits.ts";
import { Roster } from "./roster.ts";
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

/** Why a request ends that outlasts the grace period. */
const STOPPING = "the server is shutting down";

/** Answers requests that bring all that is known about their client. */
export class StatelessPosts implements PostHost {
  readonly headers = JSON_HEADERS;
  readonly #gateway: Gateway;
  readonly #closing: AbortSignal;
  readonly #open = new Roster<PostReply>();
  #idle: PromiseWithResolvers<void> | undefined;

  /** Listening ends with a proper answer when `closing` aborts. */
  constructor(gateway: Gateway, closing: AbortSignal) {
    this.#gateway = gateway;
    this.#closing = closing;
  }

  /** Answers one. */
  post(request: Request, { head, visit, accepts, length, owner }: Posted): void {
    const gateway = this.#gateway;
    const reply = new PostReply(visit, accepts, this);
    try {
      checkHeaders(request, head.headers);
      const port = { outlet: reply, reply, length, owner };
      const prepared = prepareStateless(gateway, request, { port, closing: this.#closing });
      if (request.method === "subscriptions/listen" && !accepts.events) {
        return visit.answer(refuseAccept("text/event-stream", request.id));
      }
      const checked = request.method === "tools/call"
        ? this.#check(request, head, prepared)
        : prepared;
      const { exchange } = prepared;
      reply.exchange = exchange;
      reply.seat = this.#open.add(reply);
      visit.onGone(() => exchange.cancel("the client has disconnected"));
      runExchange(gateway, checked, ignore);
    } catch (error) {
      const told = toRpcError(error, gateway.log);
      // Nothing ran yet: what is wrong is the request's own metadata.
      const status = told.code === INVALID_PARAMS ? 400 : statelessStatus(told);
      visit.answer({ status, headers: JSON_HEADERS, body: errorText(request.id, told) });
    }
  }

  /** The HTTP status of an error. */
  statusOf(error: RpcError): number {
    return statelessStatus(error);
  }

  /** A request is answered. */
  finish({ seat }: PostReply): void {
    if (seat !== undefined) this.#open.delete(seat);
    if (this.#open.size === 0) this.#idle?.resolve();
  }

  /** Shows clients that their requests are still worked on. */
  keepAlive(): void {
    for (const reply of this.#open.values()) reply.keepAlive();
  }

  /** Waits for what is under way, at most the grace period, then cancels the rest. */
  async drain(): Promise<void> {
    if (this.#open.size === 0) return;
    this.#idle = Promise.withResolvers<void>();
    await settlesWithin(this.#idle.promise, this.#gateway.limits.graceMs);
    for (const { exchange } of this.#open.values()) exchange?.abort(STOPPING);
  }

  /** Compares the headers that a tool declares with its arguments, before it runs: at once, where its tools are known. */
  #check(request: Request, { headers }: HttpHead, prepared: Prepared): Prepared {
    const { workroom } = this.#gateway;
    if (!(workroom instanceof Promise)) {
      checkArguments(request, headers, workroom.catalog);
      return prepared;
    }
    const { exchange, run } = prepared;
    const checked = ({ catalog }: Workroom) => {
      checkArguments(request, headers, catalog);
      return run();
    };
    return { exchange, run: () => workroom.then(checked) };
  }
}

/**
 * Compares the headers that a tool declares with its arguments.
 *
 * @throws RpcError -32020 for a missing, malformed or different header.
 */
function checkArguments(
  { params }: Request,
  headers: ReadonlyMap<string, string>,
  catalog: Catalog,
): void {
  const { name, arguments: given } = isObject(params) ? params : {};
  const entry = typeof name === "string" ? catalog.find(name) : undefined;
  if (entry === undefined || entry.headers.length === 0) return;
  checkParamHeaders(entry.headers, isObject(given) ? given : {}, headers);
}

function ignore(): void {}

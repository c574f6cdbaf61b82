// The answer to one POST: JSON, unless something must be told before the result or the client takes nothing but events;
// then a stream of events, of which the result is the last.

import {
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RequestId,
  type RpcError,
} from "../jsonrpc/message.ts";
import { HEADER_MISMATCH } from "../mcp/http_header.ts";
import { MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from "../mcp/params.ts";
import type { HttpReply } from "../transport/http.ts";
import type { Outlet } from "../transport/outlet.ts";
import { EVENT_STREAM_HEADERS, eventText, KEEP_ALIVE } from "./event_stream.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Seat } from "./roster.ts";

/** Which kinds of answer a client takes. */
export interface Acceptance {
  readonly json: boolean;
  readonly events: boolean;
  /** It takes both and names events first. */
  readonly prefersEvents: boolean;
}

/** A type that the client names only to say that it does not take it. */
const REFUSED = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/;

const BOTH: Acceptance = { json: true, events: true, prefersEvents: false };

/** Reads `Accept`; a client that sends none takes anything. */
export function parseAccept(header: string | undefined): Acceptance {
  if (header === undefined || header === "application/json, text/event-stream") return BOTH;
  const types = header.toLowerCase().split(",").filter((type) => !REFUSED.test(type))
    .map((type) => type.split(";")[0]?.trim());
  const find = (...names: string[]) => types.findIndex((type) => names.includes(type ?? ""));
  const json = find("application/json", "application/*", "*/*");
  const events = find("text/event-stream", "text/*", "*/*");
  return { json: json >= 0, events: events >= 0, prefersEvents: events >= 0 && events < json };
}

/** A stream of events under way. */
export interface EventChannel extends Outlet {
  end(): void;
  keepAlive(): void;
  /** Ends the connection; the client comes back for the rest. Only of a channel that is kept. */
  release?(retryMs: number): void;
}

/** What the answers to POSTs of one kind have in common. */
export interface PostHost {
  /** Headers of an answer, besides its type; read when it begins. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status of an error that is known before anything was sent. */
  statusOf(error: RpcError): number;
  /** Opens a stream of events that is kept; one that lives as long as the connection, unless given. */
  openChannel?(http: HttpReply): EventChannel;
  /** An answer is complete. */
  finish(reply: PostReply): void;
}

/** Takes what one request has to say. */
export class PostReply implements Outlet, Reply {
  /** Its host's: the place among the open ones, and what is being answered. */
  seat: Seat<PostReply> | undefined;
  exchange: Exchange | undefined;
  readonly #http: HttpReply;
  readonly #accepts: Acceptance;
  readonly #host: PostHost;
  #channel: EventChannel | undefined;
  #done = false;
  #isAged = false;

  /** Begins with nothing sent. */
  constructor(http: HttpReply, accepts: Acceptance, host: PostHost) {
    this.#http = http;
    this.#accepts = accepts;
    this.#host = host;
  }

  /** Whether the answer is complete. */
  get isDone(): boolean {
    return this.#done;
  }

  /** Sends a message before the answer. A client that takes no events does without. */
  send(text: string): void {
    if (!this.#done && this.#accepts.events) this.begin().send(text);
  }

  /** Waits for the client to take what was sent. */
  ready(): Promise<void> | undefined {
    return this.#channel?.ready();
  }

  /** Begins the stream of events, if it has not begun. */
  begin(): EventChannel {
    return this.#channel ??= this.#host.openChannel?.(this.#http) ?? this.#openPlain();
  }

  /** Lets the client go; it comes back for the answer. */
  detach(retryMs: number): void {
    if (!this.#done && this.#accepts.events) this.begin().release?.(retryMs);
  }

  /**
   * Shows a client that takes events, and whoever stands between, that the request is still worked on. One that is
   * younger than the time between two calls of this may still be answered as JSON.
   */
  keepAlive(): void {
    const isYoung = !this.#isAged && this.#channel === undefined;
    this.#isAged = true;
    if (!isYoung && !this.#done && this.#accepts.events) this.begin().keepAlive();
  }

  /** Sends the answer. */
  answer(text: string, _id: RequestId | undefined, error?: RpcError): void {
    if (this.#done) return;
    const host = this.#host;
    const { json, prefersEvents } = this.#accepts;
    const status = error === undefined ? 200 : host.statusOf(error);
    // Only a stream that is kept has something over JSON: it can be resumed.
    const takesJson = json && !(prefersEvents && host.openChannel !== undefined);
    if (this.#channel === undefined && (takesJson || status !== 200)) {
      this.#http.answer({ status, headers: host.headers, body: text });
    } else {
      const channel = this.begin();
      channel.send(text);
      channel.end();
    }
    this.#finish();
  }

  /** There will be no answer here: its request is answered elsewhere. */
  abandon(): void {
    if (!this.#done) this.#finish();
  }

  /** There is no answer: the client wants it no more. */
  skip(): void {
    if (this.#done) return;
    // A stream that is begun only to end would be taken for a broken one, and asked for again.
    if (this.#channel === undefined) this.#http.answer({ status: 202 });
    else this.#channel.end();
    this.#finish();
  }

  #finish(): void {
    this.#done = true;
    this.#host.finish(this);
  }

  #openPlain(): EventChannel {
    const headers = { ...this.#host.headers, ...EVENT_STREAM_HEADERS };
    const sink = this.#http.stream({ status: 200, headers });
    return {
      send: (text) => sink.send(eventText(text)),
      ready: () => sink.ready(),
      keepAlive: () => sink.send(KEEP_ALIVE),
      end: () => sink.end(),
    };
  }
}

/** The HTTP status of an error on the stateless wire, where it comes while the request runs. */
export function statelessStatus(error: RpcError): number {
  switch (error.code) {
    case METHOD_NOT_FOUND:
      return 404;
    case PARSE_ERROR:
    case INVALID_REQUEST:
    case HEADER_MISMATCH:
    case MISSING_CLIENT_CAPABILITY:
    case UNSUPPORTED_PROTOCOL_VERSION:
      return 400;
    default:
      return 200;
  }
}

/** The HTTP status of an error on the handshake wire: all but what is no message at all is told in the body alone. */
export function handshakeStatus(error: RpcError): number {
  return error.code === PARSE_ERROR || error.code === INVALID_REQUEST ? 400 : 200;
}

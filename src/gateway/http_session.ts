// One client of the handshake wire over HTTP: a connection that is spread over many requests, and the streams of events
// that go to it.

import type { Message, Parsed, RpcError } from "../jsonrpc/message.ts";
import type { HttpReply, HttpStream } from "../transport/http.ts";
import { Connection } from "./connection.ts";
import {
  EVENT_STREAM_HEADERS,
  type EventPosition,
  EventStream,
  type Resumption,
  RETRY_MS,
} from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";
import {
  type Acceptance,
  type EventChannel,
  handshakeStatus,
  type PostHost,
  PostReply,
} from "./http_post.ts";
import { JSON_HEADERS, SESSION_HEADER } from "./http_refusal.ts";
import { Roster } from "./roster.ts";
import type { SessionRecord, SessionStore } from "./store.ts";

/** What a session is made of. */
export interface HttpSessionOptions {
  readonly id: string;
  readonly owner: string;
  readonly gateway: Gateway;
  readonly store: SessionStore;
  /** Ends the names of its streams, so that none has the same where the session is opened again, here or elsewhere. */
  readonly suffix: string;
}

/** One request of a session. */
export interface SessionRequest {
  readonly http: HttpReply;
  readonly accepts: Acceptance;
}

/** Begins the name of a stream that belongs to no request, and of no other. */
const GENERAL = "0";

/** Messages of a session that change what is known about its client. */
const NEGOTIATING: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Serves one client over many HTTP requests. */
export class HttpSession implements PostHost, Disposable {
  readonly id: string;
  readonly owner: string;
  readonly connection: Connection;
  readonly #options: HttpSessionOptions;
  /** Of every answer, once there is a session to come back to. */
  readonly #headers: Readonly<Record<string, string>>;
  readonly #jsonHeaders: Readonly<Record<string, string>>;
  readonly #general: EventStream;
  /** Streams that have not ended, or that the store does not have yet, by name. */
  readonly #streams = new Map<string, EventStream>();
  readonly #posts = new Roster<PostReply>();
  #nextStream = 1;
  #isListening = false;
  #lastUse = performance.now();
  #isUsed = false;
  #isEnded = false;
  /** What the store was last told of it, or told. */
  known: SessionRecord | undefined;
  /** Whether the store was seen to have it. */
  isKept = false;

  /** Starts before the handshake. */
  constructor(options: HttpSessionOptions) {
    this.id = options.id;
    this.owner = options.owner;
    this.#options = options;
    this.#headers = { [SESSION_HEADER]: options.id };
    this.#jsonHeaders = Object.freeze({ ...this.#headers, ...JSON_HEADERS });
    this.#general = this.#createStream(GENERAL + options.suffix);
    this.connection = new Connection(options.gateway, {
      // Until the client listens there is nobody to tell: it will ask for the lists anyway.
      send: (text) => this.#isListening && this.#general.send(text),
      ready: () => this.#general.ready(),
    });
  }

  /** Milliseconds for which nothing was heard of the client, as far as earlier looks can tell. */
  idleSince(now: number): number {
    const busy = this.#isUsed || this.#posts.size > 0 || this.connection.inFlight > 0 ||
      [...this.#streams.values()].some((stream) => stream.isAttached);
    this.#isUsed = false;
    if (busy) this.#lastUse = now;
    return now - this.#lastUse;
  }

  /** Whether it is over. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves when the store has every event so far; `undefined` when it has. */
  get kept(): Promise<void> | undefined {
    const waiting = [...this.#streams.values()].flatMap(({ kept }) => kept ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  }

  /** Whether the client never finished its handshake. */
  get isHalfOpen(): boolean {
    return this.connection.state?.ready !== true;
  }

  /** What another server would need to go on with it. */
  get record(): SessionRecord | undefined {
    const { state } = this.connection;
    return state === undefined ? undefined : { id: this.id, owner: this.owner, state };
  }

  /** Takes the body of a POST. */
  post(parsed: Exclude<Parsed, { kind: "blank" }>, length: number, request: SessionRequest): void {
    this.#isUsed = true;
    const post = new PostReply(request.http, request.accepts, this);
    post.seat = this.#posts.add(post);
    this.connection.take(parsed, {
      outlet: post,
      reply: post,
      length,
      owner: this.owner,
      detach: (retryMs) => this.#isPolling && post.detach(retryMs ?? RETRY_MS),
      // Without events there is no way to ask the client anything.
      ...(request.accepts.events ? {} : { capabilities: {} }),
    });
    if (post.isDone || isAnswered(parsed)) return;
    post.abandon();
    // A malformed response is all that is left to be refused without a word.
    const status = parsed.kind === "invalid" ? 400 : 202;
    request.http.answer({ status, headers: this.#headers });
  }

  /** Opens the stream of messages that belong to no request, in place of an earlier one. */
  listen({ http }: SessionRequest): void {
    this.#isUsed = true;
    this.#isListening = true;
    this.#attach(this.#general, http);
    if (this.#isPolling) this.#general.prime(RETRY_MS);
    else this.#general.keepAlive();
  }

  /** Goes on with a stream behind an event, unless events behind it are no longer kept or none will come. */
  async resume(position: EventPosition, { http }: SessionRequest): Promise<Resumption> {
    this.#isUsed = true;
    const live = this.#streams.get(position.stream);
    const isGeneral = position.stream.startsWith(GENERAL);
    // Whether a request of another server goes on that has said nothing yet cannot be told here.
    const isOwn = position.stream.endsWith(this.#options.suffix);
    if (!isGeneral && !isOwn && position.number === 0) return "lost";
    if (isGeneral) this.#isListening = true;
    const stream = live ?? this.#createStream(position.stream, { register: false });
    // What belongs to no request goes on here, wherever it began.
    const goesOn = isGeneral ? this.#general : live?.isEnded === true ? undefined : live;
    let sink: HttpStream | undefined;
    const open = () => sink = this.#open(http);
    const end = await stream.resume(position.number, { open, goesOn });
    // Told at once when the client has left meanwhile.
    http.onGone(() => sink === undefined || goesOn?.lose(sink));
    return end;
  }

  /** Of an answer; a client whose handshake failed has no session to come back to. */
  get headers(): Readonly<Record<string, string>> {
    return this.connection.revision === undefined ? JSON_HEADERS : this.#jsonHeaders;
  }

  /** The HTTP status of an error. */
  statusOf(error: RpcError): number {
    return handshakeStatus(error);
  }

  /** Begins a stream of events that answers a POST. */
  openChannel(http: HttpReply): EventChannel {
    const id = (this.#nextStream++).toString(36) + this.#options.suffix;
    const stream = this.#createStream(id);
    this.#attach(stream, http);
    if (this.#isPolling) stream.prime(RETRY_MS);
    return {
      send: (text) => stream.send(text),
      ready: () => stream.ready(),
      keepAlive: () => stream.keepAlive(),
      release: (retryMs) => stream.release(retryMs),
      end: () => this.#end(id, stream),
    };
  }

  /** A POST is answered. */
  finish({ seat }: PostReply): void {
    if (seat !== undefined) this.#posts.delete(seat);
  }

  /** Shows clients that their requests are still worked on. */
  keepAlive(): void {
    this.#general.keepAlive();
    for (const post of this.#posts.values()) post.keepAlive();
  }

  /** Cancels all that is under way and ends every stream. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.connection[Symbol.dispose]();
    for (const [id, stream] of this.#streams) this.#end(id, stream);
  }

  /** Whether the client knows that a stream may end before its answer. */
  get #isPolling(): boolean {
    return this.connection.revision === "2025-11-25";
  }

  /** Ends a stream, and forgets it when the store can tell all about it. */
  #end(id: string, stream: EventStream): void {
    stream.end();
    if (stream.kept === undefined) this.#streams.delete(id);
    else stream.kept.then(() => this.#streams.delete(id));
  }

  #attach(stream: EventStream, http: HttpReply): void {
    const sink = this.#open(http);
    stream.attach(sink);
    http.onGone(() => stream.lose(sink));
  }

  #open(http: HttpReply): HttpStream {
    return http.stream({ status: 200, headers: { ...this.#headers, ...EVENT_STREAM_HEADERS } });
  }

  #createStream(id: string, { register = true } = {}): EventStream {
    const stream = new EventStream({ session: this.id, id, store: this.#options.store });
    if (register) this.#streams.set(id, stream);
    return stream;
  }
}

/** Whether a body changes what is known about its client. */
export function negotiates(parsed: Exclude<Parsed, { kind: "blank" }>): boolean {
  if (parsed.kind === "batch") return parsed.messages.some(negotiates);
  return "method" in parsed && NEGOTIATING.has(parsed.method);
}

/** Whether anything in the body gets an answer of its own. */
export function isAnswered(parsed: Exclude<Parsed, { kind: "blank" }>): boolean {
  switch (parsed.kind) {
    case "malformed":
      return true;
    case "batch":
      return parsed.messages.some(hasAnswer);
    default:
      return hasAnswer(parsed);
  }
}

function hasAnswer(message: Message): boolean {
  return message.kind === "request" || (message.kind === "invalid" && message.reply);
}

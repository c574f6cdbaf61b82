// What the HTTP server promises to whoever answers its requests, and the bounds that it keeps. The server itself is
// `http_server.ts`; nothing here knows a socket.

/** The head of a request. */
export interface HttpHead {
  readonly method: string;
  /** The path of the target, percent-escapes left as they are; `*` for the whole server. */
  readonly path: string;
  /** What follows `?` in the target, or empty. */
  readonly query: string;
  /** By name in lower case; the values of a repeated field joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  /** The client's address, without its port. */
  readonly peer: string;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  /** Besides those that the server writes itself: `date`, `content-length`, `connection`. Frozen ones are read once. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the connection after it. */
  readonly close?: boolean;
}

/** The answer of a handler that broke its promise. */
export const BROKEN: HttpAnswer = { status: 500, close: true };

/** How an answer begins whose body is sent as it comes. */
export interface HttpStreamHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body that is sent as it comes. What is sent after its end, or to a client that has left, is dropped. */
export interface HttpStream {
  send(text: string): void;
  /** Resolves when the client has taken enough for more to be sent; `undefined` when it has already. */
  ready(): Promise<void> | undefined;
  end(): void;
}

/** Takes the one answer of a request; a second one is dropped. */
export interface HttpReply {
  answer(answer: HttpAnswer): void;
  stream(head: HttpStreamHead): HttpStream;
  /** Calls back, once, if the client leaves or stops reading for good before the answer is complete. */
  onGone(callback: () => void): void;
}

/** Decides about requests. */
export interface HttpHandler {
  /** Refuses a request by its head, before its body is read; `undefined` lets it in. */
  screen(head: HttpHead): HttpAnswer | undefined;
  /** Takes a request, to answer it exactly once, now or later; `body` is undefined when it is not valid UTF-8. */
  handle(head: HttpHead, body: string | undefined, reply: HttpReply): void;
  /** Hears of what the server has refused itself: no HTTP, too long, too slow, or no room for it. */
  refused?(status: number): void;
}

/** Bounds on clients. Times are kept by a clock that ticks at least four times in the shortest of them. */
export interface HttpLimits {
  /** Open at once; at the bound, the one that has waited for its client longest makes room. */
  readonly maxConnections: number;
  /** Of request line and fields together; over it 431. */
  readonly maxHeadBytes: number;
  /** Fields of one head; over it 431. */
  readonly maxHeaders: number;
  /** Of one body; over it 413. */
  readonly maxBodyBytes: number;
  /** Kept for unfinished bodies of all connections together; over it 503. */
  readonly maxBodiesBytes: number;
  /** From a request's first byte, or a connection's start, to the end of the head; over it 408. */
  readonly headMs: number;
  /** From the end of the head to the end of the body; over it 408. */
  readonly bodyMs: number;
  /** Between requests; over it the connection is closed. */
  readonly idleMs: number;
  /** Without a byte taken while some wait to be written; over it the connection is cut. */
  readonly stallMs: number;
  /** Text waiting to be written above which `ready()` waits, in UTF-16 units. */
  readonly maxBacklogLength: number;
  /** The same for all connections on which more than that waits; over it those that have stalled longest are cut. */
  readonly maxBacklogsLength: number;
}

/** The bounds unless others are asked for. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxConnections: 1024,
  maxHeadBytes: 16 * 1024,
  maxHeaders: 100,
  maxBodyBytes: 10 * 1024 * 1024,
  maxBodiesBytes: 256 * 1024 * 1024,
  headMs: 10_000,
  bodyMs: 30_000,
  idleMs: 60_000,
  stallMs: 60_000,
  maxBacklogLength: 256 * 1024,
  // A character of some texts takes two bytes.
  maxBacklogsLength: 128 * 1024 * 1024,
};

/** Where a server listens, and for whom. */
export interface HttpServerOptions {
  readonly hostname: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: HttpHandler;
  readonly limits?: Partial<HttpLimits>;
}

/** A server that listens. */
export interface HttpServer extends Disposable {
  readonly hostname: string;
  readonly port: number;
  /** Open connections now. */
  readonly connections: number;
  /** Stops accepting; connections between requests are closed, the others after their answer. */
  close(): void;
  /** Resolves when the server is closed and no connection is left. */
  readonly closed: Promise<void>;
  /** Stops accepting and cuts every connection. */
  [Symbol.dispose](): void;
}

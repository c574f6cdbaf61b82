// The HTTP server: accepts connections up to a bound, and one clock for all their time limits. Written over TCP
// because `Deno.serve` waits without end for half a head, has no bound on connections and dies of too many open files.

import {
  DEFAULT_HTTP_LIMITS,
  type HttpHandler,
  type HttpLimits,
  type HttpServer,
  type HttpServerOptions,
} from "./http.ts";
import { AnswerHeads } from "./http_answer.ts";
import { Backlogs } from "./http_backlogs.ts";
import { BodyBudget } from "./http_body.ts";
import { HttpConnection } from "./http_connection.ts";
import { findIdlest, findSlowest } from "./http_eviction.ts";
import type { HttpFloor } from "./http_floor.ts";
import type { HttpFault } from "./http_head.ts";
import { BodyLane } from "./http_lane.ts";
import { Turns } from "./turns.ts";

/** The clock's longest tick; the `Date` field follows it. */
const MAX_TICK_MS = 1_000;
/** Until the next try after the system has refused a connection, mostly for too many open files. */
const PAUSE_MS = 50;
/** Connections over the bound that are being told so; the next one takes the place of the oldest. */
const MAX_TURNED_AWAY = 16;

/**
 * Open connections above which each waits for its turn to read. Between two looks at the system Deno reads at most 128
 * times, first for those it heard of last: of more busy clients, some would wait while others are served 100 times.
 */
const CROWD = 100;

/** How many requests that were sent ahead go between two looks: to serve one may take some milliseconds. */
const QUEUE_PER_LOOK = 8;
/** How long a body may take before it has to make way for others, where there is no room for all. */
const BODY_GRACE_MS = 2_000;
/** How long a client may take nothing before it counts as one that does not read. */
const STALLED_MS = 1_000;
/**
 * How long, and a look at the system, new connections are left before they have to make way: what their clients said
 * with them may not be read yet. The next ones wait as long, so that many who say nothing must not take long.
 */
const GREETING_MS = 10;

const FULL: HttpFault = {
  kind: "fault",
  status: 503,
  text: "All connections of the server are in use; try again in a moment",
};

/**
 * Listens for HTTP/1.1 requests and gives them to the handler.
 *
 * @throws {Deno.errors.AddrInUse} and whatever else the system has against the address
 */
export function listenHttp(options: HttpServerOptions): HttpServer {
  return new TcpHttpServer(options);
}

/** Whether a client was gone before it was accepted, which is no trouble of the server's. */
function hasLeft(error: unknown): boolean {
  return error instanceof Deno.errors.NotConnected ||
    error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted;
}

class TcpHttpServer implements HttpServer, HttpFloor {
  readonly handler: HttpHandler;
  readonly limits: HttpLimits;
  readonly budget: BodyBudget;
  readonly backlogs: Backlogs;
  readonly lane: BodyLane;
  readonly heads = new AnswerHeads();
  readonly queue = new Turns(QUEUE_PER_LOOK);
  tick = 0;
  phases = 0;
  date = new Date().toUTCString();
  isClosing = false;
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<HttpConnection>();
  readonly #turnedAway = new Set<HttpConnection>();
  readonly #turns = new Turns();
  readonly #looks = new Turns(1);
  /** Of connections whose first phase began before, what was sent with them has been looked for. */
  #greeted = 0;
  readonly #closed = Promise.withResolvers<void>();
  readonly #tickMs: number;
  /** The most connections that the system seems to allow. */
  #ceiling: number;
  readonly #clock: ReturnType<typeof setInterval>;
  #pause: { readonly timer: ReturnType<typeof setTimeout>; readonly end: () => void } | undefined;

  constructor({ hostname, port, handler, limits }: HttpServerOptions) {
    this.handler = handler;
    this.limits = { ...DEFAULT_HTTP_LIMITS, ...limits };
    this.#ceiling = this.limits.maxConnections;
    this.budget = new BodyBudget(this.limits.maxBodiesBytes, () => this.#evictBody());
    this.lane = new BodyLane(this.budget);
    this.backlogs = new Backlogs({
      least: this.limits.maxBacklogLength,
      most: this.limits.maxBacklogsLength,
      hasStalled: (since) => this.isOver(since, STALLED_MS),
    });
    this.#listener = Deno.listen({ hostname, port });
    const { headMs, bodyMs, idleMs, stallMs } = this.limits;
    this.#tickMs = Math.min(MAX_TICK_MS, Math.ceil(Math.min(headMs, bodyMs, idleMs, stallMs) / 4));
    this.#clock = setInterval(() => this.#sweep(), this.#tickMs);
    this.#accept();
  }

  get hostname(): string {
    return this.#listener.addr.hostname;
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  get connections(): number {
    return this.#connections.size + this.#turnedAway.size;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.#listener.close();
    this.#endPause();
    for (const connection of this.#connections) connection.retire();
    this.#settle();
  }

  [Symbol.dispose](): void {
    this.close();
    for (const connection of [...this.#connections, ...this.#turnedAway]) connection.cut();
  }

  isOver(since: number, milliseconds: number): boolean {
    // A tick may have been about to end when the time began.
    return this.tick - since > Math.ceil(milliseconds / this.#tickMs);
  }

  read(conn: Deno.TcpConn, room: Uint8Array, isPatient: boolean): Promise<number | null> {
    if (!isPatient || this.#connections.size <= CROWD) return conn.read(room);
    return this.#turns.next()?.then(() => conn.read(room)) ?? conn.read(room);
  }

  forget(connection: HttpConnection): void {
    this.#connections.delete(connection);
    this.#turnedAway.delete(connection);
    this.backlogs.forget(connection);
    this.#settle();
  }

  #settle(): void {
    if (!this.isClosing || this.connections > 0) return;
    clearInterval(this.#clock);
    this.#turns[Symbol.dispose]();
    this.#looks[Symbol.dispose]();
    this.lane[Symbol.dispose]();
    this.queue[Symbol.dispose]();
    this.#closed.resolve();
  }

  #sweep(): void {
    this.tick += 1;
    this.date = new Date().toUTCString();
    if (this.#ceiling < this.limits.maxConnections) this.#ceiling += 1;
    for (const connection of this.#connections) connection.sweep();
    for (const connection of this.#turnedAway) connection.sweep();
  }

  async #accept(): Promise<void> {
    while (!this.isClosing) {
      if (this.#isRushed()) {
        await this.#greet();
        continue;
      }
      try {
        this.#admit(await this.#listener.accept());
      } catch (error) {
        if (this.isClosing || hasLeft(error)) continue;
        this.#retreat();
        await this.#rest(PAUSE_MS);
      }
    }
  }

  #admit(conn: Deno.TcpConn): void {
    // The server may have been closed while the connection was handed over.
    if (this.isClosing) return conn.close();
    try {
      conn.setNoDelay(true);
    } catch {
      // The client has left again; the first read tells.
    }
    if (this.#makeRoom(this.#ceiling - 1)) this.#connections.add(new HttpConnection(conn, this));
    else this.#turnAway(conn);
  }

  /**
   * The system gives out no more connections: too many open files, mostly. Others in this process need some too, and
   * Deno itself dies without, so the server makes do with fewer than it has now, and tries for more little by little.
   */
  #retreat(): void {
    this.#ceiling = Math.max(1, Math.floor(this.#connections.size * 3 / 4));
    this.#makeRoom(this.#ceiling);
  }

  /** Closes connections that wait until at most so many are left; false when too many do not wait. */
  #makeRoom(count: number): boolean {
    while (this.#connections.size > count) {
      if (!this.#evict()) return false;
    }
    return true;
  }

  /** Tells a client that there is no place for it. */
  #turnAway(conn: Deno.TcpConn): void {
    if (this.#turnedAway.size >= MAX_TURNED_AWAY) {
      const [oldest] = this.#turnedAway;
      oldest?.cut();
    }
    const connection = new HttpConnection(conn, this);
    this.#turnedAway.add(connection);
    connection.refuse(FULL);
  }

  /** Closes the connection that has been waiting for its client the longest; false when none waits. */
  #evict(): boolean {
    const longest = findIdlest(this.#connections);
    longest?.cut();
    return longest !== undefined;
  }

  /** Whether there is no room but that of clients who have just come; the next ones wait with the system a moment. */
  #isRushed(): boolean {
    if (this.#connections.size < this.#ceiling) return false;
    const { newSince = -Infinity } = findIdlest(this.#connections) ?? {};
    return newSince >= this.#greeted;
  }

  /** Gives those who have just come the time to be heard. */
  async #greet(): Promise<void> {
    const present = this.phases;
    await this.#rest(GREETING_MS);
    await (this.#looks.next() ?? this.#looks.next());
    this.#greeted = present;
  }

  /** Cuts the body that has taken longest, if it is slow; false when none is. */
  #evictBody(): boolean {
    const isTooLong = (since: number) => this.isOver(since, BODY_GRACE_MS);
    const slowest = findSlowest(this.#connections, isTooLong);
    // An answer would have to wait until the client has seen it, and the memory of the body with it.
    slowest?.cut();
    return slowest !== undefined;
  }

  #rest(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = { timer: setTimeout(resolve, milliseconds), end: resolve };
    return promise;
  }

  #endPause(): void {
    clearTimeout(this.#pause?.timer);
    this.#pause?.end();
  }
}

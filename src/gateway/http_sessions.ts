// The sessions of an HTTP endpoint: opened by `initialize`, found by their id, ended by their client, by time, or to
// make room.

import type { Revision } from "../mcp/revision.ts";
import type { Gateway } from "./gateway.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { HttpSession } from "./http_session.ts";
import type { Eventually, SessionRecord, SessionStore } from "./store.ts";
import { patienceWith, reportTo } from "./sturdy_store.ts";
import { WriteQueue } from "./write_queue.ts";

/** What sessions are made with. */
export interface HttpSessionsOptions {
  readonly gateway: Gateway;
  readonly store: SessionStore;
  readonly limits: EndpointLimits;
  /** The most sessions that one owner may have. */
  readonly maxSessionsPerOwner: number;
}

/** The live sessions of this process. */
export class HttpSessions implements Disposable {
  readonly #options: HttpSessionsOptions;
  readonly #live = new Map<string, HttpSession>();
  /** What the store is told of sessions. */
  readonly #writes: WriteQueue;
  /** Sessions that go on elsewhere, until the store has their events. */
  readonly #leaving = new Set<Promise<void>>();
  /** When sessions were ended that a store may still find: a slow one, or one that failed to drop them. */
  readonly #ended = new Map<string, number>();
  #isClosed = false;

  /** Starts with none. */
  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    const { limits, log } = options.gateway;
    const patience = patienceWith(limits.storeTimeoutMs);
    this.#writes = new WriteQueue({ patience, report: reportTo(log) });
  }

  /** How many are open. */
  get size(): number {
    return this.#live.size;
  }

  /** Begins a session, which must be kept or ended; `undefined` when there are too many and none can give way. */
  open(owner: string): HttpSession | undefined {
    return this.#findRoom(owner) === undefined ? undefined : this.#create(createId(), owner);
  }

  /** Keeps a session whose handshake went well, in place of another if need be. */
  keep(session: HttpSession): void {
    const room = this.#findRoom(session.owner);
    if (room instanceof HttpSession) this.#retire(room);
    this.#live.set(session.id, session);
    this.save(session);
  }

  /** The revision of a session that is open here. */
  revisionOf(id: string, owner: string): Revision | undefined {
    const session = this.#live.get(id);
    return session?.owner === owner ? session.connection.revision : undefined;
  }

  /** The session with this id, if it is this owner's and no server has ended it; "full" if there is no room to go on. */
  find(id: string, owner: string): Eventually<HttpSession | "full" | undefined> {
    const wasKept = this.#live.get(id)?.isKept === true;
    const record = this.#options.store.find(id);
    const wasWriting = this.#writes.isOpen(id);
    if (!(record instanceof Promise)) {
      return this.#take(id, owner, { record, isFresh: !wasWriting, wasKept });
    }
    const known = this.#live.get(id)?.known;
    return record.then((found) => {
      // What was written while the store looked may be missing in what it found.
      const isFresh = !wasWriting && !this.#writes.isOpen(id) &&
        known === this.#live.get(id)?.known;
      return this.#take(id, owner, { record: found, isFresh, wasKept });
    });
  }

  /** Keeps what was negotiated, for the client's next request. */
  save(session: HttpSession): void {
    const { record } = session;
    if (record === undefined || session.isEnded) return;
    session.known = record;
    const { store } = this.#options;
    this.#writes.write(session.id, () => store.save(record));
  }

  /** Ends a session; its id is unknown from now on. */
  async end(session: HttpSession): Promise<void> {
    const { id } = session;
    this.#live.delete(id);
    session[Symbol.dispose]();
    this.#noteEnd(id);
    const { kept } = session;
    const { store } = this.#options;
    const drop = () => kept === undefined ? store.drop(id) : kept.then(() => store.drop(id));
    await this.#writes.write(id, drop, true);
  }

  /** Ends sessions whose clients have not been heard of for too long. */
  sweep(now: number): void {
    const { sessionIdleMs, handshakeMs } = this.#options.limits;
    for (const [id, endedAt] of this.#ended) {
      if (now - endedAt < FORGET_MS) break;
      this.#ended.delete(id);
    }
    for (const session of [...this.#live.values()]) {
      const idle = session.idleSince(now);
      if (idle > (session.isHalfOpen ? handshakeMs : sessionIdleMs)) this.#retire(session);
    }
  }

  /** Keeps quiet streams from being closed by whatever stands between. */
  keepAlive(): void {
    for (const session of this.#live.values()) session.keepAlive();
  }

  /** Waits for what is under way in every session, at most the grace period. */
  async drain(): Promise<void> {
    const sessions = [...this.#live.values()];
    await Promise.all(sessions.map(({ connection }) => connection.drain({ clientGone: false })));
  }

  /** Resolves when the store has taken all that it was told. */
  async written(): Promise<void> {
    await Promise.all([this.#writes.written(), ...this.#leaving]);
  }

  /** Ends every session here; the store keeps what another server may go on with. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const session of this.#live.values()) this.#leave(session);
  }

  /** Ends a session that nobody uses here: for good, unless it may be in use elsewhere. */
  #retire(session: HttpSession): void {
    if (this.#options.store.expires === true) this.#leave(session);
    else this.end(session);
  }

  #leave(session: HttpSession): void {
    this.#live.delete(session.id);
    session[Symbol.dispose]();
    this.#writes.leave(session.id);
    const leaving = session.kept?.then(() => void this.#leaving.delete(leaving!));
    if (leaving !== undefined) this.#leaving.add(leaving);
  }

  #noteEnd(id: string): void {
    this.#ended.set(id, performance.now());
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #take(id: string, owner: string, found: Found): HttpSession | "full" | undefined {
    if (this.#isClosed || this.#ended.has(id)) return undefined;
    const live = this.#live.get(id);
    if (live !== undefined) return this.#follow(live, owner, found);
    const { record } = found;
    if (record?.owner !== owner) return undefined;
    const room = this.#findRoom(owner);
    if (room === undefined) return "full";
    if (room instanceof HttpSession) this.#retire(room);
    const session = this.#create(id, owner);
    session.known = record;
    session.isKept = true;
    this.#live.set(id, session);
    session.connection.restore(record.state, owner);
    return session;
  }

  /** Goes on with a session that is open here; others may have changed or ended it. */
  #follow(live: HttpSession, owner: string, found: Found): HttpSession | undefined {
    const { record, isFresh, wasKept } = found;
    if (record === undefined && (isFresh || wasKept)) {
      this.end(live);
      return undefined;
    }
    live.isKept ||= record !== undefined;
    if (live.owner !== owner) return undefined;
    if (record !== undefined && isFresh && record !== live.known) {
      live.known = record;
      live.connection.restore(record.state, owner);
    }
    return live;
  }

  #create(id: string, owner: string): HttpSession {
    const { gateway, store } = this.#options;
    return new HttpSession({ id, owner, gateway, store, suffix: createSuffix() });
  }

  /** Where one more session of an owner fits, some being left to the others: in place of another, or beside all. */
  #findRoom(owner: string): HttpSession | "beside" | undefined {
    const { limits, maxSessionsPerOwner } = this.#options;
    if (this.#live.size < maxSessionsPerOwner) return "beside";
    const own = [...this.#live.values()].filter((session) => session.owner === owner);
    if (own.length >= maxSessionsPerOwner) return this.#findIdle(own);
    return this.#live.size < limits.maxSessions ? "beside" : this.#findIdle(this.#live.values());
  }

  /** The session that was idle longest, one without a finished handshake before all others; none that was just used. */
  #findIdle(sessions: Iterable<HttpSession>): HttpSession | undefined {
    const now = performance.now();
    const { evictAfterMs } = this.#options.limits;
    let chosen: HttpSession | undefined;
    let longest = -1;
    for (const session of sessions) {
      const idle = session.idleSince(now);
      const weight = session.isHalfOpen ? idle + HALF_OPEN_WEIGHT : idle;
      if (weight <= longest || (!session.isHalfOpen && idle < evictAfterMs)) continue;
      chosen = session;
      longest = weight;
    }
    return chosen;
  }
}

/** What a store has of a session, and whether that is all it was told. */
interface Found {
  readonly record: SessionRecord | undefined;
  readonly isFresh: boolean;
  /** Whether it was seen to have the session before. */
  readonly wasKept: boolean;
}

/** How long an answer of a store about a session that has ended may be under way, and how many are remembered. */
const FORGET_MS = 60_000;
const MAX_ENDED = 10_000;

/** Longer than any session is ever idle. */
const HALF_OPEN_WEIGHT = 1e12;

/** 192 random bits in visible ASCII. */
function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Five letters and digits: enough to tell a few openings of one session apart. */
function createSuffix(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (random % 36 ** 5).toString(36).padStart(5, "0");
}

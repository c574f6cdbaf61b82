// The sessions of an HTTP endpoint: opened by `initialize`, found by their id, ended by their client, by time, or to
// make room.

import type { Revision } from "../mcp/revision.ts";
import type { Gateway } from "./gateway.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { HttpSession } from "./http_session.ts";
import type { Eventually, SessionRecord, SessionStore } from "./store.ts";

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
  /** What the store is still doing for a session; each waits for the one before. */
  readonly #writes = new Map<string, Promise<void>>();
  /** Whether the store takes its time. */
  #isSlow = false;
  /** When sessions were ended that a slow store may still find. */
  readonly #ended = new Map<string, number>();
  readonly #suffix = createSuffix();

  /** Starts with none. */
  constructor(options: HttpSessionsOptions) {
    this.#options = options;
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
    if (room instanceof HttpSession) this.end(room);
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
    const record = this.#options.store.find(id);
    if (!(record instanceof Promise)) return this.#take(id, owner, record);
    this.#isSlow = true;
    return record.then((found) => this.#take(id, owner, found));
  }

  /** Keeps what was negotiated, for the client's next request. */
  save(session: HttpSession): void {
    const { record } = session;
    if (record !== undefined && !session.isEnded) {
      this.#write(session.id, (store) => store.save(record));
    }
  }

  /** Ends a session; its id is unknown from now on. */
  async end(session: HttpSession): Promise<void> {
    const { id } = session;
    this.#live.delete(id);
    session[Symbol.dispose]();
    const dropped = this.#write(id, (store) => store.drop(id));
    // Whoever asks a slow store meanwhile, or has asked before, may still find it there.
    if (dropped !== undefined || this.#isSlow) this.#ended.set(id, performance.now());
    await dropped;
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
      if (idle > (session.isHalfOpen ? handshakeMs : sessionIdleMs)) this.end(session);
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

  /** Ends every session. */
  [Symbol.dispose](): void {
    for (const session of this.#live.values()) session[Symbol.dispose]();
    this.#live.clear();
  }

  /** Changes what the store has of a session, now or after the change before. */
  #write(id: string, change: (store: SessionStore) => Eventually<void>): Promise<void> | undefined {
    const { store } = this.#options;
    const before = this.#writes.get(id);
    const changed = before === undefined ? change(store) : before.then(() => change(store));
    if (!(changed instanceof Promise)) return undefined;
    const written = changed.then(() => {
      if (this.#writes.get(id) === written) this.#writes.delete(id);
    });
    this.#writes.set(id, written);
    return written;
  }

  #take(
    id: string,
    owner: string,
    record: SessionRecord | undefined,
  ): HttpSession | "full" | undefined {
    if (this.#ended.has(id)) return undefined;
    const live = this.#live.get(id);
    if (record === undefined && live !== undefined && !this.#writes.has(id)) {
      this.#live.delete(id);
      live[Symbol.dispose]();
      return undefined;
    }
    if (live !== undefined) return live.owner === owner ? live : undefined;
    if (record?.owner !== owner) return undefined;
    const room = this.#findRoom(owner);
    if (room === undefined) return "full";
    if (room instanceof HttpSession) this.end(room);
    const session = this.#create(id, owner);
    this.#live.set(id, session);
    session.connection.restore(record.state, owner);
    return session;
  }

  #create(id: string, owner: string): HttpSession {
    const { gateway, store } = this.#options;
    return new HttpSession({ id, owner, gateway, store, suffix: this.#suffix });
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

/** How long an answer of a store about a session that has ended may be under way. */
const FORGET_MS = 60_000;

/** Longer than any session is ever idle. */
const HALF_OPEN_WEIGHT = 1e12;

/** 192 random bits in visible ASCII. */
function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Five letters and digits: enough to tell a few servers apart. */
function createSuffix(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (random % 36 ** 5).toString(36).padStart(5, "0");
}

// The sessions of an HTTP endpoint: opened by `initialize`, found by their id, ended by their client, by time, or to
// make room.

import type { Gateway } from "./gateway.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { HttpSession } from "./http_session.ts";
import { describeError } from "./log.ts";
import { shareOf } from "./slots.ts";
import type { Eventually, SessionRecord, SessionStore } from "./store.ts";

/** What sessions are made with. */
export interface HttpSessionsOptions {
  readonly gateway: Gateway;
  readonly store: SessionStore;
  readonly limits: EndpointLimits;
}

/** The live sessions of this process. */
export class HttpSessions implements Disposable {
  readonly #options: HttpSessionsOptions;
  readonly #live = new Map<string, HttpSession>();
  /** Sessions that the store has not taken yet. */
  readonly #saving = new Set<string>();
  readonly #suffix = createSuffix();

  /** Starts with none. */
  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** How many are open. */
  get size(): number {
    return this.#live.size;
  }

  /** Opens a session; `undefined` when there are too many and none can give way. */
  open(owner: string): HttpSession | undefined {
    return this.#hasRoomFor(owner) ? this.#add(createId(), owner) : undefined;
  }

  /** The session with this id, if it is this owner's and no server has ended it. */
  find(id: string, owner: string): Eventually<HttpSession | undefined> {
    const record = this.#options.store.find(id);
    return record instanceof Promise
      ? record.then((found) => this.#take(id, owner, found))
      : this.#take(id, owner, record);
  }

  /** Keeps what was negotiated, for the client's next request. */
  async save(session: HttpSession): Promise<void> {
    const { record } = session;
    if (record === undefined) return;
    this.#saving.add(session.id);
    await this.#report(this.#options.store.save(record));
    this.#saving.delete(session.id);
  }

  /** Ends a session; its id is unknown from now on. */
  async end(session: HttpSession): Promise<void> {
    this.#live.delete(session.id);
    session[Symbol.dispose]();
    await this.#report(this.#options.store.drop(session.id));
  }

  /** Ends sessions whose clients have not been heard of for too long. */
  sweep(now: number): void {
    const { sessionIdleMs, handshakeMs } = this.#options.limits;
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

  /** A store that fails costs other servers the session, not this one. */
  async #report(work: Eventually<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { log } = this.#options.gateway;
      log.write("error", "store_failed", { error: describeError(error) });
    }
  }

  #take(
    id: string,
    owner: string,
    record: SessionRecord | undefined,
  ): HttpSession | undefined {
    const live = this.#live.get(id);
    if (record === undefined && live !== undefined && !this.#saving.has(id)) {
      this.#live.delete(id);
      live[Symbol.dispose]();
      return undefined;
    }
    if (live !== undefined) return live.owner === owner ? live : undefined;
    if (record?.owner !== owner) return undefined;
    if (!this.#hasRoomFor(owner)) return undefined;
    const session = this.#add(id, owner);
    session.connection.restore(record.state);
    return session;
  }

  #add(id: string, owner: string): HttpSession {
    const { gateway, store } = this.#options;
    const suffix = this.#suffix;
    const session = new HttpSession({ id, owner, gateway, store, suffix });
    this.#live.set(id, session);
    return session;
  }

  /** Whether one more session of an owner fits, if need be in place of another; some are always left to the others. */
  #hasRoomFor(owner: string): boolean {
    const { maxSessions } = this.#options.limits;
    const share = owner === "" ? maxSessions : shareOf(maxSessions);
    if (this.#live.size < share) return true;
    const own = [...this.#live.values()].filter((session) => session.owner === owner);
    if (own.length >= share) return this.#makeRoom(own);
    return this.#live.size < maxSessions || this.#makeRoom(this.#live.values());
  }

  /** Ends the session that was idle longest, one without a finished handshake before all others. */
  #makeRoom(sessions: Iterable<HttpSession>): boolean {
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
    if (chosen === undefined) return false;
    this.end(chosen);
    return true;
  }
}

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

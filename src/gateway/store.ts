// What outlives one HTTP connection: who a session is with, and what it was sent. Behind an interface, so that several
// servers can share a store; this one is the memory of this process.

import type { JsonObject } from "../jsonrpc/message.ts";
import type { LogLevel } from "../mcp/params.ts";
import type { Revision } from "../mcp/revision.ts";
import { EventLog, type StoredEvent } from "./event_log.ts";
import type { TaskStore } from "./task_store.ts";

/** All that a server keeps between requests. What several servers share, each can go on with. */
export interface Store {
  readonly sessions: SessionStore;
  readonly tasks: TaskStore;
  /** A secret of at least 32 bytes: answers that a client carries from one server to another are sealed with it. */
  readonly stateKey: Uint8Array<ArrayBuffer>;
}

/** A value now, or a promise of it. */
export type Eventually<Value> = Value | Promise<Value>;

/** The negotiated state of a session as a value. */
export interface SessionState {
  readonly revision: Revision;
  readonly capabilities: JsonObject;
  readonly client: string;
  readonly ready: boolean;
  readonly logLevel: LogLevel;
  readonly subscriptions: readonly string[];
}

/** A session: whose it is, and what was negotiated. */
export interface SessionRecord {
  readonly id: string;
  /** Whose token opened it; empty where none is asked for. */
  readonly owner: string;
  readonly state: SessionState;
}

/** Where sessions and their events are kept. */
export interface SessionStore {
  /**
   * Whether it forgets by itself what was not asked for long. One that servers share should: a session that is idle at
   * one may be busy at another, so that none of them drops it unless its client ends it.
   */
  readonly expires?: boolean;
  /** Keeps a session, in place of what was kept under its id; in one step, so that `find` never misses it meanwhile. */
  save(record: SessionRecord): Eventually<void>;
  /** The session with this id. */
  find(id: string): Eventually<SessionRecord | undefined>;
  /** Forgets a session and its events. */
  drop(id: string): Eventually<void>;
  /** Keeps an event, for a client that comes back. */
  append(session: string, event: StoredEvent): Eventually<void>;
  /**
   * The events of a stream behind the given number, none of a stream that never had any; `undefined` when one of them is
   * no longer kept.
   */
  eventsAfter(
    session: string,
    stream: string,
    number: number,
  ): Eventually<readonly StoredEvent[] | undefined>;
}

/** How much is kept for clients that come back, in characters. */
export interface StoreLimits {
  readonly maxSessionLength: number;
  readonly maxLength: number;
}

interface Kept {
  record: SessionRecord | undefined;
  readonly events: EventLog;
}

/** Keeps sessions in memory; the oldest events make room for new ones. */
export class MemorySessionStore implements SessionStore {
  readonly #limits: StoreLimits;
  readonly #kept = new Map<string, Kept>();
  #length = 0;

  /** Starts empty. */
  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  /** Characters kept now. */
  get length(): number {
    return this.#length;
  }

  /** Keeps a session. */
  save(record: SessionRecord): void {
    this.#open(record.id).record = record;
  }

  /** The session with this id. */
  find(id: string): SessionRecord | undefined {
    return this.#kept.get(id)?.record;
  }

  /** Forgets a session and its events. */
  drop(id: string): void {
    this.#length -= this.#kept.get(id)?.events.length ?? 0;
    this.#kept.delete(id);
  }

  /** Keeps an event; leaves out the oldest where there is no room. */
  append(session: string, event: StoredEvent): void {
    const { events } = this.#open(session);
    const before = events.length;
    events.push(event);
    this.#length += events.length - before;
    const { maxSessionLength, maxLength } = this.#limits;
    while (events.length > maxSessionLength && events.size > 1) this.#length -= events.shift();
    while (this.#length > maxLength) {
      const largest = this.#findLargest();
      if (largest === undefined) break;
      // Down to half of it at most, then the largest may be another.
      const half = largest.length / 2;
      do this.#length -= largest.shift(); while (this.#length > maxLength && largest.length > half);
    }
  }

  /** The events of a stream behind the given number. */
  eventsAfter(session: string, stream: string, number: number): StoredEvent[] | undefined {
    return this.#kept.get(session)?.events.after(stream, number);
  }

  #open(id: string): Kept {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const kept: Kept = { record: undefined, events: new EventLog() };
    this.#kept.set(id, kept);
    return kept;
  }

  /** The session with most to give, if any has something. */
  #findLargest(): EventLog | undefined {
    let largest: EventLog | undefined;
    for (const { events } of this.#kept.values()) {
      if (events.length > (largest?.length ?? 0)) largest = events;
    }
    return largest;
  }
}

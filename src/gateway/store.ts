// What outlives one HTTP connection: who a session is with, and what it was sent. Behind an interface, so that several
// servers can share a store; this one is the memory of this process.

import type { JsonObject } from "../jsonrpc/message.ts";
import type { LogLevel } from "../mcp/params.ts";
import type { Revision } from "../mcp/revision.ts";
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

/** One event of a stream; numbers of a stream count up from 1 without gaps. */
export interface StoredEvent {
  readonly stream: string;
  readonly number: number;
  readonly text: string;
}

/** Where sessions and their events are kept. */
export interface SessionStore {
  /** Keeps a session, in place of what was kept under its id. */
  save(record: SessionRecord): Eventually<void>;
  /** The session with this id. */
  find(id: string): Eventually<SessionRecord | undefined>;
  /** Forgets a session and its events. */
  drop(id: string): Eventually<void>;
  /** Keeps an event, for a client that comes back. */
  append(session: string, event: StoredEvent): Eventually<void>;
  /** The events of a stream behind the given number; `undefined` when one of them is no longer kept. */
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

/** What an event costs besides its text. */
const EVENT_LENGTH = 64;

/** Streams of a session of which it is remembered how far they went. */
const MAX_STREAMS = 1024;

interface Kept {
  record: SessionRecord | undefined;
  events: StoredEvent[];
  length: number;
  /** The number of the last event of each stream, the latest streams last. */
  readonly last: Map<string, number>;
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
    this.#length -= this.#kept.get(id)?.length ?? 0;
    this.#kept.delete(id);
  }

  /** Keeps an event; leaves out the oldest where there is no room. */
  append(session: string, event: StoredEvent): void {
    const kept = this.#open(session);
    const length = event.text.length + EVENT_LENGTH;
    kept.events.push(event);
    remember(kept.last, event);
    kept.length += length;
    this.#length += length;
    while (kept.length > this.#limits.maxSessionLength && kept.events.length > 1) this.#shift(kept);
    while (this.#length > this.#limits.maxLength) {
      const largest = this.#findLargest();
      if (largest.events.length === 0) break;
      this.#shift(largest);
    }
  }

  /** The events of a stream behind the given number. */
  eventsAfter(session: string, stream: string, number: number): StoredEvent[] | undefined {
    const kept = this.#kept.get(session);
    const last = kept?.last.get(stream) ?? -1;
    const events = (kept?.events ?? []).filter((event) =>
      event.stream === stream && event.number > number
    );
    return number <= last && events.length === last - number ? events : undefined;
  }

  #open(id: string): Kept {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const kept: Kept = { record: undefined, events: [], length: 0, last: new Map() };
    this.#kept.set(id, kept);
    return kept;
  }

  #shift(kept: Kept): void {
    const event = kept.events.shift();
    if (event === undefined) return;
    const length = event.text.length + EVENT_LENGTH;
    kept.length -= length;
    this.#length -= length;
  }

  #findLargest(): Kept {
    let largest: Kept | undefined;
    for (const kept of this.#kept.values()) {
      if (largest === undefined || kept.length > largest.length) largest = kept;
    }
    return largest ?? { record: undefined, events: [], length: 0, last: new Map() };
  }
}

function remember(last: Map<string, number>, { stream, number }: StoredEvent): void {
  last.delete(stream);
  last.set(stream, number);
  const [oldest] = last.keys();
  if (last.size > MAX_STREAMS && oldest !== undefined) last.delete(oldest);
}

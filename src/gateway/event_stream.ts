// Server-sent events: one stream of a session, kept so that a client whose connection broke finds the rest of it.

import type { HttpStream } from "../transport/http.ts";
import type { Outlet } from "../transport/outlet.ts";
import type { SessionStore } from "./store.ts";

/** Headers of every stream of events. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** A comment that keeps what stands between from closing a quiet stream. */
export const KEEP_ALIVE = ": keep-alive\n\n";

/** When a client whose stream has ended should come back for the rest. */
export const RETRY_MS = 1000;

/** One message as an event; `id` lets a client resume behind it. */
export function eventText(message: string, id?: string): string {
  // A message is one line of JSON, so it is one line of data.
  return id === undefined
    ? `event: message\ndata: ${message}\n\n`
    : `event: message\nid: ${id}\ndata: ${message}\n\n`;
}

/** Where a client left off: the id of the last event it got. */
export interface EventPosition {
  readonly stream: string;
  readonly number: number;
}

/** Reads an event id; `undefined` when it cannot be one of ours. */
export function parseEventId(id: string): EventPosition | undefined {
  const match = /^([0-9a-z]{1,12})-(\d{1,12})$/.exec(id);
  const [, stream = "", number = ""] = match ?? [];
  return match === null ? undefined : { stream, number: Number(number) };
}

/** What became of a client's wish to go on with a stream. */
export type Resumption = "resumed" | "over" | "lost";

/** What a stream is made of. */
export interface EventStreamOptions {
  readonly session: string;
  /** Its name, unique in the session. */
  readonly id: string;
  readonly store: SessionStore;
}

/** Messages to one client in order: kept, and sent while a connection is attached. */
export class EventStream implements Outlet {
  readonly #options: EventStreamOptions;
  #sink: HttpStream | undefined;
  #number = 0;
  #kept: Promise<void> | undefined;
  #ended = false;

  /** Starts without a connection. */
  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Whether somebody listens now. */
  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether nothing more will come. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Resolves when the store has every event so far, or has failed to keep it in time; `undefined` when that is so. */
  get kept(): Promise<void> | undefined {
    return this.#kept;
  }

  /** Sends from now on to this connection; the one before is ended. */
  attach(sink: HttpStream): void {
    if (this.#sink !== sink) this.#sink?.end();
    this.#sink = sink;
  }

  /** The connection is gone; what comes is kept for the next one. */
  lose(sink: HttpStream): void {
    if (this.#sink === sink) this.#sink = undefined;
  }

  /** Tells the client where the stream goes on and when to come back, before any message (MCP 2025-11-25 transports). */
  prime(retryMs: number): void {
    this.#sink?.send(`id: ${this.#idOf(this.#number)}\nretry: ${retryMs}\ndata:\n\n`);
  }

  /** Keeps and sends one message. */
  send(text: string): void {
    if (this.#ended) return;
    const { session, id, store } = this.#options;
    this.#number += 1;
    const kept = store.append(session, { stream: id, number: this.#number, text });
    if (kept instanceof Promise) this.#awaitKept(kept);
    this.#sink?.send(eventText(text, this.#idOf(this.#number)));
  }

  /** Waits for the connection that is attached, if one is: nobody waits for a client that is away. */
  ready(): Promise<void> | undefined {
    return this.#sink?.ready();
  }

  /** A comment, if somebody listens. */
  keepAlive(): void {
    this.#sink?.send(KEEP_ALIVE);
  }

  /** Ends the connection but not the stream: the client comes back for the rest. */
  release(retryMs: number): void {
    this.#sink?.send(`retry: ${retryMs}\n\n`);
    this.#drop();
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true;
    this.#drop();
  }

  /**
   * Sends what came after `number`, then what comes on the stream that goes on, itself mostly; without one it ends
   * there. Opens nothing when some of it is no longer kept, or when nothing is left to come.
   */
  async resume(
    number: number,
    { open, goesOn }: { readonly open: () => HttpStream; readonly goesOn: EventStream | undefined },
  ): Promise<Resumption> {
    const last = goesOn ?? this;
    // What comes there while this one is read belongs to the client too.
    const joinedAt = last.#number;
    const line: { sink?: HttpStream } = {};
    const send = (text: string) => (line.sink ??= open()).send(text);
    let sent = await this.#catchUp(number, send, goesOn === this);
    if (sent !== undefined && last !== this) sent = joinedAt;
    // Between the last look and what follows nothing may come.
    while (sent !== undefined && sent < last.#number) {
      sent = await last.#catchUp(sent, send, goesOn !== undefined);
    }
    if (sent === undefined) {
      line.sink?.end();
      return line.sink === undefined ? "lost" : "resumed";
    }
    if (goesOn === undefined && line.sink === undefined) return "over";
    const sink = line.sink ?? open();
    if (goesOn === undefined || goesOn.#ended) sink.end();
    else goesOn.attach(sink);
    return "resumed";
  }

  /** Sends what is kept behind a number, and tells the last that was; `undefined` when some of it is missing. */
  async #catchUp(
    number: number,
    send: (text: string) => void,
    isLive: boolean,
  ): Promise<number | undefined> {
    const { session, id, store } = this.#options;
    const expected = this.#number;
    await this.#kept;
    const found = await store.eventsAfter(session, id, number);
    // A store may have failed to keep one; what comes behind a gap is not for who comes back. Of a stream that goes on
    // some may only be kept before what it follows: the next look finds both.
    const unbroken = found?.filter((event, index) => event.number === number + 1 + index) ?? [];
    const reached = number + unbroken.length;
    const isWhole = found === undefined
      ? isLive && number <= this.#number
      : isLive || unbroken.length === found.length;
    if (!isWhole || reached < expected) return undefined;
    for (const event of unbroken) send(eventText(event.text, this.#idOf(event.number)));
    return reached;
  }

  #awaitKept(kept: Promise<void>): void {
    const before = this.#kept;
    const work = before === undefined ? kept : before.then(() => kept);
    const all = work.then(() => {
      if (this.#kept === all) this.#kept = undefined;
    });
    this.#kept = all;
  }

  #drop(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }

  #idOf(number: number): string {
    return `${this.#options.id}-${number}`;
  }
}

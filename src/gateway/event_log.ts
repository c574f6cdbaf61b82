// The events of one session that are kept: oldest out first, found by stream and number, however many there are.

import { Roster } from "./roster.ts";

/** One event of a stream; numbers of a stream count up from 1 without gaps. */
export interface StoredEvent {
  readonly stream: string;
  readonly number: number;
  readonly text: string;
}

/** What an event costs besides its text: the objects around it, its stream's among them, are larger than most texts. */
const EVENT_LENGTH = 512;

/** Streams without kept events of which it is remembered how far they went. */
const MAX_PAST_STREAMS = 128;

/** Events that went out are cleared away together. */
const MAX_GONE = 64;

/** The kept events of a session. */
export class EventLog {
  /** Those that have kept events. */
  readonly #streams = new Map<string, StreamLog>();
  /** The number of the last event of other streams, the latest last. */
  readonly #past = new Map<string, number>();
  /** The stream of every kept event. */
  readonly #order = new Roster<string>();
  #length = 0;
  /** Whether it is not remembered of all streams how far they went. */
  #hasForgotten = false;

  /** Characters kept, with what each event costs besides. */
  get length(): number {
    return this.#length;
  }

  /** How many events are kept. */
  get size(): number {
    return this.#order.size;
  }

  /** Keeps an event. */
  push(event: StoredEvent): void {
    const stream = this.#streams.get(event.stream) ?? new StreamLog();
    this.#streams.set(event.stream, stream);
    this.#past.delete(event.stream);
    stream.push(event);
    this.#order.add(event.stream);
    this.#length += lengthOf(event);
  }

  /** Lets go of the oldest event; 0 when there is none, else what it cost. */
  shift(): number {
    const { first } = this.#order;
    const stream = first === undefined ? undefined : this.#streams.get(first.value);
    if (first === undefined || stream === undefined) return 0;
    this.#order.delete(first);
    const event = stream.shift();
    if (stream.size === 0) this.#retire(event);
    const length = lengthOf(event);
    this.#length -= length;
    return length;
  }

  /** The events of a stream behind the given number; `undefined` when one of them is no longer kept. */
  after(stream: string, number: number): StoredEvent[] | undefined {
    const kept = this.#streams.get(stream);
    if (kept !== undefined) return kept.after(number);
    const last = this.#past.get(stream) ?? (this.#hasForgotten ? undefined : 0);
    return last === number ? [] : undefined;
  }

  /** Remembers how far a stream went whose last kept event is gone. */
  #retire({ stream, number }: StoredEvent): void {
    this.#streams.delete(stream);
    this.#past.set(stream, number);
    const [oldest] = this.#past.keys();
    if (this.#past.size <= MAX_PAST_STREAMS || oldest === undefined) return;
    this.#past.delete(oldest);
    this.#hasForgotten = true;
  }
}

/** The kept events of one stream, whose numbers follow each other. */
class StreamLog {
  #events: (StoredEvent | undefined)[] = [];
  /** Of the events, how many are gone. */
  #gone = 0;
  #last = 0;

  get size(): number {
    return this.#events.length - this.#gone;
  }

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#last = event.number;
  }

  /** Lets go of the oldest; there must be one. */
  shift(): StoredEvent {
    const event = this.#events[this.#gone];
    if (event === undefined) throw new RangeError("The stream has no event");
    this.#events[this.#gone] = undefined;
    this.#gone += 1;
    if (this.#gone >= MAX_GONE && this.#gone * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#gone);
      this.#gone = 0;
    }
    return event;
  }

  after(number: number): StoredEvent[] | undefined {
    const wanted = this.#last - number;
    if (wanted < 0 || wanted > this.size) return undefined;
    return this.#events.slice(this.#events.length - wanted).filter((event) => event !== undefined);
  }
}

function lengthOf({ text }: StoredEvent): number {
  return text.length + EVENT_LENGTH;
}

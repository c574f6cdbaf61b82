// The events of one session that are kept: oldest out first, found by stream and number, however many there are.

import { Roster } from "./roster.ts";

/** One event of a stream; numbers of a stream count up from 1 without gaps. */
export interface StoredEvent {
  readonly stream: string;
  readonly number: number;
  readonly text: string;
}

/** What an event costs besides its text: the objects around it are larger than most of their texts. */
const EVENT_LENGTH = 256;

/** Streams of a session of which it is remembered how far they went. */
const MAX_STREAMS = 1024;

/** Events that went out are cleared away together. */
const MAX_GONE = 64;

/** The kept events of a session. */
export class EventLog {
  /** The latest streams last. */
  readonly #streams = new Map<string, StreamLog>();
  /** The stream of every kept event. */
  readonly #order = new Roster<StreamLog>();
  #length = 0;

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
    this.#streams.delete(event.stream);
    this.#streams.set(event.stream, stream);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > MAX_STREAMS && oldest !== undefined) this.#streams.delete(oldest);
    stream.push(event);
    this.#order.add(stream);
    this.#length += lengthOf(event);
  }

  /** Lets go of the oldest event; 0 when there is none, else what it cost. */
  shift(): number {
    const { first } = this.#order;
    if (first === undefined) return 0;
    this.#order.delete(first);
    const event = first.value.shift();
    const length = event === undefined ? 0 : lengthOf(event);
    this.#length -= length;
    return length;
  }

  /** The events of a stream behind the given number; `undefined` when one of them is no longer kept. */
  after(stream: string, number: number): StoredEvent[] | undefined {
    return this.#streams.get(stream)?.after(number);
  }
}

/** The kept events of one stream, whose numbers follow each other. */
class StreamLog {
  #events: StoredEvent[] = [];
  /** Of the events, how many are gone. */
  #gone = 0;
  #last = 0;

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#last = event.number;
  }

  shift(): StoredEvent | undefined {
    const event = this.#events[this.#gone];
    this.#gone += 1;
    if (this.#gone >= MAX_GONE && this.#gone * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#gone);
      this.#gone = 0;
    }
    return event;
  }

  after(number: number): StoredEvent[] | undefined {
    const kept = this.#events.length - this.#gone;
    const wanted = this.#last - number;
    if (wanted < 0 || wanted > kept) return undefined;
    return this.#events.slice(this.#events.length - wanted);
  }
}

function lengthOf({ text }: StoredEvent): number {
  return text.length + EVENT_LENGTH;
}

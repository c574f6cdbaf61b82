// A store that others wrote, and that may fail or never answer: what it could not keep costs a client its session or its
// way back, and nobody the server.

import type { StoredEvent } from "./event_log.ts";
import { answersWithin, type Patience } from "./limits.ts";
import { describeError, type Log } from "./log.ts";
import type { Eventually, SessionRecord, SessionStore } from "./store.ts";

/** How long a store of sessions is waited for. */
export function patienceWith(timeoutMs: number): Patience {
  return { who: "The store of sessions", timeoutMs };
}

/** Logs what a store of sessions could not keep. */
export function reportTo(log: Log): (error: unknown) => void {
  return (error) => log.write("error", "store_failed", { error: describeError(error) });
}

/** Reports what a store could not keep; only who asks it for something is told that it fails. */
export class SturdyStore implements SessionStore {
  readonly #store: SessionStore;
  readonly #patience: Patience;
  readonly #report: (error: unknown) => void;

  /** Keeps everything in the store given; one that takes longer than that fails. */
  constructor(store: SessionStore, log: Log, timeoutMs: number) {
    this.#store = store;
    this.#patience = patienceWith(timeoutMs);
    this.#report = reportTo(log);
  }

  /** Whether the store forgets sessions by itself. */
  get expires(): boolean {
    return this.#store.expires === true;
  }

  /** Keeps a session, if the store can, however late; a client whose session is not there has to begin anew. */
  save(record: SessionRecord): Eventually<void> {
    return this.#attempt(() => this.#store.save(record));
  }

  /** The session with this id; a promise that rejects where the store fails, however it does. */
  find(id: string): Eventually<SessionRecord | undefined> {
    try {
      const found = this.#store.find(id);
      return found instanceof Promise ? answersWithin(found, this.#patience) : found;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Forgets a session, if the store can, however late. */
  drop(id: string): Eventually<void> {
    return this.#attempt(() => this.#store.drop(id));
  }

  /** Keeps an event, if the store can; without it the stream cannot be resumed before it. */
  append(session: string, event: StoredEvent): Eventually<void> {
    return this.#attempt(() => {
      const kept = this.#store.append(session, event);
      return kept instanceof Promise ? answersWithin(kept, this.#patience) : kept;
    });
  }

  /** The events of a stream behind the given number; `undefined`, too, when the store cannot tell. */
  async eventsAfter(
    session: string,
    stream: string,
    number: number,
  ): Promise<readonly StoredEvent[] | undefined> {
    try {
      const events = this.#store.eventsAfter(session, stream, number);
      return await answersWithin(events, this.#patience);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #attempt(work: () => Eventually<void>): Eventually<void> {
    try {
      const done = work();
      return done instanceof Promise ? done.catch(this.#report) : done;
    } catch (error) {
      this.#report(error);
    }
  }
}

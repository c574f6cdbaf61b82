// A store that others wrote, and that may fail or never answer: what it could not keep costs a client its session or its
// way back, and nobody the server.

import type { StoredEvent } from "./event_log.ts";
import { answersWithin, type Patience } from "./limits.ts";
import { describeError, type Log } from "./log.ts";
import type { Eventually, SessionRecord, SessionStore } from "./store.ts";

/** Reports what a store could not keep; only who asks it for something is told that it fails. */
export class SturdyStore implements SessionStore {
  readonly #store: SessionStore;
  readonly #log: Log;
  readonly #patience: Patience;
  readonly #report = (error: unknown): void => {
    this.#log.write("error", "store_failed", { error: describeError(error) });
  };

  /** Keeps everything in the store given; one that takes longer than that fails. */
  constructor(store: SessionStore, log: Log, timeoutMs: number) {
    this.#store = store;
    this.#log = log;
    this.#patience = { who: "The store of sessions", timeoutMs };
  }

  /** Whether the store forgets sessions by itself. */
  get expires(): boolean {
    return this.#store.expires === true;
  }

  /** Keeps a session, if the store can; a client whose session is not there has to begin anew. */
  save(record: SessionRecord): Eventually<void> {
    return this.#attempt(() => this.#store.save(record), "however late");
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

  /** Forgets a session, if the store can. */
  drop(id: string): Eventually<void> {
    return this.#attempt(() => this.#store.drop(id), "however late");
  }

  /** Keeps an event, if the store can; without it the stream cannot be resumed before it. */
  append(session: string, event: StoredEvent): Eventually<void> {
    return this.#attempt(() => this.#store.append(session, event), "in time");
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

  /** Resolves in any case; `however late` where what is done next must not come before it. */
  #attempt(work: () => Eventually<void>, end: "in time" | "however late"): Eventually<void> {
    try {
      const done = work();
      if (!(done instanceof Promise)) return done;
      const reported = answersWithin(done, this.#patience).catch(this.#report);
      return end === "in time" ? reported : done.then(() => reported, () => reported);
    } catch (error) {
      this.#report(error);
    }
  }
}

// What takes a connection too long, and what becomes of it then. Only decides.

import type { HttpLimits } from "./http.ts";
import type { HttpFault } from "./http_head.ts";
import type { Phase } from "./http_phase.ts";

/** How long a client gets to see the last answer: long enough for a slow network. */
const LINGER_MS = 2_000;

/** How old a connection is, in ticks of the server's clock. */
export interface ConnectionAge {
  readonly phase: Phase;
  /** When the phase began. */
  readonly since: number;
  /** When its client last took something, if anything waits for it. */
  readonly writeSince: number | undefined;
  /** Since when nothing more is read, because so much was sent ahead. */
  readonly fullSince: number | undefined;
  /** Whether nothing of the next request has come. */
  readonly isEmpty: boolean;
}

/** A clock of ticks. */
export interface TickClock {
  readonly limits: HttpLimits;
  isOver(since: number, milliseconds: number): boolean;
}

const SLOW_HEAD: HttpFault = {
  kind: "fault",
  status: 408,
  text: "The request's head took too long",
};
const SLOW_BODY: HttpFault = {
  kind: "fault",
  status: 408,
  text: "The request's body took too long",
};

/** How to end a connection that took too long; `undefined` when it did not. */
export function judgeAge(age: ConnectionAge, clock: TickClock): HttpFault | "cut" | undefined {
  const { phase, since, writeSince, fullSince, isEmpty } = age;
  const { stallMs, headMs, bodyMs, idleMs } = clock.limits;
  const cutAfter = (from: number, ms: number) => clock.isOver(from, ms) ? "cut" : undefined;
  // A new write begins whenever the client has taken something.
  if (writeSince !== undefined && clock.isOver(writeSince, stallMs)) return "cut";
  // Until it has taken all, it is not waited for; but what it sends takes as long as it may.
  if (writeSince !== undefined && phase !== "head" && phase !== "body") return undefined;
  switch (phase) {
    case "idle":
      return cutAfter(since, idleMs);
    case "head":
      // Behind an answer that is still being taken, an empty line is no head yet.
      if (!clock.isOver(since, headMs) || (isEmpty && writeSince !== undefined)) return undefined;
      // A client that has not said a word waits for no answer: browsers open connections ahead of need.
      return isEmpty ? "cut" : SLOW_HEAD;
    case "body":
      return clock.isOver(since, bodyMs) ? SLOW_BODY : undefined;
    case "skip":
      return cutAfter(since, bodyMs);
    case "busy":
      // Whether a client is still there that is not read from cannot be told.
      return fullSince === undefined ? undefined : cutAfter(fullSince, bodyMs);
    case "lingering":
      return cutAfter(since, LINGER_MS);
    default:
      return undefined;
  }
}

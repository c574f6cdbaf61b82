// What all connections of an HTTP server have in common. Types only.

import type { HttpHandler, HttpLimits } from "./http.ts";
import type { Backlogged, Backlogs } from "./http_backlogs.ts";
import type { BodyBudget } from "./http_body.ts";
import type { BodyLane } from "./http_lane.ts";
import type { ReplyFloor } from "./http_reply.ts";
import type { Turns } from "./turns.ts";

/** What all connections of a server have in common. */
export interface HttpFloor extends ReplyFloor {
  readonly handler: HttpHandler;
  readonly limits: HttpLimits;
  readonly budget: BodyBudget;
  readonly backlogs: Backlogs;
  readonly lane: BodyLane;
  /** For requests that were sent ahead. */
  readonly queue: Turns;
  /** Counts up steadily; time limits are told in it. */
  readonly tick: number;
  /** Counts the phases of all connections, to tell which of two began first within a tick. */
  phases: number;
  /** Whether so much time has surely passed since a tick. */
  isOver(since: number, milliseconds: number): boolean;
  /** Reads from a connection; a patient one, which has had enough, waits for its turn in a crowd. */
  read(conn: Deno.TcpConn, room: Uint8Array, isPatient: boolean): Promise<number | null>;
  /** The connection is closed and holds nothing any more. */
  forget(connection: Backlogged): void;
}

// One connection without its server: the test keeps the clock, and knows of every read.

import {
  DEFAULT_HTTP_LIMITS,
  type HttpHandler,
  type HttpLimits,
} from "../../src/transport/http.ts";
import { AnswerHeads } from "../../src/transport/http_answer.ts";
import { Backlogs } from "../../src/transport/http_backlogs.ts";
import { BodyBudget } from "../../src/transport/http_body.ts";
import type { HttpFloor } from "../../src/transport/http_floor.ts";
import { BodyLane } from "../../src/transport/http_lane.ts";
import { Turns } from "../../src/transport/turns.ts";

/** What a connection shares with the others, if there were others. */
export class LedFloor implements HttpFloor, Disposable {
  readonly handler: HttpHandler;
  readonly limits: HttpLimits = DEFAULT_HTTP_LIMITS;
  readonly budget = new BodyBudget(DEFAULT_HTTP_LIMITS.maxBodiesBytes);
  readonly backlogs = new Backlogs({ least: Infinity, most: Infinity, hasStalled: () => true });
  readonly lane = new BodyLane(this.budget);
  readonly heads = new AnswerHeads();
  readonly queue = new Turns();
  readonly date = "now";
  readonly isClosing = false;
  /** The time in milliseconds; the test moves it on. */
  tick = 0;
  phases = 0;
  /** Called before each read. */
  onRead: (isPatient: boolean) => void = () => {};
  /** Called when a read has filled all the room there was. */
  onFull: () => void = () => {};
  /** Whether the connection was closed. */
  isForgotten = false;

  constructor(handler: HttpHandler) {
    this.handler = handler;
  }

  isOver(since: number, milliseconds: number): boolean {
    return this.tick - since > milliseconds;
  }

  async read(conn: Deno.TcpConn, room: Uint8Array, isPatient: boolean): Promise<number | null> {
    this.onRead(isPatient);
    const count = await conn.read(room);
    if (count === room.length) setImmediate(() => this.onFull());
    return count;
  }

  forget(): void {
    this.isForgotten = true;
  }

  [Symbol.dispose](): void {
    this.lane[Symbol.dispose]();
    this.queue[Symbol.dispose]();
  }
}

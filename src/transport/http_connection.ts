// One connection of the HTTP server: what arrives moves it from phase to phase, one request at a time. A read is always
// under way or waits for its turn, so that a client that leaves is noticed while its request is worked on.

import type { HttpAnswer } from "./http.ts";
import { NO_ROOM } from "./http_body.ts";
import type { HttpFloor } from "./http_floor.ts";
import type { HttpFault, RequestHead } from "./http_head.ts";
import { type Phase, WAITING } from "./http_phase.ts";
import { type ReplyLine, RequestReply, toAnswer, writeAnswer } from "./http_reply.ts";
import { RequestReader } from "./http_request.ts";
import { LineWriter } from "./lines.ts";

/** The longest body of a refused request that is read and dropped to keep the connection. */
const MAX_SKIPPED = 64 * 1024;
/** What a client may send between two turns in a crowd if it ends no request, and what a short read counts for. */
const TURN_BYTES = 128 * 1024;
const READ_BYTES = 16 * 1024;
/** How long a client gets to see the last answer: long enough for a slow network. */
const LINGER_MS = 2_000;

/** Serves one client. */
export class HttpConnection implements ReplyLine {
  /** What it shares with the others. */
  readonly floor: HttpFloor;
  /** Where its answers go. */
  readonly writer: LineWriter;
  readonly #conn: Deno.TcpConn;
  readonly #reader: RequestReader;
  #phase: Phase = "idle";
  /** When the write under way began. */
  writeSince = 0;
  /** When the phase began, also among all. */
  #since = 0;
  #order = 0;
  #isReading = false;
  /** When there was no room left to read more. */
  #fullSince = 0;
  #isStepping = false;
  #hasEnded = false;
  /** What it has had since its last turn, in bytes; a request counts for all that it may have. */
  #had = 0;
  #request: RequestHead | undefined;
  #reply: RequestReply | undefined;
  /** Bytes that came after the last answer. */
  #dropped = 0;
  readonly #onRead = (count: number | null): void => this.#take(count);
  readonly #onFailure = (): void => this.cut();

  /** Takes over the connection and waits for requests. */
  constructor(conn: Deno.TcpConn, floor: HttpFloor) {
    const { limits, budget } = floor;
    this.floor = floor;
    this.#conn = conn;
    this.#enter("head");
    this.#reader = new RequestReader({ limits, budget, peer: conn.remoteAddr.hostname });
    const write = (bytes: Uint8Array) => {
      this.writeSince = floor.tick;
      floor.backlogs.note(this);
      return conn.write(bytes);
    };
    const highWaterMark = limits.maxBacklogLength;
    this.writer = new LineWriter({ write }, { highWaterMark, reusesMemory: true });
    this.writer.broken.then(this.#onFailure);
    this.#read();
  }

  /** When, among all phases, it began to wait for its client; `undefined` when it owes an answer. */
  get waitsSince(): number | undefined {
    return WAITING.has(this.#phase) && this.writer.backlog === 0 ? this.#order : undefined;
  }

  /** Answers what cannot be taken, and ends: where the next request would begin is not known. */
  refuse(fault: HttpFault): boolean {
    this.#answer(toAnswer(fault), true);
    this.#finish();
    return true;
  }

  /** Ends it after the answer under way; now, when there is none. */
  retire(): void {
    const isBetween = this.#phase === "idle" || (this.#phase === "head" && this.#reader.isEmpty);
    if (!isBetween) return;
    if (this.writer.backlog === 0) this.cut();
    else this.#finish();
  }

  /** Ends what has taken too long. */
  sweep(): void {
    const { limits } = this.floor;
    if (this.writer.backlog > 0) {
      // A new write begins whenever the client has taken something.
      if (this.floor.isOver(this.writeSince, limits.stallMs)) this.cut();
    } else if (this.#phase === "head" && this.#isOver(limits.headMs)) {
      // A client that has not said a word waits for no answer: browsers open connections ahead of need.
      if (this.#reader.isEmpty) this.cut();
      else this.refuse({ kind: "fault", status: 408, text: "The request's head took too long" });
    } else if (this.#phase === "body" && this.#isOver(limits.bodyMs)) {
      this.refuse({ kind: "fault", status: 408, text: "The request's body took too long" });
    } else if (
      (this.#phase === "idle" && this.#isOver(limits.idleMs)) ||
      (this.#phase === "skip" && this.#isOver(limits.bodyMs)) ||
      // It sent so much ahead that nothing more is read, and whether it is still there cannot be told.
      (this.#phase === "busy" && !this.#isReading &&
        this.floor.isOver(this.#fullSince, limits.bodyMs)) ||
      (this.#phase === "lingering" && this.#isOver(LINGER_MS))
    ) this.cut();
  }

  /** Closes it now, whatever is under way. */
  cut(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    try {
      this.#conn.close();
    } catch {
      // The system has closed it already.
    }
    this.#reader.free();
    this.floor.forget(this);
    this.#reply?.leave();
  }

  /** The answer under way is complete. */
  complete(isLast: boolean): void {
    if (this.#phase !== "busy") return;
    this.#reply = undefined;
    if (isLast) this.#finish();
    else this.#rest();
    if (!this.#isStepping) this.#advance();
  }

  #isOver(milliseconds: number): boolean {
    return this.floor.isOver(this.#since, milliseconds);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#since = this.floor.tick;
    this.#order = this.floor.phases++;
  }

  #read(): void {
    if (this.#isReading || this.#phase === "closed" || this.#hasEnded) return;
    if (this.#dropped > this.floor.limits.maxBodyBytes) return;
    const room = this.#reader.room();
    if (room === undefined) {
      this.#fullSince = this.floor.tick;
      return;
    }
    this.#isReading = true;
    const isPatient = this.#had >= TURN_BYTES;
    if (isPatient) this.#had = 0;
    this.floor.read(this.#conn, room, isPatient).then(this.#onRead, this.#onFailure);
  }

  #take(count: number | null): void {
    this.#isReading = false;
    if (this.#phase === "closed") return;
    if (count !== null) {
      this.#had += Math.max(count, READ_BYTES);
      return this.#advance(count);
    }
    this.#hasEnded = true;
    // What is written already still goes out; a request that is being worked on has nobody to be answered to.
    if (this.#phase === "busy" || this.writer.backlog === 0) this.cut();
    else if (this.#phase !== "ending") this.#finish();
  }

  /** Goes on as far as what has arrived allows. */
  #advance(arrived = 0): void {
    this.#reader.fill(arrived);
    this.#isStepping = true;
    try {
      while (this.#step());
    } catch {
      // The handler broke its promise; its client learns no more than that.
      if (this.#reply?.isOpen === true) this.#reply.answer({ status: 500, close: true });
      else this.cut();
    }
    this.#isStepping = false;
    this.#read();
  }

  /** One step; whether another may follow. */
  #step(): boolean {
    switch (this.#phase) {
      case "idle":
        if (!this.#reader.isEmpty) this.#enter("head");
        return !this.#reader.isEmpty;
      case "head": {
        const head = this.#reader.readHead();
        if (head === undefined) return false;
        return head.kind === "fault" ? this.refuse(head) : this.#admit(head);
      }
      case "body": {
        const outcome = this.#reader.readBody();
        if (typeof outcome === "object") return this.refuse(outcome);
        return outcome && this.#serve();
      }
      case "skip":
        this.#had = TURN_BYTES;
        if (!this.#reader.skip()) return false;
        this.#rest();
        return true;
      case "ending":
      case "lingering":
        this.#dropped += this.#reader.drop();
        this.#had = TURN_BYTES;
        return false;
      default:
        return false;
    }
  }

  #admit(head: RequestHead): boolean {
    this.#request = head;
    const refusal = this.floor.handler.screen(head);
    if (refusal !== undefined) return this.#turnDown(head, refusal);
    const fault = this.#reader.beginBody(head);
    if (fault !== undefined) return this.refuse(fault);
    if (head.isWaiting && this.#reader.isEmpty) this.writer.write("HTTP/1.1 100 Continue\r\n\r\n");
    this.#enter("body");
    return true;
  }

  /** Answers a request by its head alone. Its body must still be got out of the way. */
  #turnDown(head: RequestHead, refusal: HttpAnswer): boolean {
    const { bodyLength } = head;
    const isLast = head.isLast || refusal.close === true || this.floor.isClosing ||
      head.isWaiting || bodyLength === "chunked" || bodyLength > MAX_SKIPPED;
    this.#had = TURN_BYTES;
    this.#answer(refusal, isLast);
    if (isLast) {
      this.#finish();
    } else {
      this.#reader.beginSkip(bodyLength);
      this.#enter("skip");
    }
    return true;
  }

  #serve(): boolean {
    const head = this.#request!;
    const body = this.#reader.takeBody();
    const reply = new RequestReply(this, head);
    this.#had = TURN_BYTES;
    this.#reply = reply;
    this.#enter("busy");
    const { handler, lane } = this.floor;
    const turn = lane.next(body?.length ?? 0);
    if (turn === undefined) handler.handle(head, body, reply);
    else if (turn === "full") reply.answer(toAnswer(NO_ROOM));
    else turn.then(() => reply.isOpen && handler.handle(head, body, reply)).catch(this.#onFailure);
    return true;
  }

  #answer(answer: HttpAnswer, isLast: boolean): void {
    const isBodiless = this.#request?.method === "HEAD";
    this.writer.write(writeAnswer(answer, { date: this.floor.date, isLast, isBodiless }));
  }

  /** Waits for the next request, but first until the client has taken enough of the answers. */
  #rest(): void {
    this.#request = undefined;
    const ready = this.writer.ready();
    if (ready !== undefined) {
      this.#enter("blocked");
      ready.then(() => {
        if (this.#phase !== "blocked") return;
        this.#rest();
        this.#advance();
      });
    } else if (this.floor.isClosing) this.#finish();
    else this.#enter("idle");
  }

  /**
   * Ends the connection when all is written. What the client still sends is taken and dropped for a while: to close
   * with unread bytes would throw away the answer that it has not read.
   */
  #finish(): void {
    this.#enter("ending");
    this.#reader.free();
    this.writer.flush().then(() => {
      if (this.#phase !== "ending") return;
      if (this.#hasEnded) return this.cut();
      this.#enter("lingering");
      this.#conn.closeWrite().catch(this.#onFailure);
    });
  }
}

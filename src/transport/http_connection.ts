// One connection of the HTTP server: what arrives moves it from phase to phase, one request at a time. A read is always
// under way or waits for its turn, so that a client that leaves is noticed while its request is worked on.

import { BROKEN, type HttpAnswer } from "./http.ts";
import { judgeAge } from "./http_age.ts";
import { AnswerEncoder, toAnswer, toSkipped, writeAnswer } from "./http_answer.ts";
import { NO_ROOM } from "./http_body.ts";
import type { HttpFloor } from "./http_floor.ts";
import type { HttpFault, RequestHead } from "./http_head.ts";
import { Intake } from "./http_intake.ts";
import { type Phase, WAITING } from "./http_phase.ts";
import { type ReplyLine, RequestReply } from "./http_reply.ts";
import { RequestReader } from "./http_request.ts";
import { LineWriter, type Writable } from "./lines.ts";

/** Serves one client. */
export class HttpConnection implements ReplyLine {
  /** What it shares with the others. */
  readonly floor: HttpFloor;
  /** Where its answers go. */
  readonly writer: LineWriter;
  readonly #conn: Deno.TcpConn;
  readonly #reader: RequestReader;
  readonly #intake: Intake;
  #phase: Phase = "idle";
  /** When the write under way began. */
  writeSince = 0;
  /** When the phase began, also among all. */
  #since = 0;
  #order = 0;
  /** Whether it is going on with what has arrived just now. */
  isStepping = false;
  /** Whether what comes next was sent before the last answer was complete. */
  #isAhead = false;
  #hasEnded = false;
  #request: RequestHead | undefined;
  #reply: RequestReply | undefined;
  /** Bytes that came after the last answer. */
  #dropped = 0;
  readonly #onFailure = (): void => this.cut();

  /** Takes over the connection and waits for requests. */
  constructor(conn: Deno.TcpConn, floor: HttpFloor) {
    const { limits, budget } = floor;
    this.floor = floor;
    this.#conn = conn;
    this.#enter("head");
    this.#reader = new RequestReader({ limits, budget, peer: conn.remoteAddr.hostname });
    const onRead = (count: number | null) => this.#take(count);
    const parts = { conn, reader: this.#reader, floor, onRead, onFailure: this.#onFailure };
    this.#intake = new Intake(parts);
    const write = (bytes: Uint8Array) => {
      this.writeSince = floor.tick;
      return conn.write(bytes);
    };
    const { encode } = new AnswerEncoder();
    this.writer = new LineWriter({ write }, { highWaterMark: limits.maxBacklogLength, encode });
    this.writer.broken.then(this.#onFailure);
    this.#read();
  }

  /** When, among all phases, it began to wait for its client; `undefined` when it owes an answer. */
  get waitsSince(): number | undefined {
    return WAITING.has(this.#phase) && this.writer.backlog === 0 ? this.#order : undefined;
  }

  /** When, among all phases, it was opened; `undefined` when something has come since. */
  get newSince(): number | undefined {
    return this.#phase === "head" && this.#reader.isEmpty ? this.#order : undefined;
  }

  /** Since when it has memory for a body, or for the rest of one that was refused; `undefined` when it has none. */
  get bodySince(): number | undefined {
    return this.#reader.hasBody ? this.#since : undefined;
  }

  /** Queues text for the client. */
  send(text: Writable, isNow = false): void {
    if (this.writer.backlog === 0) this.writeSince = this.floor.tick;
    this.writer.write(text, isNow);
    this.floor.backlogs.note(this);
  }

  /** Answers what cannot be taken, and ends: where the next request would begin is not known. */
  refuse(fault: HttpFault): boolean {
    this.floor.handler.refused?.(fault.status);
    return this.#endWith(toAnswer(fault));
  }

  /** Ends it after the answer under way; now, when there is none. */
  retire(): void {
    if (this.#phase !== "idle" && this.newSince === undefined) return;
    if (this.writer.backlog === 0) this.cut();
    else this.#finish();
  }

  /** Ends what has taken too long. */
  sweep(): void {
    const verdict = judgeAge({
      phase: this.#phase,
      since: this.#since,
      writeSince: this.writer.backlog > 0 ? this.writeSince : undefined,
      fullSince: this.#intake.fullSince,
      isEmpty: this.#reader.isEmpty,
    }, this.floor);
    if (verdict === "cut") this.cut();
    else if (verdict !== undefined) this.refuse(verdict);
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
    if (!this.isStepping) this.#advance();
  }

  #enter(phase: Phase): void {
    // To send something may have cut it.
    if (this.#phase === "closed") return;
    this.#phase = phase;
    this.#since = this.floor.tick;
    this.#order = this.floor.phases++;
  }

  #read(): void {
    if (this.#phase === "closed" || this.#hasEnded) return;
    if (this.#dropped <= this.floor.limits.maxBodyBytes) this.#intake.read();
  }

  #take(count: number | null): void {
    if (this.#phase === "closed") return;
    if (count !== null) {
      if (this.#phase === "idle") this.#isAhead = false;
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
    this.isStepping = true;
    try {
      while (this.#step());
    } catch {
      this.#fail(this.#reply);
    }
    this.isStepping = false;
    this.#read();
  }

  /** The handler broke its promise; its client learns no more than that. */
  #fail(reply: RequestReply | undefined): void {
    if (reply?.isOpen === true) reply.answer(BROKEN);
    else if (reply === undefined && this.#phase === "head") this.#endWith(BROKEN);
    else this.cut();
  }

  /** One step; whether another may follow. */
  #step(): boolean {
    switch (this.#phase) {
      case "idle":
        return !this.#reader.isEmpty && this.#begin();
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
        this.#intake.spend();
        if (!this.#reader.skip()) return false;
        this.#rest();
        return true;
      case "ending":
      case "lingering":
        this.#reader.free();
        this.#dropped += this.#reader.drop();
        this.#intake.spend();
        return false;
      default:
        return false;
    }
  }

  /** Goes on with a request that has come already, when others had their turn. */
  #begin(): boolean {
    const turn = this.#isAhead ? this.floor.queue.next() : undefined;
    this.#enter(turn === undefined ? "head" : "queued");
    turn?.then(() => {
      if (this.#phase !== "queued") return;
      this.#enter("head");
      this.#advance();
    });
    return turn === undefined;
  }

  #admit(head: RequestHead): boolean {
    this.#request = head;
    const refusal = this.floor.handler.screen(head);
    if (refusal !== undefined) return this.#turnDown(head, refusal);
    const fault = this.#reader.beginBody(head);
    if (fault !== undefined) return this.refuse(fault);
    if (head.isWaiting && this.#reader.isEmpty) this.send("HTTP/1.1 100 Continue\r\n\r\n");
    this.#enter("body");
    return true;
  }

  /** Answers a request by its head alone. Its body must still be got out of the way. */
  #turnDown(head: RequestHead, refusal: HttpAnswer): boolean {
    const rest = this.floor.isClosing ? undefined : toSkipped(head, refusal);
    this.#intake.spend();
    if (rest === undefined) return this.#endWith(refusal);
    this.#answer(refusal, false);
    this.#reader.beginSkip(rest);
    this.#enter("skip");
    return true;
  }

  #serve(): boolean {
    const head = this.#request!;
    const body = this.#reader.takeBody();
    this.#intake.spend();
    const turn = this.floor.lane.next(body?.length ?? 0);
    if (turn === "full") return this.refuse(NO_ROOM);
    const reply = new RequestReply(this, head);
    this.#reply = reply;
    this.#enter("busy");
    const serve = () => reply.isOpen && this.floor.handler.handle(head, body, reply);
    if (turn === undefined) serve();
    else turn.then(serve).catch(() => this.#fail(reply));
    return true;
  }

  #endWith(answer: HttpAnswer): boolean {
    this.#answer(answer, true);
    this.#finish();
    return true;
  }

  #answer(answer: HttpAnswer, isLast: boolean): void {
    const isBodiless = this.#request?.method === "HEAD";
    this.send(writeAnswer(answer, { date: this.floor.date, isLast, isBodiless }));
  }

  /** Waits for the next request, but first until the client has taken enough of the answers. */
  #rest(): void {
    this.#request = undefined;
    this.#isAhead = true;
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
    // A read that is under way has the memory until it returns.
    if (!this.#intake.isReading) this.#reader.free();
    this.writer.flush().then(() => {
      if (this.#phase !== "ending") return;
      if (this.#hasEnded) return this.cut();
      this.#enter("lingering");
      this.#conn.closeWrite().catch(this.#onFailure);
    });
  }
}

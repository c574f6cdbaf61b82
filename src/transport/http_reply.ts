// The one answer to a request, whole or as a stream, told to the connection's writer.

import type { HttpAnswer, HttpReply, HttpStream, HttpStreamHead } from "./http.ts";
import { type AnswerHeads, byteLength, writeAnswer, writeHead } from "./http_answer.ts";
import type { RequestHead } from "./http_head.ts";
import type { LineWriter, Writable } from "./lines.ts";

/** What all answers of a server have in common. */
export interface ReplyFloor {
  /** For the `Date` field. */
  readonly date: string;
  /** Whether every answer is the last of its connection now. */
  readonly isClosing: boolean;
  readonly heads: AnswerHeads;
}

/** The way of an answer to the client. */
export interface ReplyLine {
  readonly floor: ReplyFloor;
  readonly writer: Pick<LineWriter, "ready">;
  /** Queues text for the client; now, or with what else is said in this turn. */
  send(text: Writable, isNow?: boolean): void;
  /** The answer is complete: what comes next may begin, unless this was the last. */
  complete(isLast: boolean): void;
}

/** Takes the answer of one request. */
export class RequestReply implements HttpReply {
  readonly #line: ReplyLine;
  readonly #head: RequestHead;
  #state: "open" | "streaming" | "complete" | "gone" = "open";
  #callback: (() => void) | undefined;

  /** Answers the request on the line, once. */
  constructor(line: ReplyLine, head: RequestHead) {
    this.#line = line;
    this.#head = head;
  }

  /** Whether nothing of an answer has been given. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Answers as a whole. */
  answer(answer: HttpAnswer): void {
    if (this.#state !== "open") return;
    const { date, isClosing, heads } = this.#line.floor;
    const isLast = this.#head.isLast || isClosing || answer.close === true;
    const isBodiless = this.#head.method === "HEAD";
    const counted = isLast || isBodiless ? undefined : heads.toCounted(answer, date);
    this.#line.send(counted ?? writeAnswer(answer, { date, isLast, isBodiless }), true);
    this.#complete(isLast);
  }

  /** Begins an answer whose body is sent as it comes. */
  stream(head: HttpStreamHead): HttpStream {
    if (this.#state === "open") this.#begin(head);
    return {
      send: (text) => this.#send(text),
      ready: () => this.#state === "streaming" ? this.#line.writer.ready() : undefined,
      end: () => this.#end(),
    };
  }

  /** Remembers whom to tell; tells at once when the client has left already. */
  onGone(callback: () => void): void {
    if (this.#state === "gone") callback();
    else if (this.#state !== "complete") this.#callback = callback;
  }

  /** The client has left. */
  leave(): void {
    if (this.#state === "complete" || this.#state === "gone") return;
    this.#state = "gone";
    const callback = this.#callback;
    this.#callback = undefined;
    try {
      callback?.();
    } catch {
      // Whoever was told has broken the handler's promise; the connection is gone either way.
    }
  }

  #begin(head: HttpStreamHead): void {
    const { date, isClosing } = this.#line.floor;
    const { isHttp10, method } = this.#head;
    const isLast = this.#head.isLast || isClosing;
    const text = writeHead(head, { date, isLast });
    this.#state = "streaming";
    this.#line.send(isHttp10 ? `${text}\r\n` : `${text}transfer-encoding: chunked\r\n\r\n`);
    if (method === "HEAD") this.#complete(isLast);
  }

  #send(text: string): void {
    // A chunk of nothing would be the last.
    if (this.#state !== "streaming" || text === "") return;
    this.#line.send(
      this.#head.isHttp10 ? text : `${byteLength(text).toString(16)}\r\n${text}\r\n`,
    );
  }

  #end(): void {
    if (this.#state !== "streaming") return;
    if (!this.#head.isHttp10) this.#line.send("0\r\n\r\n");
    this.#complete(this.#head.isLast);
  }

  #complete(isLast: boolean): void {
    this.#state = "complete";
    this.#callback = undefined;
    this.#line.complete(isLast);
  }
}

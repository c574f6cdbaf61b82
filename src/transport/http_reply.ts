// The one answer to a request, whole or as a stream, as text that goes to the connection's writer.

import type { HttpAnswer, HttpReply, HttpStream, HttpStreamHead } from "./http.ts";
import type { HttpFault, RequestHead } from "./http_head.ts";
import type { LineWriter } from "./lines.ts";

/** What all answers of a server have in common. */
export interface ReplyFloor {
  /** For the `Date` field. */
  readonly date: string;
  /** Whether every answer is the last of its connection now. */
  readonly isClosing: boolean;
}

/** The way of an answer to the client. */
export interface ReplyLine {
  readonly floor: ReplyFloor;
  readonly writer: Pick<LineWriter, "ready">;
  /** Queues text for the client; now, or with what else is said in this turn. */
  send(text: string, isNow?: boolean): void;
  /** The answer is complete: what comes next may begin, unless this was the last. */
  complete(isLast: boolean): void;
}

/** What an answer depends on besides itself. */
export interface ReplyOptions {
  /** For the `Date` field. */
  readonly date: string;
  /** Whether the connection ends after it. */
  readonly isLast: boolean;
  /** Whether the body is left out because the request was `HEAD`. */
  readonly isBodiless: boolean;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  202: "Accepted",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t -~]*$/;

/** Whether a header field can have this value. */
export function isFieldValue(text: string): boolean {
  return VALUE.test(text);
}

/**
 * A whole answer as it goes over the wire.
 *
 * @throws {TypeError} if a header field could not be told from the text around it
 */
export function writeAnswer(answer: HttpAnswer, options: ReplyOptions): string {
  const { body = "" } = answer;
  const head = writeHead(answer, options);
  // RFC 9110 §8.6: neither of them has a body, so a length would announce one.
  if (answer.status === 204 || answer.status === 304) return `${head}\r\n`;
  return `${head}content-length: ${byteLength(body)}\r\n\r\n${options.isBodiless ? "" : body}`;
}

/** The answer to a request that cannot be taken. */
export function toAnswer(fault: HttpFault): HttpAnswer {
  const headers: Record<string, string> = { "content-type": "text/plain; charset=utf-8" };
  if (fault.status === 503) headers["retry-after"] = "1";
  return { status: fault.status, headers, body: `${fault.text}\n`, close: true };
}

/** The longest body of a refused request that is read and dropped to keep the connection. */
const MAX_SKIPPED = 64 * 1024;

/** How much of a request that is refused is read and dropped; `undefined` where the connection ends instead. */
export function toSkipped(head: RequestHead, refusal: HttpAnswer): number | undefined {
  const { bodyLength } = head;
  if (head.isLast || head.isWaiting || refusal.close === true) return undefined;
  return bodyLength === "chunked" || bodyLength > MAX_SKIPPED ? undefined : bodyLength;
}

/** Encoded to be counted, so much at a time, in UTF-16 units; none of them needs more than three bytes. */
const COUNTED = 1024;
const counted = new Uint8Array(3 * COUNTED);
const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. To look at each unit took six times as long as to encode them all. */
export function byteLength(text: string): number {
  if (text.length <= COUNTED) return encoder.encodeInto(text, counted).written;
  let bytes = 0;
  let start = 0;
  while (start < text.length) {
    const end = start + COUNTED;
    // The halves of a pair would not count for what they are together.
    const part = text.slice(start, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
    bytes += encoder.encodeInto(part, counted).written;
    start += part.length;
  }
  return bytes;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
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
    const { date, isClosing } = this.#line.floor;
    const isLast = this.#head.isLast || isClosing || answer.close === true;
    const isBodiless = this.#head.method === "HEAD";
    this.#line.send(writeAnswer(answer, { date, isLast, isBodiless }), true);
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

/** Status line and fields, each with its line end. */
function writeHead(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  { date, isLast }: { readonly date: string; readonly isLast: boolean },
): string {
  let text = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\ndate: ${date}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!NAME.test(name) || !isFieldValue(value)) {
      throw new TypeError(
        `Cannot write header field "${name}": it has characters that no field may have`,
      );
    }
    text += `${name}: ${value}\r\n`;
  }
  return isLast ? `${text}connection: close\r\n` : text;
}

// Answers as text, and as the bytes that go over the wire.

import type { HttpAnswer } from "./http.ts";
import type { HttpFault, RequestHead } from "./http_head.ts";
import type { Writable } from "./lines.ts";

/** What an answer depends on besides itself. */
export interface AnswerOptions {
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
export function writeAnswer(answer: HttpAnswer, options: AnswerOptions): string {
  const { body = "" } = answer;
  const head = writeHead(answer, options);
  if (!hasLength(answer)) return `${head}\r\n`;
  return `${head}content-length: ${byteLength(body)}\r\n\r\n${options.isBodiless ? "" : body}`;
}

/** RFC 9110 §8.6: neither of them has a body, so a length would announce one. */
function hasLength({ status }: HttpAnswer): boolean {
  return status !== 204 && status !== 304;
}

/** Status line and fields, each with its line end. */
export function writeHead(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  { date, isLast }: Pick<AnswerOptions, "date" | "isLast">,
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
const MAX_UNIT_BYTES = 3;
const counted = new Uint8Array(MAX_UNIT_BYTES * COUNTED);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

/** The head of an answer up to the length of its body, which most answers have in common with the one before. */
interface AnswerHead {
  readonly status: number;
  readonly date: string;
  readonly bytes: Uint8Array;
}

/** Heads of answers, each written once as long as it stays the same. */
export class AnswerHeads {
  readonly #heads = new WeakMap<object, AnswerHead>();

  /**
   * An answer on a connection that goes on, its length to be counted when it is written; `undefined` where it has none,
   * or fields that may be others the next time.
   */
  toCounted(answer: HttpAnswer, date: string): CountedAnswer | undefined {
    const { status, headers, body = "" } = answer;
    if (headers === undefined) return undefined;
    const kept = this.#heads.get(headers);
    const head = kept?.date === date && kept.status === status ? kept : this.#write(answer, date);
    return head === undefined ? undefined : new CountedAnswer(head, body);
  }

  #write(answer: HttpAnswer, date: string): AnswerHead | undefined {
    const { status, headers } = answer;
    if (headers === undefined || !Object.isFrozen(headers) || !hasLength(answer)) return undefined;
    const text = `${writeHead(answer, { date, isLast: false })}content-length: `;
    if (text.length > MAX_HEAD) return undefined;
    const head = { status, date, bytes: encoder.encode(text) };
    this.#heads.set(headers, head);
    return head;
  }
}

/** An answer that is encoded before its length is known, and so only once. */
export class CountedAnswer {
  readonly head: AnswerHead;
  readonly body: string;
  /** In UTF-16 units, but for the body's length and the empty line. */
  readonly length: number;

  /** Puts the body behind the head. */
  constructor(head: AnswerHead, body: string) {
    this.head = head;
    this.body = body;
    this.length = head.bytes.length + body.length;
  }

  /** The answer as text. */
  toString(): string {
    return `${decoder.decode(this.head.bytes)}${byteLength(this.body)}\r\n\r\n${this.body}`;
  }
}

/** Memory for a head, its length at the end; what is longer is written as text. */
const HEAD_ROOM = 512;
/** Of a body that is encoded to memory used before, in UTF-16 units. */
const MAX_SHORT = 1024;
/** The digits of its length, and the empty line. */
const MAX_LENGTH_TEXT = String(MAX_SHORT * MAX_UNIT_BYTES).length + 4;
const MAX_HEAD = HEAD_ROOM - MAX_LENGTH_TEXT;
const ZERO = 0x30;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Encodes what one connection writes, one piece at a time: the bytes are good until the next. New memory for each short
 * text cost a tenth of a call.
 */
export class AnswerEncoder {
  #memory: Uint8Array | undefined;
  #behindHead: Uint8Array<ArrayBuffer> | undefined;

  /** The bytes of a text, or of an answer with its length. */
  readonly encode = (text: Writable): Uint8Array => {
    if (text instanceof CountedAnswer && text.body.length <= MAX_SHORT) return this.#count(text);
    const plain = String(text);
    if (plain.length > MAX_SHORT) return encoder.encode(plain);
    const memory = this.#open();
    return memory.subarray(0, encoder.encodeInto(plain, memory).written);
  };

  /** Puts the body where it stays, then, from its beginning backwards, what stands before it. */
  #count({ head, body }: CountedAnswer): Uint8Array {
    const room = this.#open();
    const { written } = encoder.encodeInto(body, room);
    const memory = this.#memory!;
    let at = HEAD_ROOM;
    memory[--at] = LINE_FEED;
    memory[--at] = CARRIAGE_RETURN;
    memory[--at] = LINE_FEED;
    memory[--at] = CARRIAGE_RETURN;
    let rest = written;
    do {
      memory[--at] = ZERO + rest % 10;
      rest = Math.floor(rest / 10);
    } while (rest > 0);
    at -= head.bytes.length;
    memory.set(head.bytes, at);
    return memory.subarray(at, HEAD_ROOM + written);
  }

  /** The memory behind the room for a head. */
  #open(): Uint8Array<ArrayBuffer> {
    if (this.#behindHead === undefined) {
      const memory = new Uint8Array(HEAD_ROOM + MAX_SHORT * MAX_UNIT_BYTES);
      this.#memory = memory;
      this.#behindHead = memory.subarray(HEAD_ROOM);
    }
    return this.#behindHead;
  }
}

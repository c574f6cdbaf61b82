// Bytes as they arrive → requests: one buffer for a connection, in which heads and small bodies are found where they
// lie; only a body that does not fit gets memory of its own. Only computes.

import type { HttpLimits } from "./http.ts";
import {
  type BodyBudget,
  BodyBuffer,
  ChunkedBody,
  decodeText,
  describeTooLong,
  NO_ROOM,
} from "./http_body.ts";
import {
  decodeHead,
  HeadScanner,
  type HttpFault,
  parseHead,
  type RequestHead,
} from "./http_head.ts";
import { LastHead } from "./http_last_head.ts";

/** What a reader of requests needs to know. */
export interface RequestReaderOptions {
  readonly limits: HttpLimits;
  readonly budget: BodyBudget;
  /** The client's address. */
  readonly peer: string;
}

/** Holds most requests whole. */
const BUFFER_BYTES = 16 * 1024;

const decoder = new TextDecoder();

/** Takes the requests of one connection apart; the caller reads into its `room` and tells how much with `fill`. */
export class RequestReader {
  readonly #options: RequestReaderOptions;
  readonly #scanner = new HeadScanner();
  readonly #buffer: Uint8Array;
  readonly #last: LastHead;
  /** Bytes of the buffer that have arrived and are not used yet. */
  #start = 0;
  #end = 0;
  #hasBlankLine = false;
  /** Of the body being read: bytes still to come, and what has come if that is not in the buffer. */
  #rest = 0;
  #body: BodyBuffer | undefined;
  #chunks: ChunkedBody | undefined;
  #isDirect = false;

  /** Starts with an empty buffer. */
  constructor(options: RequestReaderOptions) {
    this.#options = options;
    this.#buffer = new Uint8Array(Math.max(BUFFER_BYTES, options.limits.maxHeadBytes));
    this.#last = new LastHead(this.#buffer);
  }

  /** Whether all that has arrived is used. */
  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Whether an unfinished body has memory of its own. */
  get hasBody(): boolean {
    return this.#body?.isLaden === true;
  }

  /** Where the next bytes go; `undefined` when there is no place for them now. */
  room(): Uint8Array | undefined {
    // What is left of a body of known length is read to where it stays, and not a byte beyond.
    this.#isDirect = this.#body !== undefined && this.#chunks === undefined;
    if (this.#isDirect) return this.#body?.room()?.subarray(0, this.#rest);
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = 0;
    } else if (this.#end === this.#buffer.length && this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === 0) return this.#buffer;
    return this.#end === this.#buffer.length ? undefined : this.#buffer.subarray(this.#end);
  }

  /** Counts bytes that have arrived in the room. */
  fill(bytes: number): void {
    if (!this.#isDirect) {
      this.#end += bytes;
      return;
    }
    this.#body?.fill(bytes);
    this.#rest -= bytes;
  }

  /** The head that the bytes begin with; `undefined` while it is incomplete. */
  readHead(): RequestHead | HttpFault | undefined {
    const again = this.#scanner.length > 0 ? undefined : this.#last.find(this.#start, this.#end);
    if (again === undefined) return this.#parseHead();
    this.#start += this.#last.length;
    this.#hasBlankLine = false;
    return again;
  }

  /** Prepares to read the body of a head; tells what is wrong with its length. */
  beginBody({ bodyLength }: RequestHead): HttpFault | undefined {
    const { limits, budget } = this.#options;
    if (bodyLength === "chunked") {
      this.#body = new BodyBuffer(budget, limits.maxBodyBytes);
      this.#chunks = new ChunkedBody(this.#body, limits);
      return undefined;
    }
    if (bodyLength > limits.maxBodyBytes) return describeTooLong(limits.maxBodyBytes);
    this.#rest = bodyLength;
    return undefined;
  }

  /** Goes on with the body; true when it is complete, to be taken with `takeBody`. */
  readBody(): boolean | HttpFault {
    if (this.#chunks !== undefined) {
      const used = this.#chunks.push(this.#buffer.subarray(this.#start, this.#end));
      if (typeof used !== "number") return used;
      this.#start += used;
      return this.#chunks.isComplete;
    }
    if (this.#body === undefined) {
      if (this.#end - this.#start >= this.#rest) return true;
      this.#body = new BodyBuffer(this.#options.budget, this.#rest);
    }
    // The buffer has some of it, also of a read that began before the body did.
    const length = Math.min(this.#end - this.#start, this.#rest);
    if (!this.#body.append(this.#buffer.subarray(this.#start, this.#start + length))) {
      return NO_ROOM;
    }
    this.#rest -= length;
    this.#start += length;
    if (this.#rest === 0) return true;
    return this.#body.room() === undefined ? NO_ROOM : false;
  }

  /** The text of a complete body; `undefined` when it is not UTF-8. */
  takeBody(): string | undefined {
    if (this.#body === undefined) {
      if (this.#rest === 0) return "";
      const end = this.#start + this.#rest;
      const text = decodeText(this.#buffer.subarray(this.#start, end));
      this.#start = end;
      this.#rest = 0;
      return text;
    }
    const text = this.#body.decode();
    this.free();
    return text;
  }

  /** Prepares to drop so many bytes. */
  beginSkip(bytes: number): void {
    this.#rest = bytes;
  }

  /** Drops what has arrived of the bytes to drop; true when that is all. */
  skip(): boolean {
    const bytes = Math.min(this.#rest, this.#end - this.#start);
    this.#start += bytes;
    this.#rest -= bytes;
    return this.#rest === 0;
  }

  /** Drops all that has arrived, and tells how much that was. */
  drop(): number {
    const bytes = this.#end - this.#start;
    this.#start = this.#end;
    return bytes;
  }

  /** Gives back the memory of an unfinished body. */
  free(): void {
    this.#body?.free();
    this.#body = undefined;
    this.#chunks = undefined;
    this.#rest = 0;
  }

  #parseHead(): RequestHead | HttpFault | undefined {
    const { limits, peer } = this.#options;
    const limit = this.#start + limits.maxHeadBytes;
    const verdict = this.#scanner.scan(this.#buffer, this.#start, Math.min(this.#end, limit));
    if (verdict === "malformed") {
      return {
        kind: "fault",
        status: 400,
        text: "The head of the request has a control character or a line not ended by CRLF",
      };
    }
    if (verdict === "incomplete") {
      if (this.#end < limit) return undefined;
      const text = `The head of a request may have at most ${limits.maxHeadBytes} bytes`;
      return { kind: "fault", status: 431, text };
    }
    const { length, isAscii } = this.#scanner;
    const bytes = this.#buffer.subarray(this.#start, this.#start + length);
    this.#start += length;
    this.#scanner.reset();
    // RFC 9112 §2.2: one empty line before a request is let pass.
    if (length === 2 && !this.#hasBlankLine) {
      this.#hasBlankLine = true;
      return this.readHead();
    }
    this.#hasBlankLine = false;
    const text = isAscii ? decoder.decode(bytes) : decodeHead(bytes);
    const head = parseHead(text, { peer, maxHeaders: limits.maxHeaders });
    if (head.kind === "head") this.#last.keep(bytes, head);
    return head;
  }
}

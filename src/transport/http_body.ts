// The bodies of requests while they arrive: how many bytes are kept, and where chunks begin and end (RFC 9112 §7.1).
// Memory grows with what has come, never with what was announced. Only computes.

import { decodeHead, HeadScanner, type HttpFault, parseFields } from "./http_head.ts";

/** Memory that the bodies of all connections have together. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #makeRoom: () => boolean;
  #bytes = 0;

  /** Starts with nothing taken. `makeRoom` gives something back where too little is left; false when it cannot. */
  constructor(maxBytes: number, makeRoom: () => boolean = () => false) {
    this.#maxBytes = maxBytes;
    this.#makeRoom = makeRoom;
  }

  /** Bytes taken and not yet given back. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes part of it; false when not so much is left. */
  take(bytes: number): boolean {
    while (this.#bytes + bytes > this.#maxBytes) {
      if (!this.#makeRoom()) return false;
    }
    this.#bytes += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The first piece of memory that an unfinished body gets, and by how much it grows at least. */
const MIN_GROWTH = 64 * 1024;

const EMPTY = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Slower by half a microsecond, so only asked when the other has replaced something, or may have. */
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of bytes; `undefined` when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const text = decoder.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of one body so far. */
export class BodyBuffer {
  readonly #budget: BodyBudget;
  readonly #maxBytes: number;
  #bytes: Uint8Array = EMPTY;
  #length = 0;

  /** Starts empty; `maxBytes` is the most that will ever be in it. */
  constructor(budget: BodyBudget, maxBytes: number) {
    this.#budget = budget;
    this.#maxBytes = maxBytes;
  }

  /** Whether it has memory, however much of it is filled. */
  get isLaden(): boolean {
    return this.#bytes.length > 0;
  }

  /** Bytes kept. */
  get length(): number {
    return this.#length;
  }

  /** Memory to be filled from its beginning, up to `maxBytes`; `undefined` when the budget has none left. */
  room(bytes = 1): Uint8Array | undefined {
    const needed = this.#length + bytes;
    if (needed > this.#bytes.length) {
      const size = Math.min(
        this.#maxBytes,
        Math.max(needed, this.#bytes.length * 2, MIN_GROWTH),
      );
      if (!this.#budget.take(size - this.#bytes.length)) return undefined;
      const larger = new Uint8Array(size);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.#length);
  }

  /** Counts bytes that were written into the room. */
  fill(bytes: number): void {
    this.#length += bytes;
  }

  /** Keeps a copy of the bytes; false when the budget has no room for them. */
  append(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return true;
    const room = this.room(bytes.length);
    if (room === undefined) return false;
    room.set(bytes);
    this.#length += bytes.length;
    return true;
  }

  /** The body as text; `undefined` when it is not UTF-8. */
  decode(): string | undefined {
    return decodeText(this.#bytes.subarray(0, this.#length));
  }

  /** Gives the memory back. */
  free(): void {
    this.#budget.give(this.#bytes.length);
    this.#bytes = EMPTY;
    this.#length = 0;
  }
}

/** What is wrong when bodies take more memory than there is for them. */
export const NO_ROOM: HttpFault = {
  kind: "fault",
  status: 503,
  text: "Too many large requests are being read; try again in a moment",
};

/** What is wrong with a body that is over the bound. */
export function describeTooLong(maxBytes: number): HttpFault {
  return {
    kind: "fault",
    status: 413,
    text: `The body of a request may have at most ${maxBytes} bytes`,
  };
}

/** Bounds on a body in chunks. */
export interface ChunkedBodyOptions {
  readonly maxBodyBytes: number;
  readonly maxHeaders: number;
}

/** Enough for 4 GiB, which is over every bound. */
const MAX_SIZE_DIGITS = 8;
/** Of a chunk's size and extensions; nobody is known to use extensions. */
const MAX_SIZE_LINE = 256;
/** Of the fields after the last chunk, which nobody reads. */
const MAX_TRAILER = 4 * 1024;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const SEMICOLON = 0x3b;

const FAULT: HttpFault = {
  kind: "fault",
  status: 400,
  text: "The chunks of the body are malformed",
};

/** Takes the chunks apart. */
export class ChunkedBody {
  readonly #body: BodyBuffer;
  readonly #options: ChunkedBodyOptions;
  #part: "size" | "extension" | "size end" | "content" | "content end" | "trailer" = "size";
  /** Of the current chunk: bytes still to come, and digits and bytes of its size line so far. */
  #rest = 0;
  #digits = 0;
  #line = 0;
  #trailer: Uint8Array | undefined;
  #trailerLength = 0;
  readonly #scanner = new HeadScanner();
  /** Set when the last chunk and the trailer have been seen. */
  isComplete = false;

  /** Collects the content of the chunks into the body. */
  constructor(body: BodyBuffer, options: ChunkedBodyOptions) {
    this.#body = body;
    this.#options = options;
  }

  /** Takes what it can of the bytes; tells how many those are: all of them unless the body ended before. */
  push(bytes: Uint8Array): number | HttpFault {
    let at = 0;
    while (at < bytes.length && !this.isComplete) {
      let fault: HttpFault | undefined;
      if (this.#part === "content") {
        const piece = bytes.subarray(at, at + this.#rest);
        if (!this.#body.append(piece)) return NO_ROOM;
        at += piece.length;
        this.#rest -= piece.length;
        if (this.#rest === 0) this.#part = "content end";
      } else if (this.#part === "trailer") {
        fault = this.#readTrailer(bytes[at]!);
        at += 1;
      } else {
        fault = this.#readFrame(bytes[at]!);
        at += 1;
      }
      if (fault !== undefined) return fault;
    }
    return at;
  }

  /** One byte of what stands between the contents. */
  #readFrame(byte: number): HttpFault | undefined {
    this.#line += 1;
    if (this.#line > MAX_SIZE_LINE) return FAULT;
    switch (this.#part) {
      case "size": {
        const digit = hexDigit(byte);
        if (digit !== undefined) {
          this.#digits += 1;
          this.#rest = this.#rest * 16 + digit;
          return this.#digits > MAX_SIZE_DIGITS ? FAULT : undefined;
        }
        if (this.#digits === 0) return FAULT;
        if (byte === SEMICOLON) this.#part = "extension";
        else if (byte === CARRIAGE_RETURN) this.#part = "size end";
        else return FAULT;
        return undefined;
      }
      case "extension":
        if (byte === CARRIAGE_RETURN) this.#part = "size end";
        else if ((byte < 0x20 && byte !== 0x09) || byte >= 0x7f) return FAULT;
        return undefined;
      case "size end":
        if (byte !== LINE_FEED) return FAULT;
        return this.#beginContent();
      default:
        // The end of a content: CR, then LF.
        if (byte !== (this.#line === 1 ? CARRIAGE_RETURN : LINE_FEED)) return FAULT;
        if (byte === LINE_FEED) this.#beginSize();
        return undefined;
    }
  }

  #beginSize(): void {
    this.#part = "size";
    this.#digits = 0;
    this.#line = 0;
  }

  #beginContent(): HttpFault | undefined {
    const { maxBodyBytes } = this.#options;
    if (this.#body.length + this.#rest > maxBodyBytes) return describeTooLong(maxBodyBytes);
    this.#part = this.#rest === 0 ? "trailer" : "content";
    this.#line = 0;
    return undefined;
  }

  /** A trailer must be well-formed, and is then forgotten. */
  #readTrailer(byte: number): HttpFault | undefined {
    this.#trailer ??= new Uint8Array(MAX_TRAILER);
    if (this.#trailerLength === MAX_TRAILER) return FAULT;
    this.#trailer[this.#trailerLength] = byte;
    this.#trailerLength += 1;
    const verdict = this.#scanner.scan(this.#trailer, 0, this.#trailerLength);
    if (verdict === "malformed") return FAULT;
    if (verdict === "incomplete") return undefined;
    const text = decodeHead(this.#trailer.subarray(0, this.#trailerLength));
    const fields = parseFields(text, { start: 0, maxHeaders: this.#options.maxHeaders });
    if (!(fields instanceof Map)) return FAULT;
    this.isComplete = true;
    return undefined;
  }
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

// Bytes → the head of an HTTP/1.1 request, as RFC 9112 has it and no wider: whatever two readers could understand in
// two ways is refused, because a proxy in front of us may be the other reader. Only computes.

import type { HttpHead } from "./http.ts";

/** A request that cannot be taken; its connection ends, because where the next one begins is not known. */
export interface HttpFault {
  readonly kind: "fault";
  readonly status: number;
  /** A sentence for the client. */
  readonly text: string;
}

/** A head with what its connection needs to know. */
export interface RequestHead extends HttpHead {
  readonly kind: "head";
  readonly isHttp10: boolean;
  /** Whether the client asks for the connection to end after the answer. */
  readonly isLast: boolean;
  /** Bytes of the body, or that they come in chunks. */
  readonly bodyLength: number | "chunked";
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly isWaiting: boolean;
}

/** What parsing a head needs besides its text. */
export interface ParseHeadOptions {
  readonly peer: string;
  readonly maxHeaders: number;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VERSION = /^HTTP\/(\d)\.(\d)$/;
/** Visible ASCII without what no URL holds: quotes, `#`, angle brackets, backslash. */
const TARGET = /^[!$-;=?-[\]-~]+$/;
const ABSOLUTE = /^https?:\/\/([^/?]*)/i;
/** A host by name or address with a port; no user, no comma, which would be two hosts. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::\d{0,5})?$/;
const DIGITS = /^\d+$/;
/** More than any number that is told apart exactly; such a body is over every bound. */
const MAX_LENGTH_DIGITS = 15;

/** Names as clients usually write them, so that most fields need no check of their letters. */
const USUAL_NAMES: ReadonlyMap<string, string> = new Map(
  [
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Cache-Control",
    "Connection",
    "Content-Length",
    "Content-Type",
    "Host",
    "Last-Event-ID",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Protocol-Version",
    "Mcp-Session-Id",
    "Origin",
    "Sec-Fetch-Mode",
    "Transfer-Encoding",
    "User-Agent",
  ].flatMap((name) => [[name, name.toLowerCase()], [name.toLowerCase(), name.toLowerCase()]]),
);

/** Finds the end of a head while it arrives, looking at each byte once. */
export class HeadScanner {
  /** Bytes looked at, from the first of the head; all of it when the head is complete. */
  length = 0;
  /** Whether every byte so far is ASCII. */
  isAscii = true;
  #lineStart = 0;

  /** Prepares for the next head. */
  reset(): void {
    this.length = 0;
    this.isAscii = true;
    this.#lineStart = 0;
  }

  /** Goes on with the bytes of a head that begins at `start`, up to `end`. */
  scan(bytes: Uint8Array, start: number, end: number): "complete" | "incomplete" | "malformed" {
    let at = start + this.length;
    let verdict: "complete" | "incomplete" | "malformed" = "incomplete";
    while (at < end) {
      const byte = bytes[at]!;
      if (byte >= SPACE && byte < DELETE) {
        at += 1;
      } else if (byte === CARRIAGE_RETURN) {
        if (at + 1 === end) break;
        if (bytes[at + 1] !== LINE_FEED) {
          verdict = "malformed";
          break;
        }
        const isEmpty = at - start === this.#lineStart;
        at += 2;
        this.#lineStart = at - start;
        if (isEmpty) {
          verdict = "complete";
          break;
        }
      } else if (byte > DELETE || byte === TAB) {
        if (byte > DELETE) this.isAscii = false;
        at += 1;
      } else {
        verdict = "malformed";
        break;
      }
    }
    this.length = at - start;
    return verdict;
  }
}

/**
 * Understands a complete head, which `HeadScanner` has seen: one character a byte, lines ended by CRLF, the last one
 * empty.
 */
export function parseHead(text: string, options: ParseHeadOptions): RequestHead | HttpFault {
  const lineEnd = text.indexOf("\r\n");
  const methodEnd = text.indexOf(" ");
  const targetEnd = text.indexOf(" ", methodEnd + 1);
  if (methodEnd === -1 || targetEnd === -1 || targetEnd > lineEnd) {
    return bad("The request line is not method, target and version, separated by single spaces");
  }
  const method = text.slice(0, methodEnd);
  if (!TOKEN.test(method)) return bad("The method is not a token");
  const version = text.slice(targetEnd + 1, lineEnd);
  const isHttp10 = version === "HTTP/1.0";
  if (!isHttp10 && version !== "HTTP/1.1") {
    return VERSION.test(version)
      ? { kind: "fault", status: 505, text: "Only HTTP/1.1 and HTTP/1.0 are spoken here" }
      : bad("The version of the request line is malformed");
  }
  const headers = parseFields(text, {
    start: lineEnd + 2,
    maxHeaders: options.maxHeaders,
  });
  if (!(headers instanceof Map)) return headers;
  const host = headers.get("host");
  if (host === undefined ? !isHttp10 : !AUTHORITY.test(host)) {
    return bad("A request must have one Host field with a host and perhaps a port");
  }
  const target = text.slice(methodEnd + 1, targetEnd);
  const place = parseTarget(target, method, headers);
  if (place === undefined) return bad("The request target is not a path or an http URL");
  const bodyLength = judgeBody(headers, isHttp10);
  if (typeof bodyLength === "object") return bodyLength;
  const expectation = isHttp10 ? undefined : headers.get("expect")?.toLowerCase();
  if (expectation !== undefined && expectation !== "100-continue") {
    return { kind: "fault", status: 417, text: "Only the expectation 100-continue can be met" };
  }
  return {
    kind: "head",
    method,
    path: place.path,
    query: place.query,
    headers,
    peer: options.peer,
    isHttp10,
    isLast: isHttp10 || hasOption(headers.get("connection"), "close"),
    bodyLength,
    isWaiting: expectation !== undefined && bodyLength !== 0,
  };
}

/** A head's bytes as text, one character each whatever they are. */
export function decodeHead(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** The fields of a head or of a trailer, from `start` to the empty line at the end of the text. */
export function parseFields(
  text: string,
  options: { readonly start: number; readonly maxHeaders: number },
): Map<string, string> | HttpFault {
  const fields = new Map<string, string>();
  const end = text.length - 2;
  let count = 0;
  for (let at = options.start; at < end;) {
    count += 1;
    if (count > options.maxHeaders) {
      const text = `A request may have at most ${options.maxHeaders} header fields`;
      return { kind: "fault", status: 431, text };
    }
    const lineEnd = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    if (colon === -1 || colon > lineEnd) return bad("A header field has no colon");
    const written = text.slice(at, colon);
    let name = USUAL_NAMES.get(written);
    if (name === undefined) {
      // Also refuses a folded line and a space before the colon: both begin or end the name with a blank.
      if (!TOKEN.test(written)) return bad("The name of a header field is not a token");
      name = written.toLowerCase();
    }
    const value = trimBlanks(text, colon + 1, lineEnd);
    // Of host, length and coding there can be only one: joined with a comma, two are none.
    const earlier = fields.get(name);
    if (earlier === undefined) fields.set(name, value);
    else fields.set(name, `${earlier}, ${value}`);
    at = lineEnd + 2;
  }
  return fields;
}

/** The path and query of a target; the host of an absolute one counts instead of the `Host` field. */
function parseTarget(
  target: string,
  method: string,
  headers: Map<string, string>,
): { readonly path: string; readonly query: string } | undefined {
  if (target === "*") return method === "OPTIONS" ? { path: "*", query: "" } : undefined;
  if (!TARGET.test(target)) return undefined;
  let local = target;
  if (!target.startsWith("/")) {
    const absolute = ABSOLUTE.exec(target);
    const authority = absolute?.[1];
    if (absolute === null || authority === undefined || !AUTHORITY.test(authority)) {
      return undefined;
    }
    headers.set("host", authority);
    local = target.slice(absolute[0].length);
    if (!local.startsWith("/")) local = `/${local}`;
  }
  const mark = local.indexOf("?");
  return mark === -1
    ? { path: local, query: "" }
    : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

function judgeBody(
  headers: ReadonlyMap<string, string>,
  isHttp10: boolean,
): number | "chunked" | HttpFault {
  const length = headers.get("content-length");
  const coding = headers.get("transfer-encoding");
  if (coding === undefined) {
    if (length === undefined) return 0;
    if (!DIGITS.test(length)) return bad("Content-Length is not a number");
    return length.length > MAX_LENGTH_DIGITS ? Infinity : Number(length);
  }
  if (length !== undefined) return bad("Content-Length and Transfer-Encoding exclude each other");
  if (isHttp10) return bad("HTTP/1.0 has no Transfer-Encoding");
  const codings = coding.toLowerCase().split(",").map(trimValue);
  if (codings.length === 1 && codings[0] === "chunked") return "chunked";
  if (codings.slice(0, -1).includes("chunked") || codings.includes("")) {
    return bad("Transfer-Encoding is malformed");
  }
  return { kind: "fault", status: 501, text: "The only Transfer-Encoding known here is chunked" };
}

/** Whether a list field holds a word. */
function hasOption(list: string | undefined, word: string): boolean {
  return list !== undefined &&
    list.toLowerCase().split(",").some((option) => trimValue(option) === word);
}

/** Without the spaces and tabs around it; `trim` would take away more than others do who read the same head. */
function trimValue(text: string): string {
  return trimBlanks(text, 0, text.length);
}

/** A part of the text without the spaces and tabs around it; in one pass, as the client chooses how many there are. */
function trimBlanks(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function bad(text: string): HttpFault {
  return { kind: "fault", status: 400, text };
}

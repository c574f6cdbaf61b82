// Heads of requests: what is taken, what is refused, and that bytes may arrive in any pieces.

import { assertEquals } from "@std/assert";
import { HeadScanner, parseHead, type RequestHead } from "../../../src/transport/http_head.ts";

const OPTIONS = { peer: "192.0.2.1", maxHeaders: 5 };

function parse(lines: readonly string[]): ReturnType<typeof parseHead> {
  return parseHead(lines.map((line) => `${line}\r\n`).join("") + "\r\n", OPTIONS);
}

function get(lines: readonly string[]): RequestHead {
  const head = parse(lines);
  if (head.kind === "fault") throw new Error(head.text);
  return head;
}

const REFUSED = [
  ["no target", 400, ["GET HTTP/1.1", "Host: a"]],
  ["no version", 400, ["GET /", "Host: a"]],
  ["an empty line", 400, [""]],
  ["two spaces", 400, ["GET  / HTTP/1.1", "Host: a"]],
  ["a space at the end", 400, ["GET / HTTP/1.1 ", "Host: a"]],
  ["a space in the target", 400, ["GET /a b HTTP/1.1", "Host: a"]],
  ["a tab for a space", 400, ["GET\t/ HTTP/1.1", "Host: a"]],
  ["a method that is no token", 400, ["G[T / HTTP/1.1", "Host: a"]],
  ["no method", 400, [" / HTTP/1.1", "Host: a"]],
  ["a relative target", 400, ["GET a HTTP/1.1", "Host: a"]],
  ["a fragment", 400, ["GET /#a HTTP/1.1", "Host: a"]],
  ["a backslash", 400, ["GET /\\a HTTP/1.1", "Host: a"]],
  ["a star without OPTIONS", 400, ["GET * HTTP/1.1", "Host: a"]],
  ["CONNECT", 400, ["CONNECT a:443 HTTP/1.1", "Host: a"]],
  ["a target of another scheme", 400, ["GET ftp://a/ HTTP/1.1", "Host: a"]],
  ["a target with a user", 400, ["GET http://u@a/ HTTP/1.1", "Host: a"]],
  ["a target without a host", 400, ["GET http:///a HTTP/1.1", "Host: a"]],
  ["a target that is not ASCII", 400, ["GET /\xe9 HTTP/1.1", "Host: a"]],
  ["a lower-case version", 400, ["GET / http/1.1", "Host: a"]],
  ["a long version", 400, ["GET / HTTP/1.10", "Host: a"]],
  ["HTTP/0.9", 505, ["GET / HTTP/0.9", "Host: a"]],
  ["HTTP/1.2", 505, ["GET / HTTP/1.2", "Host: a"]],
  ["HTTP/2", 505, ["PRI * HTTP/2.0"]],
  ["no Host", 400, ["GET / HTTP/1.1"]],
  ["no Host with an absolute target", 400, ["GET http://a/ HTTP/1.1"]],
  ["two Hosts", 400, ["GET / HTTP/1.1", "Host: a", "Host: a"]],
  ["two Hosts on HTTP/1.0", 400, ["GET / HTTP/1.0", "Host: a", "host: a"]],
  ["an empty Host beside another", 400, ["GET / HTTP/1.1", "Host:", "Host: a"]],
  ["an empty Host", 400, ["GET / HTTP/1.1", "Host:"]],
  ["a list of Hosts", 400, ["GET / HTTP/1.1", "Host: a, b"]],
  ["a Host with a user", 400, ["GET / HTTP/1.1", "Host: u@a"]],
  ["a Host with a path", 400, ["GET / HTTP/1.1", "Host: a/b"]],
  ["a Host with a wrong port", 400, ["GET / HTTP/1.1", "Host: a:b"]],
  ["a bad Host under an absolute target", 400, ["GET http://a/ HTTP/1.1", "Host: a b"]],
  ["a field without a colon", 400, ["GET / HTTP/1.1", "Host: a", "b"]],
  ["a field without a name", 400, ["GET / HTTP/1.1", "Host: a", ": b"]],
  ["a space before the colon", 400, ["GET / HTTP/1.1", "Host : a"]],
  ["a folded line", 400, ["GET / HTTP/1.1", "Host: a", "X: b", " c"]],
  ["a folded first line", 400, ["GET / HTTP/1.1", " Host: a"]],
  ["a folded line with a colon", 400, ["GET / HTTP/1.1", "Host: a", "\tX: b"]],
  ["a name that is no token", 400, ["GET / HTTP/1.1", "Host: a", "X(y): b"]],
  ["a name that is not ASCII", 400, ["GET / HTTP/1.1", "Host: a", "\xc9: b"]],
  ["too many fields", 431, ["GET / HTTP/1.1", "Host: a", "B: 1", "B: 2", "B: 3", "B: 4", "B: 5"]],
  ["a length with a sign", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: +5"]],
  ["a negative length", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: -5"]],
  ["a hexadecimal length", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: 0x5"]],
  ["an empty length", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length:"]],
  ["a list of lengths", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: 5, 5"]],
  ["a length with a space", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: 5 5"]],
  ["a length with a fraction", 400, ["POST / HTTP/1.1", "Host: a", "Content-Length: 5.0"]],
  ["two equal lengths", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Content-Length: 5",
    "Content-Length: 5",
  ]],
  ["an empty length beside another", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Content-Length:",
    "Content-Length: 5",
  ]],
  ["length and chunks", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Content-Length: 5",
    "Transfer-Encoding: chunked",
  ]],
  ["chunks and length", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Transfer-Encoding: chunked",
    "content-length: 5",
  ]],
  ["chunks twice", 400, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked, chunked"]],
  ["chunks in two fields", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked",
  ]],
  ["chunks and then something", 400, [
    "POST / HTTP/1.1",
    "Host: a",
    "Transfer-Encoding: chunked, gzip",
  ]],
  ["an empty coding", 400, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding:"]],
  ["an empty coding in a list", 400, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: ,chunked"]],
  ["another coding", 501, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: gzip"]],
  ["another coding, then chunks", 501, [
    "POST / HTTP/1.1",
    "Host: a",
    "Transfer-Encoding: gzip, chunked",
  ]],
  ["identity", 501, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: identity"]],
  ["a coding that looks like chunks", 501, [
    "POST / HTTP/1.1",
    "Host: a",
    "Transfer-Encoding: xchunked",
  ]],
  ["a blank that is none", 501, ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: \xa0chunked"]],
  ["quoted chunks", 501, ["POST / HTTP/1.1", "Host: a", 'Transfer-Encoding: "chunked"']],
  ["chunks on HTTP/1.0", 400, ["POST / HTTP/1.0", "Host: a", "Transfer-Encoding: chunked"]],
  ["an unknown expectation", 417, ["POST / HTTP/1.1", "Host: a", "Expect: cake"]],
  ["two expectations", 417, [
    "POST / HTTP/1.1",
    "Host: a",
    "Expect: 100-continue",
    "Expect: 100-continue",
  ]],
] as const;

Deno.test("parseHead() refuses what could be understood in two ways", async (t) => {
  for (const [name, status, lines] of REFUSED) {
    await t.step(name, () => {
      const head = parse(lines);
      assertEquals(head.kind === "fault" ? head.status : head.kind, status);
    });
  }
});

Deno.test("parseHead() takes a request apart", () => {
  const head = get([
    "POST /mcp/%2e?a=b?c HTTP/1.1",
    "Host: LocalHost:8808",
    "X-One:  \t two words \t",
    "x-one:three",
    "Empty:",
    "Content-Length: 007",
  ]);
  assertEquals({ ...head, headers: [...head.headers] }, {
    kind: "head",
    method: "POST",
    path: "/mcp/%2e",
    query: "a=b?c",
    headers: [
      ["host", "LocalHost:8808"],
      ["x-one", "two words, three"],
      ["empty", ""],
      ["content-length", "007"],
    ],
    peer: "192.0.2.1",
    isHttp10: false,
    isLast: false,
    bodyLength: 7,
    isWaiting: false,
  });
});

const TARGETS = [
  ["GET", "/", "/", "", "h"],
  ["GET", "/?", "/", "", "h"],
  ["GET", "//a//b", "//a//b", "", "h"],
  ["OPTIONS", "*", "*", "", "h"],
  ["GET", "http://a.example", "/", "", "a.example"],
  ["GET", "HTTP://a.example:80/b?c", "/b", "c", "a.example:80"],
  ["GET", "https://[::1]:8808?c", "/", "c", "[::1]:8808"],
] as const;

Deno.test("parseHead() understands every form of target; the host of an absolute one counts", () => {
  for (const [method, target, path, query, host] of TARGETS) {
    const head = get([`${method} ${target} HTTP/1.1`, "Host: h"]);
    assertEquals([head.path, head.query, head.headers.get("host")], [path, query, host], target);
  }
});

const HOSTS = ["a", "a:80", "a:", "127.0.0.1:8808", "[::1]", "[::1]:80", "a-b.c_d.example", "%41"];

Deno.test("parseHead() takes hosts by name and address", () => {
  for (const host of HOSTS) {
    assertEquals(get(["GET / HTTP/1.1", `Host: ${host}`]).headers.get("host"), host);
  }
});

Deno.test("parseHead() tells whether a request is the last of its connection", () => {
  const rows = [
    ["HTTP/1.1", undefined, false],
    ["HTTP/1.1", "close", true],
    ["HTTP/1.1", "keep-alive, Close", true],
    ["HTTP/1.1", "upgrade, closed", false],
    ["HTTP/1.0", undefined, true],
    ["HTTP/1.0", "keep-alive", true],
  ] as const;
  for (const [version, connection, isLast] of rows) {
    const lines = [`GET / ${version}`, "Host: a"];
    if (connection !== undefined) lines.push(`Connection: ${connection}`);
    assertEquals(get(lines).isLast, isLast, `${version} ${connection}`);
  }
});

Deno.test("parseHead() lets HTTP/1.0 do without a Host", () => {
  const head = get(["GET / HTTP/1.0"]);
  assertEquals([head.isHttp10, head.headers.get("host")], [true, undefined]);
  assertEquals(get(["GET http://a/ HTTP/1.0"]).headers.get("host"), "a");
});

Deno.test("parseHead() tells how long a body is", () => {
  const rows = [
    ["X: y", 0],
    ["Content-Length: 0", 0],
    ["Content-Length: 12", 12],
    ["Content-Length: 99999999999999999999", Infinity],
    ["Transfer-Encoding: chunked", "chunked"],
    ["Transfer-Encoding: Chunked", "chunked"],
  ] as const;
  for (const [line, bodyLength] of rows) {
    assertEquals(get(["POST / HTTP/1.1", "Host: a", line]).bodyLength, bodyLength, line);
  }
});

Deno.test("parseHead() knows who waits for a go-ahead: nobody without a body, nobody on HTTP/1.0", () => {
  const rows = [
    ["HTTP/1.1", "Content-Length: 1", true],
    ["HTTP/1.1", "Transfer-Encoding: chunked", true],
    ["HTTP/1.1", "Content-Length: 0", false],
    ["HTTP/1.0", "Content-Length: 1", false],
  ] as const;
  for (const [version, line, isWaiting] of rows) {
    const head = get([`POST / ${version}`, "Host: a", line, "Expect: 100-Continue"]);
    assertEquals(head.isWaiting, isWaiting, `${version} ${line}`);
  }
});

Deno.test("parseHead() needs no more time for many blanks than for few", () => {
  const blanks = `${" ".repeat(500_000)}x`.repeat(4);
  assertEquals(get(["GET / HTTP/1.1", "Host: a", `X: ${blanks}`]).headers.get("x"), blanks.trim());
});

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const SCANS = [
  ["a whole head", "GET / HTTP/1.1\r\nA: b\r\n\r\nrest", "complete", 24],
  ["no end yet", "GET / HTTP/1.1\r\nA: b\r\n", "incomplete", 22],
  ["half a line end", "GET / HTTP/1.1\r\nA: b\r\n\r", "incomplete", 22],
  ["an empty line first", "\r\nGET", "complete", 2],
  ["a tab", "A:\tb\r\n\r\n", "complete", 8],
  ["a line feed alone", "GET / HTTP/1.1\n", "malformed", 14],
  ["a line feed alone at the end", "A: b\r\n\n", "malformed", 6],
  ["a carriage return alone", "GET\r/", "malformed", 3],
  ["two carriage returns", "GET /\r\r\n", "malformed", 5],
  ["a zero byte", "GET /\0", "malformed", 5],
  ["a vertical tab", "A:\x0bb", "malformed", 2],
  ["a delete", "A:\x7f", "malformed", 2],
  ["a greeting of TLS", "\x16\x03\x01", "malformed", 0],
] as const;

Deno.test("HeadScanner finds the end of a head, or its first bad byte, in pieces of any size", async (t) => {
  for (const [name, text, verdict, length] of SCANS) {
    await t.step(name, () => {
      const bytes = toBytes(`..${text}`);
      for (let step = 1; step <= bytes.length; step++) {
        const scanner = new HeadScanner();
        let seen: string = "incomplete";
        for (let end = 2; seen === "incomplete" && end < bytes.length;) {
          end = Math.min(end + step, bytes.length);
          seen = scanner.scan(bytes, 2, end);
        }
        assertEquals([seen, scanner.length], [verdict, length], `pieces of ${step}`);
      }
    });
  }
});

Deno.test("HeadScanner sees bytes that are not ASCII, and forgets them for the next head", () => {
  const scanner = new HeadScanner();
  assertEquals(scanner.scan(toBytes("A: \xe9\r\n\r\n"), 0, 8), "complete");
  assertEquals(scanner.isAscii, false);
  scanner.reset();
  assertEquals([scanner.isAscii, scanner.length], [true, 0]);
});

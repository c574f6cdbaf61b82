// The head of a connection's last request.

import { assertEquals } from "@std/assert";
import { LastHead } from "../../../src/transport/http_last_head.ts";
import { HEAD, toBytes } from "../../harness/http_samples.ts";

Deno.test("LastHead.find() knows a head again wherever it lies, and no head that differs in one byte", () => {
  const buffer = new Uint8Array(64);
  for (const text of ["GET / HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n", "G", ""]) {
    const bytes = toBytes(text);
    const last = new LastHead(buffer);
    last.keep(bytes, HEAD);
    for (let start = 0; start < 10; start++) {
      const end = start + bytes.length;
      buffer.fill(0xff).set(bytes, start);
      assertEquals(last.find(start, end), HEAD);
      assertEquals(last.find(start, end + 5), HEAD);
      if (text !== "") assertEquals(last.find(start, end - 1), undefined);
      for (let at = start; at < end; at++) {
        buffer[at]! ^= 0x80;
        assertEquals(last.find(start, end), undefined, `byte ${at} of a head at ${start}`);
        buffer[at]! ^= 0x80;
      }
    }
  }
});

Deno.test("LastHead.find() looks to the end of a buffer that is no whole number of words", () => {
  const buffer = new Uint8Array(19);
  const bytes = toBytes("GET / HTTP/1.1\r\n\r\n");
  const last = new LastHead(buffer);
  last.keep(bytes, HEAD);
  for (const start of [0, 1]) {
    buffer.fill(0).set(bytes, start);
    assertEquals(last.find(start, start + bytes.length), HEAD);
  }
});

Deno.test("LastHead.find() knows the newest head only", () => {
  const buffer = new Uint8Array(64);
  const last = new LastHead(buffer);
  assertEquals([last.find(0, 64), last.length], [undefined, 0]);
  const [long, short] = [toBytes("GET /long HTTP/1.1\r\n\r\n"), toBytes("GET / HTTP/1.1\r\n\r\n")];
  last.keep(long, HEAD);
  last.keep(short, HEAD);
  buffer.set(long);
  assertEquals(last.find(0, long.length), undefined);
  buffer.set(short);
  assertEquals([last.find(0, short.length), last.length], [HEAD, short.length]);
});

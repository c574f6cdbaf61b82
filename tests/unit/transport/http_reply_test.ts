// Answers as text.

import { assertEquals, assertThrows } from "@std/assert";
import type { RequestHead } from "../../../src/transport/http_head.ts";
import {
  byteLength,
  type ReplyLine,
  RequestReply,
  writeAnswer,
} from "../../../src/transport/http_reply.ts";
import { Dice } from "../../harness/dice.ts";

const OPTIONS = { date: "now", isLast: false, isBodiless: false };

Deno.test("writeAnswer() counts bytes, not characters", () => {
  assertEquals(
    writeAnswer({ status: 200, headers: { "content-type": "text/plain" }, body: "aé€😀" }, OPTIONS),
    "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\naé€😀",
  );
});

Deno.test("writeAnswer() tells the length of the body that HEAD leaves out", () => {
  assertEquals(
    writeAnswer({ status: 200, body: "abc" }, { ...OPTIONS, isBodiless: true }),
    "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 3\r\n\r\n",
  );
});

Deno.test("writeAnswer() gives no length where there can be no body", () => {
  for (const status of [204, 304]) {
    assertEquals(writeAnswer({ status }, OPTIONS).includes("content-length"), false);
  }
  assertEquals(writeAnswer({ status: 202 }, OPTIONS).endsWith("content-length: 0\r\n\r\n"), true);
});

Deno.test("writeAnswer() says when the connection ends, and needs no reason phrase", () => {
  assertEquals(
    writeAnswer({ status: 299 }, { ...OPTIONS, isLast: true }),
    "HTTP/1.1 299 \r\ndate: now\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
});

Deno.test("writeAnswer() lets no header field smuggle another", () => {
  const rows = [
    { "x": "a\r\nb: c" },
    { "x": "a\nb" },
    { "x": "é" },
    { "x\r\n": "a" },
    { "x:": "a" },
    { "": "a" },
  ];
  for (const headers of rows) {
    assertThrows(() => writeAnswer({ status: 200, headers }, OPTIONS), TypeError);
  }
});

Deno.test("byteLength() agrees with the encoder for any text, halves of pairs included", () => {
  const dice = new Dice(7);
  const encoder = new TextEncoder();
  const units = [0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xffff];
  for (let round = 0; round < 5_000; round++) {
    const text = String.fromCharCode(
      ...Array.from({ length: dice.below(8) }, () => dice.pick(units)),
    );
    assertEquals(byteLength(text), encoder.encode(text).length, JSON.stringify(text));
  }
  for (const unit of ["a", "\u20ac", "\u{1f600}", "\ud800"]) {
    for (let length = 1020; length <= 1028; length++) {
      const text = `${"a".repeat(length)}${unit.repeat(3_000)}`;
      assertEquals(byteLength(text), encoder.encode(text).length, `${length} and ${unit}`);
    }
  }
});

/** A line that keeps what is written to it. */
class Record implements ReplyLine {
  text = "";
  /** Texts that did not wait for others of their turn. */
  prompt = 0;
  readonly floor = { date: "now", isClosing: false };
  readonly completed: boolean[] = [];
  readonly writer = { ready: () => undefined };

  send(text: string, isNow = false): void {
    if (isNow) this.prompt += 1;
    this.text += text;
  }

  complete(isLast: boolean): void {
    this.completed.push(isLast);
  }
}

const HEAD: RequestHead = {
  kind: "head",
  method: "GET",
  path: "/",
  query: "",
  headers: new Map(),
  peer: "192.0.2.1",
  isHttp10: false,
  isLast: false,
  bodyLength: 0,
  isWaiting: false,
};

Deno.test("RequestReply drops every answer but the first", () => {
  const line = new Record();
  const reply = new RequestReply(line, HEAD);
  reply.answer({ status: 202 });
  const { text } = line;
  reply.answer({ status: 200 });
  const stream = reply.stream({ status: 200, headers: {} });
  stream.send("a");
  stream.end();
  assertEquals([line.text, line.completed, stream.ready()], [text, [false], undefined]);
});

Deno.test("RequestReply streams in chunks, without the empty one before the end", () => {
  const line = new Record();
  const stream = new RequestReply(line, HEAD).stream({ status: 200, headers: { a: "b" } });
  stream.send("é".repeat(8));
  stream.send("");
  stream.send("z");
  stream.end();
  stream.end();
  stream.send("late");
  assertEquals(
    line.text,
    "HTTP/1.1 200 OK\r\ndate: now\r\na: b\r\ntransfer-encoding: chunked\r\n\r\n" +
      `10\r\n${"é".repeat(8)}\r\n1\r\nz\r\n0\r\n\r\n`,
  );
  assertEquals(line.completed, [false]);
});

Deno.test("RequestReply streams to HTTP/1.0 until the connection ends", () => {
  const line = new Record();
  const head = { ...HEAD, isHttp10: true, isLast: true };
  const stream = new RequestReply(line, head).stream({ status: 200, headers: {} });
  stream.send("ab");
  stream.end();
  assertEquals(line.text, "HTTP/1.1 200 OK\r\ndate: now\r\nconnection: close\r\n\r\nab");
  assertEquals(line.completed, [true]);
});

Deno.test("RequestReply answers HEAD with the head of a stream", () => {
  const line = new Record();
  const stream = new RequestReply(line, { ...HEAD, method: "HEAD" })
    .stream({ status: 200, headers: {} });
  stream.send("ab");
  stream.end();
  assertEquals(line.text, "HTTP/1.1 200 OK\r\ndate: now\r\ntransfer-encoding: chunked\r\n\r\n");
  assertEquals(line.completed, [false]);
});

Deno.test("RequestReply tells once that the client has left, and only before the answer is complete", () => {
  const calls: string[] = [];
  const left = new RequestReply(new Record(), HEAD);
  left.onGone(() => calls.push("left"));
  left.leave();
  left.leave();
  left.onGone(() => calls.push("too late"));
  const answered = new RequestReply(new Record(), HEAD);
  answered.onGone(() => calls.push("answered"));
  answered.answer({ status: 200 });
  answered.leave();
  answered.onGone(() => calls.push("answered before"));
  assertEquals(calls, ["left", "too late"]);
});

Deno.test("RequestReply survives a callback that throws", () => {
  const reply = new RequestReply(new Record(), HEAD);
  reply.onGone(() => {
    throw new Error("broken");
  });
  reply.leave();
});

Deno.test("RequestReply writes an answer at once, and lets the parts of a stream leave together", () => {
  const whole = new Record();
  new RequestReply(whole, HEAD).answer({ status: 200, body: "a" });
  assertEquals(whole.prompt, 1);
  const line = new Record();
  const stream = new RequestReply(line, HEAD).stream({ status: 200, headers: {} });
  stream.send("a");
  stream.end();
  assertEquals([line.prompt, line.completed], [0, [false]]);
});

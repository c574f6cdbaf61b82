// The one answer of a request.

import { assertEquals } from "@std/assert";
import { AnswerHeads } from "../../../src/transport/http_answer.ts";
import { type ReplyLine, RequestReply } from "../../../src/transport/http_reply.ts";
import type { Writable } from "../../../src/transport/lines.ts";
import { HEAD } from "../../harness/http_samples.ts";

/** A line that keeps what is written to it. */
class Record implements ReplyLine {
  text = "";
  /** Texts that did not wait for others of their turn. */
  prompt = 0;
  readonly floor = { date: "now", isClosing: false, heads: new AnswerHeads() };
  readonly completed: boolean[] = [];
  readonly writer = { ready: () => undefined };

  send(text: Writable, isNow = false): void {
    if (isNow) this.prompt += 1;
    this.text += text;
  }

  complete(isLast: boolean): void {
    this.completed.push(isLast);
  }
}

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

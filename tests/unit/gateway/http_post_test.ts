// When the answer to a POST becomes a stream of events.

import { assertEquals } from "@std/assert";
import { parseAccept, PostReply, statelessStatus } from "../../../src/gateway/http_post.ts";
import type { HttpAnswer, HttpReply, HttpStream } from "../../../src/transport/http.ts";

/** Keeps what it is told, as text. */
class RecordedReply implements HttpReply {
  text = "";

  answer({ body = "" }: HttpAnswer): void {
    this.text += `JSON ${body}`;
  }

  stream(): HttpStream {
    this.text += "events ";
    return { send: (text) => void (this.text += text), ready: () => undefined, end: () => {} };
  }

  onGone(): void {}
}

function createReply(http: HttpReply, accept?: string): PostReply {
  const host = { headers: {}, statusOf: statelessStatus, finish: () => {} };
  return new PostReply(http, parseAccept(accept), host);
}

Deno.test("PostReply.keepAlive() leaves a young request its JSON, and begins events for an old one", () => {
  const young = new RecordedReply();
  const reply = createReply(young);
  reply.keepAlive();
  reply.answer("{}", 1);
  assertEquals(young.text, "JSON {}");
  const old = new RecordedReply();
  const late = createReply(old);
  late.keepAlive();
  late.keepAlive();
  late.answer("{}", 1);
  assertEquals(old.text, "events : keep-alive\n\nevent: message\ndata: {}\n\n");
});

Deno.test("PostReply.keepAlive() tells nothing to a client that takes no events", () => {
  const http = new RecordedReply();
  const reply = createReply(http, "application/json");
  reply.keepAlive();
  reply.keepAlive();
  reply.answer("{}", 1);
  assertEquals(http.text, "JSON {}");
});

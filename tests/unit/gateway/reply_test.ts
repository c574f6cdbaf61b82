// Answers one by one, and answers of a batch in one array.

import { assertEquals } from "@std/assert";
import { BatchReply, DirectReply } from "../../../src/gateway/reply.ts";
import { RecordingOutlet } from "./recorded_exchange.ts";

Deno.test("BatchReply sends nothing when every answer is skipped", () => {
  const outlet = new RecordingOutlet();
  const reply = new BatchReply(new DirectReply(outlet), 2, 1000);
  reply.skip();
  reply.skip();
  assertEquals(outlet.sent, []);
});

Deno.test("BatchReply sends nothing before the last answer, then all in the order they came", () => {
  const outlet = new RecordingOutlet();
  const reply = new BatchReply(new DirectReply(outlet), 3, 1000);
  reply.answer('{"id":2}', 2);
  reply.skip();
  assertEquals(outlet.sent, []);
  reply.answer('{"id":1}', 1);
  assertEquals(outlet.sent, ['[{"id":2},{"id":1}]']);
});

Deno.test("BatchReply is an array even for one answer", () => {
  const outlet = new RecordingOutlet();
  new BatchReply(new DirectReply(outlet), 1, 1000).answer("{}", undefined);
  assertEquals(outlet.sent, ["[{}]"]);
});

Deno.test("BatchReply replaces an answer that does not fit, and keeps a later one that does", () => {
  const outlet = new RecordingOutlet();
  const reply = new BatchReply(new DirectReply(outlet), 2, 10);
  reply.answer("[1,2,3,4,5,6]", 7);
  reply.answer("{}", 8);
  const [refused, kept] = JSON.parse(outlet.sent[0] ?? "[]");
  assertEquals([refused.id, refused.error.code, kept], [7, -32603, {}]);
});

Deno.test("DirectReply sends each answer as it comes", () => {
  const outlet = new RecordingOutlet();
  const reply = new DirectReply(outlet);
  reply.answer("1");
  reply.skip();
  reply.answer("2");
  assertEquals(outlet.sent, ["1", "2"]);
});

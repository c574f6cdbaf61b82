// What domain events mean to a client that gets one result.

import { assertEquals } from "@std/assert";
import { type Meaning, toMeaning } from "../../../src/gateway/domain_event.ts";
import type { JsonValue } from "../../../src/jsonrpc/message.ts";

const NOTHING: Meaning = { kind: "nothing" };

function text(text: string): Meaning {
  return { kind: "text", text };
}

function note(text: string): Meaning {
  return { kind: "note", text };
}

function failure(message: string): Meaning {
  return { kind: "failure", message };
}

const MEANINGS: readonly (readonly [JsonValue, Meaning])[] = [
  [null, note("null")],
  [7, note("7")],
  [[1, "a"], note('[1,"a"]')],
  ["plain", text("plain")],
  [{}, note("{}")],
  [{ type: 1 }, note('{"type":1}')],
  [{ type: "unheard_of", a: 1 }, note('{"type":"unheard_of","a":1}')],
  [{ type: "start" }, NOTHING],
  [{ type: "chat_start" }, NOTHING],
  [{ type: "thinking", text: "hm" }, NOTHING],
  [{ type: "stderr", line: "x" }, NOTHING],
  [{ type: "progress", progress: 1 }, NOTHING],
  [{ type: "data" }, NOTHING],
  [{ type: "data", content: "x" }, text("x")],
  [{ type: "data", content: { type: "error", message: "no" } }, failure("no")],
  [{ type: "content", text: "a" }, text("a")],
  [{ type: "chat_content", content: "b" }, text("b")],
  [{ type: "content" }, text("")],
  [{ type: "content", content: { a: 1 } }, text('{"a":1}')],
  [{ type: "stdout", line: "l" }, text("l\n")],
  [{ type: "stdout", data: "d" }, text("d\n")],
  [{ type: "stdout" }, text("\n")],
  [{ type: "tool_use", tool_name: "t", input: { a: 1 } }, note('[Tool: t] {"a":1}')],
  [{ type: "tool_use", name: "n", input: "i" }, note("[Tool: n] i")],
  [{ type: "tool_use" }, note("[Tool: unknown] {}")],
  [{ type: "error", message: "m" }, failure("m")],
  [{ type: "error", error: { code: 1 } }, failure('{"code":1}')],
  [{ type: "error" }, failure("Tool failed")],
  [{ type: "exit", code: 0 }, { kind: "end", result: undefined }],
  [{ type: "exit", code: 3 }, failure("Exited with code 3")],
  [{ type: "exit" }, failure("Exited with code unknown")],
  [{ type: "complete", result: { a: 1 } }, { kind: "end", result: { a: 1 } }],
  [{ type: "chat_complete" }, { kind: "end", result: undefined }],
  [{ type: "done", result: null }, { kind: "end", result: null }],
  [{ type: "text", text: "x" }, { kind: "block", block: { type: "text", text: "x" } }],
  [{ type: "text", text: 1 }, note('{"type":"text","text":1}')],
  [
    { type: "image", data: "AA==", mimeType: "image/png" },
    { kind: "block", block: { type: "image", data: "AA==", mimeType: "image/png" } },
  ],
  [
    { type: "audio", mimeType: "audio/wav" },
    { kind: "block", block: { type: "audio", data: "", mimeType: "audio/wav" } },
  ],
  [{ type: "image", data: "AA==" }, note('{"type":"image","data":"AA=="}')],
  [
    { type: "resource", resource: { uri: "a:b", text: "t", mimeType: "text/plain" } },
    {
      kind: "block",
      block: { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", text: "t" } },
    },
  ],
  [
    { type: "resource", resource: { uri: "a:b", blob: "AA==" } },
    { kind: "block", block: { type: "resource", resource: { uri: "a:b", blob: "AA==" } } },
  ],
  [
    { type: "resource", resource: { uri: "a:b" } },
    { kind: "block", block: { type: "resource", resource: { uri: "a:b", text: "" } } },
  ],
  [{ type: "resource", resource: {} }, note('{"type":"resource","resource":{}}')],
];

Deno.test("toMeaning() reads events by their type and loses none", async (t) => {
  for (const [data, meaning] of MEANINGS) {
    await t.step(JSON.stringify(data), () => assertEquals(toMeaning(data), meaning));
  }
});

/** Blocks as data: every kind is told apart, and sizes and tokens are those of the views. */
import { assertEquals } from "@std/assert";
import { toPriorityAnnotation } from "../../../src/bcp/encode.ts";
import { measurePayload, outlineBlocks } from "../../../src/bcp/views.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";

const CONTENT = toUtf8("12345678");

Deno.test("outlineBlocks() names what each block is, without its content", () => {
  const outline = outlineBlocks([
    { kind: "code", lang: 2, path: "a.ts", content: CONTENT, summary: "s" },
    toPriorityAnnotation(0, "high"),
    { kind: "code", lang: 99, path: "b", content: Uint8Array.of(0xff, 0, 0, 0, 0, 0, 0, 0) },
    { kind: "conversation", role: "user", content: CONTENT },
    { kind: "file_tree", root: "/", entries: [] },
    { kind: "tool_result", name: "ls", status: "ok", content: CONTENT },
    { kind: "document", title: "T", content: CONTENT, format: "plain" },
    { kind: "structured_data", format: "csv", content: CONTENT },
    { kind: "diff", path: "d", hunks: [{ oldStart: 1, newStart: 1, lines: CONTENT }] },
    { kind: "embedding_ref", vectorId: CONTENT, sourceHash: CONTENT, model: "m" },
    { kind: "image", media: "gif", alt: "A", content: CONTENT },
    { kind: "extension", namespace: "n", typeName: "t", content: CONTENT },
    { kind: "unknown", type: 0x42, content: CONTENT },
  ]);
  const eight = { bytes: 8, tokens: 2 } as const;
  assertEquals(outline, [
    {
      index: 0,
      type: "code",
      language: "typescript",
      path: "a.ts",
      summary: "s",
      priority: "high",
      ...eight,
    },
    { index: 1, type: "annotation", bytes: 1, tokens: 0 },
    { index: 2, type: "code", path: "b", ...eight },
    { index: 3, type: "conversation", title: "user", ...eight },
    { index: 4, type: "file_tree", title: "/", bytes: 0, tokens: 0 },
    { index: 5, type: "tool_result", title: "ls", ...eight },
    { index: 6, type: "document", title: "T", ...eight },
    { index: 7, type: "structured_data", title: "csv", ...eight },
    { index: 8, type: "diff", path: "d", ...eight },
    { index: 9, type: "embedding_ref", title: "m", bytes: 32, tokens: 3 },
    { index: 10, type: "image", title: "A", ...eight },
    { index: 11, type: "extension", title: "n/t", ...eight },
    { index: 12, type: "unknown", ...eight },
  ]);
});

Deno.test("measurePayload() counts a type's blocks together, in order of appearance", () => {
  const turn = { kind: "conversation", role: "user", content: CONTENT } as const;
  const unknown = { kind: "unknown", type: 0x42, content: CONTENT } as const;
  const stats = measurePayload([turn, unknown, turn, { ...unknown, type: 0x43 }]);
  assertEquals(stats.types, [
    { type: "CONVERSATION", count: 2, bytes: 16 },
    { type: "UNKNOWN", count: 2, bytes: 16 },
  ]);
  assertEquals(stats.total, { count: 4, bytes: 32 });
  assertEquals(measurePayload([]).tokens, { xml: 0, markdown: 0, minimal: 0 });
});

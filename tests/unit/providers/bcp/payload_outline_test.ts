// Outlines of payloads: bounded, and none for what does not decode.

import { assertEquals } from "@std/assert";
import type { Block } from "../../../../src/bcp/block.ts";
import { encodePayload } from "../../../../src/bcp/encode.ts";
import { outlineFile } from "../../../../src/providers/bcp/payload_outline.ts";

const TURN: Block = { kind: "conversation", role: "user", content: new Uint8Array(8).fill(120) };

Deno.test("outlineFile() has nothing to say about what is no payload", async () => {
  assertEquals(await outlineFile(new Uint8Array([1, 2, 3])), undefined);
});

Deno.test("outlineFile() counts every block and lists the first thousand", async () => {
  const blocks = Array.from({ length: 1500 }, () => TURN);
  const outline = await outlineFile(encodePayload(blocks));
  assertEquals(
    [outline?.blockCount, outline?.contentBytes, outline?.tokens, outline?.blocks.length],
    [1500, 12_000, 3000, 1000],
  );
});

Deno.test("outlineFile() shortens summaries", async () => {
  const outline = await outlineFile(encodePayload([{ ...TURN, summary: "s".repeat(2000) }]));
  assertEquals(outline?.blocks[0]?.summary?.length, 500);
});

/** The encoder: what it refuses, what it leaves alone, and that decoding copies nothing. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Block, FileEntry } from "../../../src/bcp/block.ts";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload } from "../../../src/bcp/encode.ts";
import { BcpEncodeError, BcpSyntaxError } from "../../../src/bcp/error.ts";
import { MAX_RECORDS, MAX_TREE_DEPTH } from "../../../src/bcp/fields.ts";
import { ContentStore } from "../../../src/bcp/store.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";

const MIB = 1024 * 1024;
/** Fields around an unknown block's content: none. */
const OVERHEAD = 8 + 3 + 4;

Deno.test("encodePayload() refuses what no payload can hold", async (t) => {
  const cases = [
    { name: "no blocks", blocks: [], message: "no blocks have been added to the encoder" },
    {
      name: "a body over 16 MiB",
      blocks: [opaque(16 * MIB + 1)],
      message: "block body exceeds maximum size (16777217 bytes, limit 16777216)",
    },
    {
      name: "dedup without a store",
      blocks: [opaque(1)],
      options: { dedup: true },
      message: "content addressing requires a content store (call set_content_store first)",
    },
  ] as const;
  for (const { name, blocks, message, ...rest } of cases) {
    await t.step(name, () => {
      const options = "options" in rest ? rest.options : {};
      const error = assertThrows(() => encodePayload(blocks, options), BcpEncodeError);
      assertEquals(error.message, message);
    });
  }
});

Deno.test("encodePayload() compresses bodies from 256 bytes on, if that helps", async (t) => {
  const cases = [
    { name: "255 bytes", block: opaque(255), isCompressed: false },
    { name: "256 bytes", block: opaque(256), isCompressed: true },
    { name: "256 bytes of noise", block: noise(256), isCompressed: false },
  ] as const;
  for (const { name, block, isCompressed } of cases) {
    await t.step(name, async () => {
      const { packing } = await decodePayload(encodePayload([block], { compressBlocks: true }));
      assertEquals(packing.compressBlocks.size, isCompressed ? 1 : 0);
    });
  }
});

Deno.test("encodePayload() makes the reference's zstd bytes", () => {
  const content = toUtf8("fn placeholder() {}\n".repeat(20));
  const block = { kind: "code", lang: 1, path: "src/big.rs", content } as const;
  const bytes = encodePayload([block], { compressBlocks: true });
  assertEquals([bytes.length, bytes.subarray(8, 17).toHex()], [73, "01023a28b52ffd0058"]);
});

Deno.test("encodePayload() keeps a payload plain when zstd does not make it smaller", async () => {
  const plain = encodePayload([noise(64)]);
  assertEquals(encodePayload([noise(64)], { compressPayload: true }), plain);
  const small = encodePayload([opaque(64)], { compressPayload: true, compressBlocks: true });
  assertEquals((await decodePayload(small)).packing.compressPayload, true);
});

Deno.test("encodePayload() addresses the whole body by its BLAKE3 hash", async () => {
  const code = { kind: "code", lang: 1, path: "a.rs", content: toUtf8("fn a() {}") } as const;
  const store = new ContentStore();
  const bytes = encodePayload([code], { store, dedup: new Set([0]) });
  const hash = "2927345c863a8cf281f06b0c32abd80dea49bdb164a1acc8a0da3baad25fc6f8";
  assertEquals(bytes.subarray(8, -4).toHex(), `010420${hash}`);
  assertEquals((await decodePayload(bytes, { store })).blocks, [code]);
  const other = { ...code, summary: "s" };
  const twice = encodePayload([code, other, code, other], {
    store: new ContentStore(),
    dedup: true,
  });
  const inline = encodePayload([code, other]).length - OVERHEAD + 3;
  assertEquals(twice.length, inline + 2 * (3 + 32) + 8 + 4);
});

Deno.test("decodePayload() finds references only in the store it is given", async () => {
  const bytes = encodePayload([opaque(9)], { store: new ContentStore(), dedup: new Set([0]) });
  const cases = [
    { options: {}, code: "no_store" },
    { options: { store: new ContentStore() }, code: "unresolved" },
  ] as const;
  for (const { options, code } of cases) {
    const error = await decodePayload(bytes, options).catch((error) => error);
    assert(error instanceof BcpSyntaxError);
    assertEquals(error.code, code);
  }
  const short = Uint8Array.of(...bytes.subarray(0, 8), 0x42, 0x04, 1, 0, 0xff, 1, 0, 0);
  const error = await decodePayload(short, { store: new ContentStore() }).catch((error) => error);
  assertEquals(error.message, "unexpected end of input at offset 1");
});

Deno.test("decodePayload() bounds nesting and the number of records", async (t) => {
  await t.step("trees as deep as the limit decode", async () => {
    const bytes = encodePayload([treeOf(MAX_TREE_DEPTH)]);
    assertEquals((await decodePayload(bytes)).blocks, [treeOf(MAX_TREE_DEPTH)]);
  });
  await t.step("deeper trees are refused", async () => {
    const error = await decodePayload(encodePayload([treeOf(MAX_TREE_DEPTH + 1)])).catch((e) => e);
    assertEquals(error.message, `file tree nesting exceeds limit ${MAX_TREE_DEPTH}`);
  });
  await t.step("too many blocks are refused", async () => {
    const bytes = new Uint8Array(8 + 3 * (MAX_RECORDS + 1));
    bytes.set([0x42, 0x43, 0x50, 0, 1]);
    const error = await decodePayload(bytes).catch((error) => error);
    assertEquals(error.code, "limit");
  });
});

Deno.test("decodePayload() copies no content, however large", async () => {
  const bytes = encodePayload([opaque(4 * MIB), noise(MIB)]);
  for (const block of (await decodePayload(bytes)).blocks) {
    assert(block.kind === "unknown" && block.content.buffer === bytes.buffer);
  }
});

function opaque(size: number): Block {
  return { kind: "unknown", type: 0x42, content: new Uint8Array(size) };
}

function noise(size: number): Block {
  const content = Uint8Array.from({ length: size }, (_, i) => (i * 2654435761) >>> 24);
  return { kind: "unknown", type: 0x42, content };
}

function treeOf(depth: number): Block {
  let entry: FileEntry = { name: "leaf", kind: "file", size: 1n, children: [] };
  for (let i = 1; i < depth; i++) {
    entry = { name: "d", kind: "directory", size: 0n, children: [entry] };
  }
  return { kind: "file_tree", root: "/", entries: [entry] };
}

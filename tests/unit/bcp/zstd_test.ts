/** Compressed bodies and payloads: bombs first, then streams of several frames. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Block } from "../../../src/bcp/block.ts";
import { blockSize } from "../../../src/bcp/block_text.ts";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload } from "../../../src/bcp/encode.ts";
import { BcpSyntaxError } from "../../../src/bcp/error.ts";
import { compress, inflatePayload } from "../../../src/bcp/zstd.ts";
import { findZstdFrame } from "../../../src/bcp/zstd_frame.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const MAX_REFUSAL_BYTES = 64 * MIB;
/** What the native decoder may hold beside that: the largest window it accepts while counting. */
const DECODER_BYTES = 16 * MIB;
const HEADER = [0x42, 0x43, 0x50, 0x00, 1, 0, 0, 0] as const;
const COMPRESSED_HEADER = [0x42, 0x43, 0x50, 0x00, 1, 0, 1, 0] as const;

const BOMBS = [
  {
    name: "a payload of 10 MiB that inflates to 10 GiB",
    bytes: () => join([COMPRESSED_HEADER, zeros(10 * GIB, 4 * KIB)]),
    message: `decompressed size ${10 * GIB} exceeds limit ${256 * MIB}`,
  },
  {
    name: "a payload whose frames do not tell that they inflate to 512 MiB",
    bytes: () => join([COMPRESSED_HEADER, ...new Array(64).fill(pattern(8 * MIB))]),
    message: `decompressed size ${256 * MIB + 1} exceeds limit ${256 * MIB}`,
  },
  {
    name: "a block that inflates to 10 GiB",
    bytes: () => join([HEADER, block(zeros(10 * GIB, 128 * KIB))]),
    message: `decompressed size ${10 * GIB} exceeds limit ${16 * MIB}`,
  },
  {
    name: "a block that does not tell that it inflates to 24 MiB",
    bytes: () => join([HEADER, block(pattern(24 * MIB))]),
    message: `decompressed size ${16 * MIB + 1} exceeds limit ${16 * MIB}`,
  },
  {
    name: "640 blocks of 16 MiB each",
    bytes: () => join([HEADER, ...new Array(640).fill(block(pattern(16 * MIB)))]),
    message: `decompressed size ${272 * MIB} exceeds limit ${256 * MIB}`,
  },
  {
    name: "a large payload with a window of 128 MiB",
    bytes: () => join([COMPRESSED_HEADER, zeros(128 * MIB, 128 * KIB, 27), pattern(MIB)]),
    message: "zstd decompression failed: Frame requires too much memory for decoding",
  },
] as const;

for (const { name, bytes, message } of BOMBS) {
  Deno.test(`decodePayload() refuses ${name} in under 64 MiB`, async () => {
    const bomb = bytes();
    const before = usedBytes();
    let peak = before;
    const sampler = setInterval(() => peak = Math.max(peak, usedBytes()), 1);
    try {
      const error = await assertRejects(() => decodePayload(bomb), BcpSyntaxError);
      assertEquals(error.message, message);
    } finally {
      clearInterval(sampler);
    }
    peak = Math.max(peak, usedBytes());
    const growth = peak - before + DECODER_BYTES;
    assert(growth < MAX_REFUSAL_BYTES, `refusal took ${growth / MIB} MiB`);
  });
}

/** Memory of this thread alone: tests of other files may share the process. */
function usedBytes(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test("inflatePayload() inflates exactly as much as its limit", async () => {
  assertEquals((await inflatePayload(zeros(MIB, 4 * KIB), MIB)).length, MIB);
  await assertRejects(() => inflatePayload(zeros(MIB, 4 * KIB), MIB - 1), BcpSyntaxError);
  for (const frame of [zeros(40 * MIB, 128 * KIB), pattern(40 * MIB)]) {
    assertEquals((await inflatePayload(frame)).length, 40 * MIB);
  }
});

Deno.test("decodePayload() reads compressed blocks of more than 16 MiB in all", async () => {
  const content = new Uint8Array(9 * MIB).fill(7);
  const blocks = new Array<Block>(4).fill({ kind: "unknown", type: 0x42, content });
  const payload = await decodePayload(encodePayload(blocks, { compressBlocks: true }));
  assertEquals(payload.blocks.map(blockSize), new Array(4).fill(9 * MIB));
});

Deno.test("compress() writes frames as the reference does: no content size, no checksum", () => {
  const frame = compress(new TextEncoder().encode("fn placeholder() {}\n".repeat(21)));
  assertEquals(frame.subarray(0, 6).toHex(), "28b52ffd0058");
  assertEquals(findZstdFrame(frame, 0), {
    kind: "frame",
    end: frame.length,
    minBytes: 0,
    maxBytes: 128 * KIB,
  });
});

Deno.test("findZstdFrame() reads declared content sizes of every width", async (t) => {
  const cases = [
    { name: "one byte", hex: "28b52ffd 20 05 010000", minBytes: 5 },
    { name: "two bytes", hex: "28b52ffd 60 0100 010000", minBytes: 257 },
    { name: "four bytes", hex: "28b52ffd a0 00000001 010000", minBytes: 16 * MIB },
    { name: "eight bytes", hex: "28b52ffd e0 0000000001000000 010000", minBytes: 4 * GIB },
  ] as const;
  for (const { name, hex, minBytes } of cases) {
    await t.step(name, () => {
      const bytes = Uint8Array.fromHex(hex.replaceAll(" ", ""));
      const expected = { kind: "frame", end: bytes.length, minBytes, maxBytes: 0 } as const;
      assertEquals(findZstdFrame(bytes, 0), expected);
    });
  }
});

Deno.test("findZstdFrame() counts dictionary id and checksum, and sees every cut", () => {
  const bytes = Uint8Array.fromHex("28b52ffd075801020304 090000 61 11223344".replaceAll(" ", ""));
  const { length } = bytes;
  assertEquals(findZstdFrame(bytes, 0), { kind: "frame", end: length, minBytes: 1, maxBytes: 1 });
  for (let end = 0; end < length; end++) {
    assertEquals(findZstdFrame(bytes.subarray(0, end), 0), { kind: "incomplete" });
  }
});

/** A frame of run-length blocks that inflates to `total` zero bytes. */
function zeros(total: number, blockBytes: number, windowLog = 21): Uint8Array {
  const count = total / blockBytes;
  const frame = new Uint8Array(6 + 4 * count);
  frame.set([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]);
  const view = new DataView(frame.buffer);
  for (let i = 0; i < count; i++) {
    const isLast = i === count - 1 ? 1 : 0;
    view.setUint32(6 + 4 * i, (blockBytes << 3) | (1 << 1) | isLast, true);
  }
  return frame;
}

/** A frame of compressed blocks: a short pattern, repeated up to `total` bytes. */
function pattern(total: number): Uint8Array {
  const bytes = new Uint8Array(total);
  for (let i = 0; i < KIB; i++) bytes[i] = (i * 7919) >> 3;
  for (let at = KIB; at < total; at *= 2) bytes.copyWithin(at, 0, at);
  return compress(bytes);
}

/** A frame of unknown type with a compressed body. */
function block(body: Uint8Array): Uint8Array {
  const length = body.length;
  const varint = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return join([[0x42, 0x02, ...varint], body]);
}

function join(parts: readonly ArrayLike<number>[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

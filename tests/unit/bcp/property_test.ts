/** What must hold for all blocks and all bytes, tried on many; seeds are fixed, so a failure repeats. */
import { assert, assertEquals } from "@std/assert";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload } from "../../../src/bcp/encode.ts";
import { BcpSyntaxError } from "../../../src/bcp/error.ts";
import { outlineBlocks } from "../../../src/bcp/views.ts";
import { RENDER_MODES, renderBlocks } from "../../../src/bcp/render.ts";
import { ContentStore } from "../../../src/bcp/store.ts";
import { Dice } from "../../harness/dice.ts";
import { generateBlock } from "./generated_blocks.ts";

const MIB = 1024 * 1024;
const ROUND_TRIPS = 600;
const MUTATIONS = 100_000;
/** Far above what these small payloads need, far below what one unchecked length would ask for. */
const MAX_GROWTH_BYTES = 64 * MIB;

Deno.test("decodePayload() gives back what encodePayload() was given", async () => {
  const random = new Dice(0xb0a7);
  for (let round = 0; round < ROUND_TRIPS; round++) {
    const count = 1 + random.below(12);
    const blocks = Array.from(
      { length: count },
      (_, i) => generateBlock(random, round + i, random.below(random.pick([1, 20, 300, 5000]))),
    );
    await assertRoundTrip(blocks, random, `round ${round}`);
  }
});

Deno.test("decodePayload() gives back blocks of every kind up to 2 MiB", async () => {
  const random = new Dice(0x5eed);
  for (const [i, size] of [0, 1, 127, 128, 255, 256, 16_383, 16_384, MIB, 2 * MIB].entries()) {
    for (let kind = 0; kind < 12; kind++) {
      if (size >= MIB && (kind + i) % 3 !== 0) continue;
      await assertRoundTrip([generateBlock(random, kind, size)], random, `kind ${kind}, ${size}`);
    }
  }
});

Deno.test("decodePayload() throws only BcpSyntaxError for 100,000 mutated payloads", async () => {
  const random = new Dice(0xbad);
  const originals = Array.from({ length: 64 }, (_, i) => {
    const count = 1 + random.below(5);
    const blocks = Array.from({ length: count }, (_, k) => generateBlock(random, i + k, 300));
    return encodePayload(blocks, {
      compressBlocks: random.isOneIn(3),
      compressPayload: random.isOneIn(5),
    });
  });
  const before = Deno.memoryUsage().external;
  let decoded = 0;
  let refused = 0;
  for (let i = 0; i < MUTATIONS; i++) {
    const bytes = mutate(random.pick(originals), random);
    try {
      const { blocks } = await decodePayload(bytes);
      decoded++;
      renderBlocks(blocks, { mode: random.pick(RENDER_MODES), budget: random.below(200) });
      if (i % 16 === 0) outlineBlocks(blocks);
    } catch (error) {
      if (!(error instanceof BcpSyntaxError)) throw error;
      assert(error.offset >= 0, error.message);
      refused++;
    }
  }
  assertEquals(decoded + refused, MUTATIONS);
  assert(decoded > 0 && refused > 0, "mutation must both break payloads and leave some whole");
  const growth = Deno.memoryUsage().external - before;
  assert(growth < MAX_GROWTH_BYTES, `contents grew to ${growth} bytes`);
});

async function assertRoundTrip(
  blocks: readonly ReturnType<typeof generateBlock>[],
  random: Dice,
  label: string,
): Promise<void> {
  const store = new ContentStore();
  const options = {
    compressBlocks: random.isOneIn(2),
    compressPayload: random.isOneIn(3),
    ...(random.isOneIn(3) ? { store, dedup: random.isOneIn(2) || new Set([0]) } : {}),
  };
  const bytes = encodePayload(blocks, options);
  const payload = await decodePayload(bytes, { store });
  assertEquals(toComparable(payload.blocks), toComparable(blocks), label);
  const again = encodePayload(payload.blocks, { ...payload.packing, store });
  assertEquals(toComparable(again), toComparable(bytes), label);
}

/** Bytes as text: comparing megabytes element by element would take most of the test's time. */
function toComparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.toHex();
  if (Array.isArray(value)) return value.map(toComparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toComparable(part)]));
}

function mutate(original: Uint8Array, random: Dice): Uint8Array {
  const bytes = original.slice();
  const edits = 1 + random.below(4);
  for (let i = 0; i < edits; i++) {
    const at = random.below(bytes.length);
    switch (random.below(4)) {
      case 0:
        bytes[at] = random.below(256);
        break;
      case 1:
        bytes[at]! ^= 1 << random.below(8);
        break;
      case 2:
        bytes.copyWithin(at, random.below(bytes.length));
        break;
      case 3:
        bytes.fill(0xff, at, at + 1 + random.below(12));
        break;
    }
  }
  return random.isOneIn(8) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

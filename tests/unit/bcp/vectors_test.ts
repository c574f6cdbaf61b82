/** The wire format by example: what must decode, what must not and in which words, byte by byte. */
import { assertEquals, assertRejects } from "@std/assert";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload } from "../../../src/bcp/encode.ts";
import { BcpSyntaxError } from "../../../src/bcp/error.ts";
import { toInspection } from "../../../src/bcp/views.ts";
import { renderBlocks } from "../../../src/bcp/render.ts";
import { ByteReader, ByteWriter } from "../../../src/bcp/bytes.ts";
import ACCEPTED from "../../../fixtures/bcp/accepted.json" with { type: "json" };
import REJECTED from "../../../fixtures/bcp/rejected.json" with { type: "json" };
import VARINTS from "../../../fixtures/bcp/varints.json" with { type: "json" };

Deno.test("decodePayload() refuses malformed payloads in the reference's words", async (t) => {
  for (const { name, hex, message, offset, validation = message } of REJECTED) {
    await t.step(name, async () => {
      const error = await assertRejects(() => decodePayload(fromHex(hex)), BcpSyntaxError);
      assertEquals([error.message, error.validation], [message, validation]);
      assertEquals(error.offset, offset);
    });
  }
});

Deno.test("decodePayload() reads what the reference reads", async (t) => {
  for (
    const { name, hex, inspect, canonical, minimal, again = canonical ? hex : undefined }
      of ACCEPTED
  ) {
    await t.step(name, async () => {
      const bytes = fromHex(hex);
      const payload = await decodePayload(bytes);
      const lines = toInspection(payload, { fileBytes: bytes.length }).split("\n");
      assertEquals(lines.slice(1, -3), inspect);
      if (again !== undefined) {
        const encoded = encodePayload(payload.blocks, payload.packing);
        assertEquals(encoded.toHex(), fromHex(again).toHex());
      }
      if (minimal === undefined) return;
      assertEquals(renderBlocks(payload.blocks, { mode: "minimal" }), {
        kind: "rendered",
        text: minimal,
      });
    });
  }
});

Deno.test("decodePayload() refuses every payload cut short at any byte", async () => {
  for (const { hex } of ACCEPTED) {
    const bytes = fromHex(hex);
    for (let length = 0; length < bytes.length; length++) {
      await assertRejects(() => decodePayload(bytes.subarray(0, length)), BcpSyntaxError);
    }
  }
});

Deno.test("ByteReader and ByteWriter agree on every varint vector", async (t) => {
  for (const { value, hex } of VARINTS) {
    await t.step(value, () => {
      const writer = new ByteWriter();
      writer.varint(BigInt(value));
      assertEquals(writer.view().toHex(), hex);
      const reader = new ByteReader(fromHex(hex));
      assertEquals(String(reader.varint()), value);
      assertEquals(reader.remaining, 0);
    });
  }
});

Deno.test("ByteReader.varint() keeps one bit of the tenth byte", () => {
  assertEquals(new ByteReader(fromHex("808080808080808080 7e")).varint(), 0);
  assertEquals(new ByteReader(fromHex("808080808080808080 7f")).varint(), 1n << 63n);
});

function fromHex(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(" ", ""));
}

// How `@std/streams` splits lines and joins text, true of the original and of the stand-in.

import { assertEquals, assertRejects } from "@std/assert";
import { TextLineStream, toText } from "@std/streams";

const CASES = [
  { name: "nothing", chunks: [], lf: [], cr: [] },
  { name: "an empty chunk", chunks: [""], lf: [], cr: [] },
  { name: "no line end", chunks: ["a"], lf: ["a"], cr: ["a"] },
  { name: "a last line end adds no line", chunks: ["a\n"], lf: ["a"], cr: ["a"] },
  {
    name: "empty lines count",
    chunks: ["\n\na\n\n"],
    lf: ["", "", "a", ""],
    cr: ["", "", "a", ""],
  },
  { name: "CRLF", chunks: ["a\r\nb\r\n"], lf: ["a", "b"], cr: ["a", "b"] },
  { name: "CRLF across chunks", chunks: ["a\r", "\nb"], lf: ["a", "b"], cr: ["a", "b"] },
  { name: "a lone CR", chunks: ["a\rb\nc"], lf: ["a\rb", "c"], cr: ["a", "b", "c"] },
  { name: "a lone CR across chunks", chunks: ["a\r", "b"], lf: ["a\rb"], cr: ["a", "b"] },
  { name: "a CR at the end", chunks: ["a\r"], lf: ["a\r"], cr: ["a"] },
  { name: "only a CR", chunks: ["\r"], lf: ["\r"], cr: [""] },
  { name: "two CR", chunks: ["a\r\rb"], lf: ["a\r\rb"], cr: ["a", "", "b"] },
  { name: "CR CR LF", chunks: ["a\r\r\nb"], lf: ["a\r", "b"], cr: ["a", "", "b"] },
  { name: "LF CR", chunks: ["a\n\rb"], lf: ["a", "\rb"], cr: ["a", "", "b"] },
  { name: "a line in pieces", chunks: ["a", "", "b", "c\nd"], lf: ["abc", "d"], cr: ["abc", "d"] },
  { name: "other separators", chunks: ["a\u2028b\x0bc\x85d"], lf: ["a\u2028b\x0bc\x85d"] },
] as const;

Deno.test("TextLineStream splits at LF and CRLF only", async (t) => {
  for (const { name, chunks, lf } of CASES) {
    await t.step(name, async () => {
      const lines = ReadableStream.from<string>(chunks).pipeThrough(new TextLineStream());
      assertEquals<readonly string[]>(await Array.fromAsync(lines), lf);
    });
  }
});

Deno.test("TextLineStream with allowCR splits at a lone CR too", async (t) => {
  for (const { name, chunks, lf, ...row } of CASES) {
    await t.step(name, async () => {
      const stream = new TextLineStream({ allowCR: true });
      const lines = ReadableStream.from<string>(chunks).pipeThrough(stream);
      const expected = "cr" in row ? row.cr : lf;
      assertEquals<readonly string[]>(await Array.fromAsync(lines), expected);
    });
  }
});

Deno.test("TextLineStream does not depend on where bytes are cut", async (t) => {
  const bytes = new TextEncoder().encode('{"é":"😀"}\r\n日本\n');
  for (let size = 1; size <= bytes.length; size++) {
    await t.step(`chunks of ${size} bytes`, async () => {
      const lines = toChunks(bytes, size)
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new TextLineStream());
      assertEquals(await Array.fromAsync(lines), ['{"é":"😀"}', "日本"]);
    });
  }
});

Deno.test("TextLineStream passes an error of its source on", async () => {
  const source = new ReadableStream<string>({
    start: (controller) => controller.error(new RangeError("broken")),
  });
  const lines = source.pipeThrough(new TextLineStream());
  await assertRejects(() => Array.fromAsync(lines), RangeError, "broken");
});

Deno.test("toText() joins strings and decodes bytes cut inside a character", async () => {
  assertEquals(await toText(ReadableStream.from(["Hello, ", "", "world"])), "Hello, world");
  assertEquals(await toText(ReadableStream.from<string>([])), "");
  const bytes = new TextEncoder().encode("é😀日");
  assertEquals(await toText(toChunks(bytes, 1)), "é😀日");
});

Deno.test("toText() replaces bytes that are no UTF-8, an unfinished end included", async () => {
  const bytes = Uint8Array.of(0x61, 0xff, 0x62, 0xf0, 0x9f);
  assertEquals(await toText(toChunks(bytes, 2)), "a\ufffdb\ufffd");
});

function toChunks(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const count = Math.ceil(bytes.length / size);
  return ReadableStream.from(
    Array.from({ length: count }, (_, index) => bytes.slice(index * size, (index + 1) * size)),
  );
}

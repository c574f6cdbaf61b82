// Bytes as lines: wherever a chunk ends, the lines are the same.

import { assertEquals } from "@std/assert";
import type { ByteSource } from "../../../src/transport/bytes.ts";
import { type LineFault, LineSplitter, readLines } from "../../../src/transport/lines.ts";

const NOT_UTF8: LineFault = { kind: "not_utf8" };

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function tooLong(maxBytes: number): LineFault {
  return { kind: "too_long", maxBytes };
}

/** Pushes the bytes in two chunks, the second over the memory of the first, as one buffer is read into. */
function splitAt(bytes: Uint8Array, border: number, maxBytes: number): (string | LineFault)[] {
  const splitter = new LineSplitter(maxBytes);
  const buffer = new Uint8Array(bytes.length);
  const lines: (string | LineFault)[] = [];
  for (const part of [bytes.subarray(0, border), bytes.subarray(border)]) {
    buffer.fill(0).set(part);
    lines.push(...splitter.push(buffer.subarray(0, part.length)));
  }
  return [...lines, ...splitter.end()];
}

function splitBytewise(bytes: Uint8Array, maxBytes: number): (string | LineFault)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = [...bytes].flatMap((byte) => splitter.push(Uint8Array.of(byte)));
  return [...lines, ...splitter.end()];
}

const CASES: readonly {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly maxBytes: number;
  readonly lines: readonly (string | LineFault)[];
}[] = [
  {
    name: "a line that is too long is skipped and reading resumes",
    bytes: bytesOf("ab\nabcdefghij\ncd\n"),
    maxBytes: 4,
    lines: ["ab", tooLong(4), "cd"],
  },
  {
    name: "a line that is too long and never ends",
    bytes: bytesOf("ab\nabcdefghij"),
    maxBytes: 4,
    lines: ["ab", tooLong(4)],
  },
  {
    name: "a line of exactly the bound, and one of a byte more",
    bytes: bytesOf("abcd\nabcde\nabcd"),
    maxBytes: 4,
    lines: ["abcd", tooLong(4), "abcd"],
  },
  {
    name: "the bound counts bytes, not characters",
    bytes: bytesOf("éé\nééé\n"),
    maxBytes: 4,
    lines: ["éé", tooLong(4)],
  },
  {
    name: "lines that are no UTF-8, in the middle",
    bytes: Uint8Array.of(0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0a, 0xc3, 0x0a, 0x63, 0x0a),
    maxBytes: 100,
    lines: ["a", NOT_UTF8, "b", NOT_UTF8, "c"],
  },
  {
    name: "half a character at the end",
    bytes: Uint8Array.of(0x61, 0x0a, 0xe2, 0x82),
    maxBytes: 100,
    lines: ["a", NOT_UTF8],
  },
  {
    name: "a surrogate and an overlong form, which are no UTF-8",
    bytes: Uint8Array.of(0xed, 0xa0, 0x80, 0x0a, 0xc0, 0xaf, 0x0a),
    maxBytes: 100,
    lines: [NOT_UTF8, NOT_UTF8],
  },
  { name: "nothing", bytes: bytesOf(""), maxBytes: 100, lines: [] },
  {
    name: "empty lines",
    bytes: bytesOf("\n\na\n\n"),
    maxBytes: 100,
    lines: ["", "", "a", ""],
  },
  {
    name: "characters of one to four bytes",
    bytes: bytesOf("aé€😀\n😀€éa\n"),
    maxBytes: 100,
    lines: ["aé€😀", "😀€éa"],
  },
  {
    name: "carriage returns are kept, for the parser to forgive",
    bytes: bytesOf("a\r\nb\rc\r\n"),
    maxBytes: 100,
    lines: ["a\r", "b\rc\r"],
  },
  {
    name: "a last line without an end",
    bytes: bytesOf("a\nlast"),
    maxBytes: 100,
    lines: ["a", "last"],
  },
  {
    name: "byte order marks and separators are text",
    bytes: bytesOf("\ufeffa\u2028b\u0085\n\ufeff\n"),
    maxBytes: 100,
    lines: ["\ufeffa\u2028b\u0085", "\ufeff"],
  },
];

Deno.test("LineSplitter splits the same at every chunk border", async (t) => {
  for (const { name, bytes, maxBytes, lines } of CASES) {
    await t.step(name, () => {
      for (let border = 0; border <= bytes.length; border++) {
        assertEquals(splitAt(bytes, border, maxBytes), [...lines], `border ${border}`);
      }
      assertEquals(splitBytewise(bytes, maxBytes), [...lines], "byte by byte");
    });
  }
});

Deno.test("LineSplitter tells of a line that is too long before its end", () => {
  const splitter = new LineSplitter(4);
  assertEquals(splitter.push(bytesOf("abcde")), [tooLong(4)]);
  assertEquals(splitter.push(bytesOf("f".repeat(1000))), []);
  assertEquals(splitter.push(bytesOf("\nok\n")), ["ok"]);
  assertEquals(splitter.end(), []);
});

function sourceOf(parts: readonly Uint8Array[]): ByteSource {
  const rest = [...parts];
  return {
    read(buffer) {
      const part = rest.shift();
      if (part !== undefined) buffer.set(part);
      return Promise.resolve(part === undefined ? null : part.length);
    },
  };
}

Deno.test("readLines() yields the lines of one read together", async () => {
  const source = sourceOf([bytesOf("a\nb\nc"), bytesOf("d"), bytesOf("\ne")]);
  assertEquals(await Array.fromAsync(readLines(source, { maxBytes: 100 })), [
    ["a", "b"],
    ["cd"],
    ["e"],
  ]);
});

Deno.test("readLines() ends with its source and fails with it", async () => {
  assertEquals(await Array.fromAsync(readLines(sourceOf([]), { maxBytes: 100 })), []);
  const failing: ByteSource = { read: () => Promise.reject(new RangeError("broken")) };
  const lines = readLines(failing, { maxBytes: 100 });
  const outcome = await lines.next().catch((error: unknown) => error);
  assertEquals(outcome instanceof RangeError, true);
});

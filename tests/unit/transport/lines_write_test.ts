// Lines to a sink: in order, together where possible, and never more than the sink takes.

import { assertEquals } from "@std/assert";
import type { ByteSink } from "../../../src/transport/bytes.ts";
import { AnswerEncoder } from "../../../src/transport/http_answer.ts";
import { LineWriter, type LineWriterOptions } from "../../../src/transport/lines.ts";

const OPTIONS = { highWaterMark: 10 };

/** With memory that is used again for each write. */
function reusing(): LineWriterOptions {
  return { ...OPTIONS, encode: new AnswerEncoder().encode };
}

/** A sink that takes `step` bytes at a time and waits for `allow` before each write. */
class SlowSink implements ByteSink {
  readonly writes: string[] = [];
  readonly #step: number;
  readonly #gates: PromiseWithResolvers<void>[] = [];
  readonly #isOpen: boolean;

  constructor(options: { readonly step?: number; readonly isOpen?: boolean } = {}) {
    this.#step = options.step ?? Infinity;
    this.#isOpen = options.isOpen ?? false;
  }

  get text(): string {
    return this.writes.join("");
  }

  async write(bytes: Uint8Array): Promise<number> {
    if (!this.#isOpen) {
      const gate = Promise.withResolvers<void>();
      this.#gates.push(gate);
      await gate.promise;
    }
    const size = Math.min(this.#step, bytes.length);
    this.writes.push(
      Array.from(bytes.subarray(0, size), (byte) => String.fromCharCode(byte)).join(""),
    );
    return size;
  }

  /** Lets the write that waits happen. */
  allow(): void {
    this.#gates.shift()?.resolve();
  }

  refuse(): void {
    this.#gates.shift()?.reject(new Error("broken pipe"));
  }
}

async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}

Deno.test("LineWriter gives up for good when the sink fails, and nobody waits on", async () => {
  const sink = new SlowSink();
  const writer = new LineWriter(sink, OPTIONS);
  writer.send("x".repeat(20));
  const ready = writer.ready();
  await turns();
  sink.refuse();
  await ready;
  await writer.flush();
  assertEquals(writer.failed, true);
  writer.send("more");
  writer.write("more");
  await writer.flush();
  assertEquals(writer.ready(), undefined);
  assertEquals(sink.writes, []);
});

Deno.test("LineWriter fails when a sink throws at once", async () => {
  const writer = new LineWriter({
    write() {
      throw new TypeError("closed");
    },
  }, OPTIONS);
  writer.send("a");
  await writer.flush();
  assertEquals(writer.failed, true);
});

Deno.test("LineWriter.write() writes at once where asked to, and gathers what comes meanwhile", async () => {
  const sink = new SlowSink({ isOpen: true });
  const writer = new LineWriter(sink, OPTIONS);
  writer.write("a", true);
  assertEquals(sink.writes, ["a"]);
  writer.write("b", true);
  writer.write("c");
  await writer.flush();
  assertEquals(sink.writes, ["a", "bc"]);
  writer.write("d");
  writer.write("e", true);
  assertEquals(sink.writes, ["a", "bc"]);
  await writer.flush();
  assertEquals(sink.writes, ["a", "bc", "de"]);
});

Deno.test("LineWriter.write() at once fails with a sink that throws, and nobody waits on", async () => {
  const writer = new LineWriter({
    write() {
      throw new TypeError("closed");
    },
  }, OPTIONS);
  writer.write("a", true);
  await writer.flush();
  writer.write("b", true);
  await writer.flush();
  assertEquals([writer.failed, writer.backlog], [true, 0]);
});

Deno.test("LineWriter.write() at once keeps the order of what a sink sends while it takes", async () => {
  const writes: string[] = [];
  const writer = new LineWriter({
    write(bytes) {
      if (writes.length === 0) writer.write("b", true);
      writes.push(new TextDecoder().decode(bytes));
      return Promise.resolve(bytes.length);
    },
  }, reusing());
  writer.write("a", true);
  await writer.flush();
  assertEquals(writes.join(""), "ab");
});

Deno.test("LineWriter uses memory again only where it may", async () => {
  for (const reusesMemory of [false, true]) {
    const taken: Uint8Array[] = [];
    const writer = new LineWriter({
      write(bytes) {
        taken.push(bytes);
        return Promise.resolve(bytes.length);
      },
    }, reusesMemory ? reusing() : OPTIONS);
    for (const text of ["a", "b"]) {
      writer.write(text);
      await writer.flush();
    }
    assertEquals(taken.map((bytes) => bytes[0]), reusesMemory ? [98, 98] : [97, 98]);
  }
});

Deno.test("LineWriter joins what becomes text only then with what is text, and counts both", async () => {
  const sink = new SlowSink();
  const writer = new LineWriter(sink, reusing());
  writer.write("a", true);
  // What it counts for while it waits need not be what it comes to.
  writer.write({ length: 1, toString: () => "bc" }, true);
  writer.write("d", true);
  assertEquals(writer.backlog, 3);
  sink.allow();
  await turns();
  sink.allow();
  await writer.flush();
  assertEquals([sink.writes, writer.backlog], [["a", "bcd"], 0]);
});

Deno.test("LineWriter writes the lines of one turn together, in order", async () => {
  const sink = new SlowSink({ isOpen: true });
  const writer = new LineWriter(sink, OPTIONS);
  writer.send("a");
  writer.send("b");
  writer.send("");
  assertEquals(sink.writes, []);
  await writer.flush();
  assertEquals(sink.writes, ["a\nb\n\n"]);
  assertEquals(writer.failed, false);
});

Deno.test("LineWriter.write() adds nothing, and leaves together with the lines of its turn", async () => {
  const sink = new SlowSink({ isOpen: true });
  const writer = new LineWriter(sink, OPTIONS);
  writer.write("a\r\n");
  writer.send("b");
  writer.write("c");
  assertEquals(writer.backlog, 6);
  await writer.flush();
  assertEquals([sink.writes, writer.backlog], [["a\r\nb\nc"], 0]);
});

Deno.test("LineWriter gathers what is sent during a write into the next", async () => {
  const sink = new SlowSink();
  const writer = new LineWriter(sink, OPTIONS);
  writer.send("a");
  await turns();
  writer.send("b");
  writer.send("c");
  sink.allow();
  await turns();
  sink.allow();
  await writer.flush();
  assertEquals(sink.writes, ["a\n", "b\nc\n"]);
});

Deno.test("LineWriter goes on where a partial write ended, multi-byte text included", async () => {
  // Up to a text that is just short enough to share memory, of characters that need most of it, and one beyond.
  const lines = ["aé€😀", "", "€".repeat(1022), "€".repeat(1023), "€".repeat(1024), "z"];
  for (const reusesMemory of [false, true]) {
    for (const step of [1, 2, 3, 7, 1000]) {
      const sink = new SlowSink({ step, isOpen: true });
      const writer = new LineWriter(sink, reusesMemory ? reusing() : OPTIONS);
      for (const line of lines) {
        writer.send(line);
        // Alone, or it would be part of a long text.
        if (reusesMemory) await writer.flush();
      }
      await writer.flush();
      const bytes = Uint8Array.from(sink.text, (character) => character.charCodeAt(0));
      const text = lines.map((line) => `${line}\n`).join("");
      assertEquals(new TextDecoder().decode(bytes), text, `step ${step}, reused ${reusesMemory}`);
    }
  }
});

Deno.test("LineWriter.ready() makes senders wait above the mark until the sink has taken enough", async () => {
  const sink = new SlowSink();
  const writer = new LineWriter(sink, OPTIONS);
  writer.send("x".repeat(9));
  assertEquals(writer.ready(), undefined);
  writer.send("y");
  const ready = writer.ready();
  assertEquals(ready instanceof Promise, true);
  assertEquals(writer.ready(), ready);
  let isReady = false;
  ready?.then(() => isReady = true);
  await turns();
  assertEquals(isReady, false);
  sink.allow();
  await ready;
  assertEquals(writer.ready(), undefined);
  await writer.flush();
});

Deno.test("LineWriter.flush() waits for what is sent by those who were told to go on", async () => {
  const sink = new SlowSink({ isOpen: true });
  const writer = new LineWriter(sink, OPTIONS);
  writer.write("x".repeat(20));
  writer.ready()?.then(() => writer.write("y"));
  await writer.flush();
  assertEquals([sink.text.length, writer.backlog], [21, 0]);
});

Deno.test("LineWriter takes a sink at its word that tells a number at once, or too large a one", async () => {
  const writes: string[] = [];
  const sink = {
    write(bytes: Uint8Array) {
      writes.push(new TextDecoder().decode(bytes));
      return writes.length === 1 ? bytes.length : Promise.resolve(bytes.length + 7);
    },
  };
  const writer = new LineWriter(sink as ByteSink, OPTIONS);
  for (const text of ["a", "b", "c"]) {
    writer.write(text);
    await writer.flush();
  }
  assertEquals([writes, writer.backlog, writer.failed], [["a", "b", "c"], 0, false]);
});

Deno.test("LineWriter does not ask a sink again that takes nothing", async () => {
  for (const count of [0, -1, NaN, undefined]) {
    const sink = { write: () => Promise.resolve(count) };
    const writer = new LineWriter(sink as ByteSink, OPTIONS);
    writer.write("a");
    await writer.flush();
    assertEquals([writer.failed, writer.backlog], [true, 0], `${count}`);
  }
});

Deno.test("LineWriter hands a long backlog on in pieces, whole lines each", async () => {
  const sink = new SlowSink({ isOpen: true });
  const writer = new LineWriter(sink, OPTIONS);
  const line = "x".repeat(300_000);
  for (let count = 0; count < 8; count++) writer.send(line);
  await writer.flush();
  assertEquals(sink.writes.length > 1, true);
  assertEquals(sink.writes.every((text) => text.length <= (1 << 20) + line.length), true);
  assertEquals(sink.text, `${line}\n`.repeat(8));
});

Deno.test("LineWriter.flush() resolves at once when nothing was sent", async () => {
  await new LineWriter(new SlowSink(), OPTIONS).flush();
});

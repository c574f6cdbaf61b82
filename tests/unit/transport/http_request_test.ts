// Requests out of bytes: the same however the bytes are cut, whole or broken, and in bounded memory.

import { assertEquals } from "@std/assert";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "../../../src/transport/http.ts";
import { BodyBudget } from "../../../src/transport/http_body.ts";
import { RequestReader } from "../../../src/transport/http_request.ts";
import { Dice } from "../../harness/dice.ts";
import { mutate, SAMPLES, toBytes } from "../../harness/http_samples.ts";

const LIMITS: HttpLimits = {
  ...DEFAULT_HTTP_LIMITS,
  maxHeadBytes: 512,
  maxHeaders: 10,
  maxBodyBytes: 40_000,
  maxBodiesBytes: 80_000,
};

interface Options {
  readonly limits?: HttpLimits;
  readonly budget?: BodyBudget;
  /** How many bytes come with a read. */
  readonly step: () => number;
}

/** What a connection would see: requests, and perhaps the fault that ends it. */
function readAll(bytes: Uint8Array, options: Options): readonly unknown[] {
  const { limits = LIMITS, step } = options;
  const budget = options.budget ?? new BodyBudget(limits.maxBodiesBytes);
  const reader = new RequestReader({ limits, budget, peer: "" });
  const seen: unknown[] = [];
  let isBody = false;
  let at = 0;
  for (;;) {
    if (isBody) {
      const outcome = reader.readBody();
      if (typeof outcome === "object") return finish(outcome.status);
      if (outcome) {
        seen.push(reader.takeBody());
        isBody = false;
        continue;
      }
    } else if (!reader.isEmpty) {
      const head = reader.readHead();
      if (head?.kind === "fault") return finish(head.status);
      if (head !== undefined) {
        seen.push([head.method, head.path, head.query, ...head.headers]);
        const fault = reader.beginBody(head);
        if (fault !== undefined) return finish(fault.status);
        isBody = true;
        continue;
      }
    }
    if (at === bytes.length) return finish("end");
    const room = reader.room();
    if (room === undefined || room.length === 0) throw new Error("Nothing to read into");
    const piece = bytes.subarray(at, at + Math.min(step(), room.length));
    room.set(piece);
    reader.fill(piece.length);
    at += piece.length;
  }

  function finish(end: unknown): readonly unknown[] {
    reader.free();
    assertEquals(budget.bytes, 0, "memory of a body was not given back");
    return [...seen, end];
  }
}

function inOnePiece(bytes: Uint8Array, limits = LIMITS): readonly unknown[] {
  return readAll(bytes, { step: () => bytes.length, limits });
}

Deno.test("RequestReader reads every sample whole, one after the other", () => {
  const alone = SAMPLES.flatMap((sample) => inOnePiece(toBytes(sample)).slice(0, -1));
  assertEquals(alone.length, 2 * SAMPLES.length);
  assertEquals(inOnePiece(toBytes(SAMPLES.join(""))), [...alone, "end"]);
});

Deno.test("RequestReader reads the same in two pieces, cut at every byte, and byte by byte", () => {
  for (const sample of SAMPLES) {
    const bytes = toBytes(`${sample}GET /next HTTP/1.1\r\nHost: a\r\n\r\n`);
    const whole = inOnePiece(bytes);
    assertEquals(whole.length, 5);
    for (let cut = 1; cut < bytes.length; cut++) {
      const pieces = [cut, bytes.length];
      assertEquals(
        readAll(bytes, { step: () => pieces.shift() ?? bytes.length }),
        whole,
        `cut at ${cut}`,
      );
    }
    assertEquals(readAll(bytes, { step: () => 1 }), whole);
  }
});

Deno.test("RequestReader never throws, hangs or keeps memory for 10,000 broken inputs, cut at random", () => {
  const dice = new Dice(42);
  let faults = 0;
  for (let round = 0; round < 10_000; round++) {
    const bytes = mutate(toBytes(dice.pick(SAMPLES) + dice.pick(SAMPLES)), dice);
    const whole = inOnePiece(bytes);
    if (typeof whole.at(-1) === "number") faults += 1;
    assertEquals(readAll(bytes, { step: () => 1 + dice.below(40) }), whole, `round ${round}`);
  }
  assertEquals(faults > 3_000, true);
});

Deno.test("RequestReader reads a request as if there had been none before, also after one just like it or almost", () => {
  const dice = new Dice(7);
  for (let round = 0; round < 5_000; round++) {
    const sample = dice.pick(SAMPLES);
    const bytes = toBytes(sample);
    const second = round % 2 === 0 ? bytes : mutate(bytes, dice);
    const expected = [...inOnePiece(bytes).slice(0, -1), ...inOnePiece(second)];
    const both = toBytes(sample + String.fromCharCode(...second));
    const message = `round ${round}`;
    assertEquals(inOnePiece(both), expected, message);
    assertEquals(readAll(both, { step: () => 1 + dice.below(90) }), expected, message);
  }
});

Deno.test("RequestReader gives the head of a client that repeats itself again, not one that is too long to keep", () => {
  const limits = DEFAULT_HTTP_LIMITS;
  const readTwo = (length: number) => {
    const request = toBytes(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(length - 32)}\r\n\r\n`);
    assertEquals(request.length, length);
    const budget = new BodyBudget(limits.maxBodiesBytes);
    const reader = new RequestReader({ limits, budget, peer: "" });
    return [1, 2].map(() => {
      reader.room()?.set(request);
      reader.fill(request.length);
      const head = reader.readHead();
      assertEquals([head?.kind, reader.isEmpty], ["head", true]);
      return head;
    });
  };
  const [short, shortAgain] = readTwo(2048);
  assertEquals(short === shortAgain, true);
  const [long, longAgain] = readTwo(2049);
  assertEquals(long === longAgain, false);
  assertEquals(long, longAgain);
});

Deno.test("RequestReader takes one empty line before a request, not two", () => {
  const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  assertEquals(inOnePiece(toBytes(`\r\n${request}`.repeat(3))).length, 7);
  assertEquals(inOnePiece(toBytes(`\r\n\r\n${request}`)), [400]);
});

Deno.test("RequestReader takes bytes that are not ASCII as they are, one character each", () => {
  const [head] = inOnePiece(toBytes("GET / HTTP/1.1\r\nHost: a\r\nX: \xe2\x82\xac\x80\r\n\r\n"));
  assertEquals(head, ["GET", "/", "", ["host", "a"], ["x", "\xe2\x82\xac\x80"]]);
});

Deno.test("RequestReader tells a body that is not UTF-8, wherever it lay", () => {
  for (const size of [1, 30_000]) {
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`;
    assertEquals(inOnePiece(toBytes(head + "\xff".repeat(size)))[1], undefined);
  }
});

Deno.test("RequestReader keeps a body as it is, replacement characters and byte order marks included", () => {
  const body = "\xef\xbb\xbf\xef\xbf\xbd";
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
  assertEquals(inOnePiece(toBytes(head + body))[1], "\ufeff\ufffd");
});

Deno.test("RequestReader bounds heads at the byte", () => {
  const rest = "GET / HTTP/1.1\r\nHost: a\r\nX: ".length + "\r\n\r\n".length;
  const fits = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(512 - rest)}\r\n\r\n`;
  assertEquals(inOnePiece(toBytes(fits)).length, 3);
  assertEquals(inOnePiece(toBytes(fits.replace("x", "xx"))), [431]);
  for (const step of [1, 7, 100, 600]) {
    assertEquals(readAll(toBytes("x".repeat(600)), { step: () => step }), [431]);
  }
  const wide = { ...LIMITS, maxHeadBytes: 100_000, maxHeaders: 10 };
  const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(90_000)}\r\n\r\n`;
  assertEquals(inOnePiece(toBytes(long), wide).length, 3);
});

Deno.test("RequestReader bounds bodies by their length, before a byte of them", () => {
  const head = (size: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`;
  assertEquals(inOnePiece(toBytes(head(40_001))).at(-1), 413);
  assertEquals(inOnePiece(toBytes(head(1e30))).at(-1), 400);
  assertEquals(inOnePiece(toBytes(head(40_000) + "x".repeat(40_000)))[1], "x".repeat(40_000));
});

Deno.test("RequestReader bounds bodies in chunks by their count", () => {
  const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunk = `2710\r\n${"x".repeat(10_000)}\r\n`;
  assertEquals(inOnePiece(toBytes(`${head}${chunk.repeat(4)}0\r\n\r\n`))[1], "x".repeat(40_000));
  assertEquals(inOnePiece(toBytes(`${head}${chunk.repeat(4)}1\r\n`)).at(-1), 413);
  assertEquals(inOnePiece(toBytes(`${head}ffffffff\r\n`)).at(-1), 413);
});

const BAD_CHUNKS = [
  ["no size", "\r\n"],
  ["a sign", "+1\r\na\r\n"],
  ["a minus", "-1\r\na\r\n"],
  ["a prefix", "0x1\r\na\r\n"],
  ["a space before", " 1\r\na\r\n"],
  ["a space after", "1 \r\na\r\n"],
  ["a space before an extension", "1 ;a\r\na\r\n"],
  ["not a digit", "g\r\n"],
  ["nine digits", "000000001\r\na\r\n"],
  ["a line feed alone", "1\na\r\n"],
  ["a carriage return alone", "1\r\ra\r\n"],
  ["a line feed in an extension", "1;a\na\r\n"],
  ["a zero byte in an extension", "1;\0\r\na\r\n"],
  ["a long extension", `1;${"a".repeat(300)}\r\na\r\n`],
  ["content that is longer", "1\r\nab\r\n"],
  ["content that is shorter", "3\r\nab\r\n"],
  ["no line end after the content", "1\r\na1\r\na\r\n"],
  ["half a line end after the content", "1\r\na\r1"],
  ["a line feed after the content", "1\r\na\n"],
  ["a trailer without a colon", "0\r\na\r\n\r\n"],
  ["a folded trailer", "0\r\na: b\r\n c\r\n\r\n"],
  ["a line feed in the trailer", "0\r\na: b\n\r\n"],
  ["a long trailer", `0\r\na: ${"b".repeat(5_000)}\r\n\r\n`],
  ["many trailer fields", `0\r\n${"a: b\r\n".repeat(11)}\r\n`],
] as const;

Deno.test("RequestReader refuses chunks that could be understood in two ways", async (t) => {
  const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const [name, chunks] of BAD_CHUNKS) {
    await t.step(name, () => {
      const bytes = toBytes(head + chunks);
      assertEquals(inOnePiece(bytes).at(-1), 400);
      assertEquals(readAll(bytes, { step: () => 1 }).at(-1), 400);
    });
  }
});

Deno.test("RequestReader keeps no memory for what is only announced", () => {
  const limits = { ...LIMITS, maxBodyBytes: 10_000_000, maxBodiesBytes: 100_000 };
  const budget = new BodyBudget(limits.maxBodiesBytes);
  const reader = new RequestReader({ limits, budget, peer: "" });
  const head = toBytes("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nx");
  reader.room()!.set(head);
  reader.fill(head.length);
  const read = reader.readHead();
  if (read?.kind !== "head") throw new Error("no head");
  reader.beginBody(read);
  assertEquals([reader.readBody(), budget.bytes], [false, 65_536]);
  reader.free();
  assertEquals(budget.bytes, 0);
});

Deno.test("RequestReader refuses a body when all bodies together would be too many, but no small one", () => {
  const limits = { ...LIMITS, maxBodiesBytes: 70_000 };
  const budget = new BodyBudget(limits.maxBodiesBytes);
  budget.take(60_000);
  const reader = (bytes: Uint8Array, step: number) => {
    const inner = new RequestReader({ limits, budget, peer: "" });
    let at = 0;
    let isBody = false;
    for (;;) {
      const outcome = isBody ? inner.readBody() : inner.readHead();
      if (outcome === true) return "whole";
      if (typeof outcome === "object") {
        if (outcome.kind === "fault") {
          inner.free();
          return outcome.status;
        }
        inner.beginBody(outcome);
        isBody = true;
        continue;
      }
      const room = inner.room()!;
      const piece = bytes.subarray(at, at + Math.min(step, room.length));
      room.set(piece);
      inner.fill(piece.length);
      at += piece.length;
    }
  };
  const post = (size: number) =>
    toBytes(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`,
    );
  assertEquals(reader(post(30_000), 1_000_000), 503);
  assertEquals(reader(post(1_000), 1_000_000), "whole");
  assertEquals(budget.bytes, 60_000);
  budget.give(60_000);
  assertEquals(reader(post(30_000), 1_000_000), "whole");
});

Deno.test("RequestReader drops what it is told to drop and reads on behind it", () => {
  const budget = new BodyBudget(0);
  const reader = new RequestReader({ limits: LIMITS, budget, peer: "" });
  const bytes = toBytes("12345GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  reader.beginSkip(5);
  let isSkipped = false;
  for (const byte of bytes) {
    reader.room()![0] = byte;
    reader.fill(1);
    isSkipped ||= reader.skip();
  }
  assertEquals(reader.readHead()?.kind, "head");
  assertEquals([reader.isEmpty, reader.drop()], [true, 0]);
});

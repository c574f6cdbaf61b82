// Answers as text and as bytes.

import { assertEquals, assertThrows } from "@std/assert";
import type { HttpAnswer } from "../../../src/transport/http.ts";
import {
  AnswerEncoder,
  AnswerHeads,
  byteLength,
  writeAnswer,
} from "../../../src/transport/http_answer.ts";
import { Dice } from "../../harness/dice.ts";

const OPTIONS = { date: "now", isLast: false, isBodiless: false };

Deno.test("writeAnswer() counts bytes, not characters", () => {
  assertEquals(
    writeAnswer({ status: 200, headers: { "content-type": "text/plain" }, body: "aé€😀" }, OPTIONS),
    "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\naé€😀",
  );
});

Deno.test("writeAnswer() tells the length of the body that HEAD leaves out", () => {
  assertEquals(
    writeAnswer({ status: 200, body: "abc" }, { ...OPTIONS, isBodiless: true }),
    "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 3\r\n\r\n",
  );
});

Deno.test("writeAnswer() gives no length where there can be no body", () => {
  for (const status of [204, 304]) {
    assertEquals(writeAnswer({ status }, OPTIONS).includes("content-length"), false);
  }
  assertEquals(writeAnswer({ status: 202 }, OPTIONS).endsWith("content-length: 0\r\n\r\n"), true);
});

Deno.test("writeAnswer() says when the connection ends, and needs no reason phrase", () => {
  assertEquals(
    writeAnswer({ status: 299 }, { ...OPTIONS, isLast: true }),
    "HTTP/1.1 299 \r\ndate: now\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
});

Deno.test("writeAnswer() lets no header field smuggle another", () => {
  const rows = [
    { "x": "a\r\nb: c" },
    { "x": "a\nb" },
    { "x": "é" },
    { "x\r\n": "a" },
    { "x:": "a" },
    { "": "a" },
  ];
  for (const headers of rows) {
    assertThrows(() => writeAnswer({ status: 200, headers }, OPTIONS), TypeError);
  }
});

Deno.test("byteLength() agrees with the encoder for any text, halves of pairs included", () => {
  const dice = new Dice(7);
  const encoder = new TextEncoder();
  const units = [0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xffff];
  for (let round = 0; round < 5_000; round++) {
    const text = String.fromCharCode(
      ...Array.from({ length: dice.below(8) }, () => dice.pick(units)),
    );
    assertEquals(byteLength(text), encoder.encode(text).length, JSON.stringify(text));
  }
  for (const unit of ["a", "\u20ac", "\u{1f600}", "\ud800"]) {
    for (let length = 1020; length <= 1028; length++) {
      const text = `${"a".repeat(length)}${unit.repeat(3_000)}`;
      assertEquals(byteLength(text), encoder.encode(text).length, `${length} and ${unit}`);
    }
  }
});

const FROZEN = Object.freeze({ "content-type": "text/plain" });

/** An answer as the connection writes it, and as it would be written without anything kept. */
function writeBoth(encoder: AnswerEncoder, answer: HttpAnswer): readonly [string, string] {
  const counted = new AnswerHeads().toCounted(answer, "now");
  assertEquals(counted === undefined, false);
  const bytes = encoder.encode(counted ?? "");
  return [
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
    writeAnswer(answer, OPTIONS),
  ];
}

Deno.test("AnswerEncoder writes a counted answer as it would be written whole, in memory used before", () => {
  const dice = new Dice(11);
  const encoder = new AnswerEncoder();
  const units = ["a", "\u00e9", "\u20ac", "\u{1f600}", "\ufeff"];
  const bodies = ["", "a".repeat(9), "a".repeat(10), "a".repeat(999), "a".repeat(1000)];
  for (const unit of units) {
    for (const count of [1, 340, 341, 342, 511, 512, 513, 1023, 1024, 1025, 5000]) {
      bodies.push(unit.repeat(count));
    }
  }
  for (let round = 0; round < 500; round++) {
    bodies.push(Array.from({ length: dice.below(1200) }, () => dice.pick(units)).join(""));
  }
  for (const body of bodies) {
    const [counted, whole] = writeBoth(encoder, { status: 200, headers: FROZEN, body });
    assertEquals(counted, whole);
  }
  assertEquals(...writeBoth(encoder, { status: 202, headers: FROZEN }));
});

Deno.test("AnswerEncoder writes other text as it is, however long", () => {
  const encoder = new AnswerEncoder();
  for (const text of ["", "x", "\u20ac".repeat(1024), "\u20ac".repeat(1025)]) {
    assertEquals(new TextDecoder().decode(encoder.encode(text)), text);
  }
});

Deno.test("AnswerHeads.toCounted() becomes the whole text where it is joined with another", () => {
  const answer = { status: 200, headers: FROZEN, body: "a\u20ac" };
  const counted = new AnswerHeads().toCounted(answer, "now");
  assertEquals(`${counted}`, writeAnswer(answer, OPTIONS));
});

Deno.test("AnswerHeads.toCounted() writes a head anew for another time or status", () => {
  const heads = new AnswerHeads();
  for (
    const [status, date] of [[200, "now"], [200, "later"], [404, "later"], [200, "now"]] as const
  ) {
    const answer = { status, headers: FROZEN, body: "x" };
    assertEquals(`${heads.toCounted(answer, date)}`, writeAnswer(answer, { ...OPTIONS, date }));
  }
});

Deno.test("AnswerHeads.toCounted() keeps no fields that could change, and writes no length where there is none", () => {
  const heads = new AnswerHeads();
  const long = Object.freeze({ x: "y".repeat(500) });
  for (
    const answer of [
      { status: 200, headers: { a: "b" }, body: "x" },
      { status: 200, body: "x" },
      { status: 204, headers: FROZEN },
      { status: 304, headers: FROZEN },
      { status: 200, headers: long, body: "x" },
    ]
  ) {
    assertEquals(heads.toCounted(answer, "now"), undefined, JSON.stringify(answer));
  }
});

Deno.test("AnswerHeads.toCounted() lets no header field smuggle another, again and again", () => {
  const heads = new AnswerHeads();
  const headers = Object.freeze({ x: "a\r\nb: c" });
  for (let round = 0; round < 2; round++) {
    assertThrows(() => heads.toCounted({ status: 200, headers }, "now"), TypeError);
  }
});

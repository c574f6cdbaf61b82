// Lines of text as messages: what is forgiven, what is refused, and how deep is too deep.

import { assertEquals } from "@std/assert";
import { isDeeperThan, parseLine } from "../../../src/jsonrpc/message.ts";

const OPTIONS = { maxDepth: 8, maxValues: 1000 };
const MALFORMED = { kind: "malformed", reason: "The line is not valid JSON" };
const PING = { kind: "request", id: 1, method: "ping", params: undefined };
const PING_TEXT = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function nest(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const CASES: readonly (readonly [string, string, unknown])[] = [
  ["a word", "hello", MALFORMED],
  ["half an object", '{"jsonrpc":"2.0"', MALFORMED],
  ["two objects", "{}{}", MALFORMED],
  ["a comment", `${PING_TEXT} // x`, MALFORMED],
  ["NaN", "NaN", MALFORMED],
  ["a lone control character", '"\u0001"', MALFORMED],
  ["nothing", "", { kind: "blank" }],
  ["white space", " \t\r", { kind: "blank" }],
  ["a byte order mark alone", "\ufeff", { kind: "blank" }],
  ["a message", PING_TEXT, PING],
  ["a message behind a byte order mark", `\ufeff${PING_TEXT}`, PING],
  ["a message with a carriage return", `${PING_TEXT}\r`, PING],
  ["a message among white space", `  ${PING_TEXT}\t`, PING],
  ["an empty batch", "[]", {
    kind: "invalid",
    reason: "A batch must not be empty",
    id: undefined,
    reply: true,
  }],
  ["a batch", `[${PING_TEXT},1]`, {
    kind: "batch",
    messages: [PING, {
      kind: "invalid",
      reason: "A message must be a JSON object",
      id: undefined,
      reply: true,
    }],
  }],
];

Deno.test("parseLine() tells blank, malformed, batch and message apart", async (t) => {
  for (const [name, line, parsed] of CASES) {
    await t.step(name, () => assertEquals<unknown>(parseLine(line, OPTIONS), parsed));
  }
});

Deno.test("parseLine() refuses deep nesting and keeps the id of a request", async (t) => {
  const reason = "The message nests deeper than 8 levels";
  const CASES = [
    ["a request", `{"jsonrpc":"2.0","id":7,"method":"a","params":${nest(8)}}`, 7, true],
    ["a notification", `{"jsonrpc":"2.0","method":"a","params":${nest(8)}}`, undefined, false],
    ["a response", `{"jsonrpc":"2.0","id":7,"result":${nest(8)}}`, undefined, false],
    ["a message that is none", `{"jsonrpc":"2.0","id":"x","params":${nest(8)}}`, "x", true],
    ["an array", nest(20), undefined, true],
    ["the shortest text that is too deep", nest(9), undefined, true],
  ] as const;
  for (const [name, line, id, reply] of CASES) {
    await t.step(name, () => {
      assertEquals<unknown>(parseLine(line, OPTIONS), { kind: "invalid", reason, id, reply });
    });
  }
  assertEquals(
    parseLine(`{"jsonrpc":"2.0","method":"a","params":${nest(7)}}`, OPTIONS).kind,
    "notification",
  );
});

Deno.test("parseLine() survives nesting that no walk could", () => {
  const parsed = parseLine(nest(1_000_000), { maxDepth: 128, maxValues: 1000 });
  assertEquals(parsed.kind === "invalid" || parsed.kind === "malformed", true);
});

Deno.test("isDeeperThan() counts objects and arrays alike, to the level", () => {
  for (const value of [1, null, "x", undefined]) assertEquals(isDeeperThan(value, 0), false);
  assertEquals(isDeeperThan({}, 0), true);
  assertEquals(isDeeperThan({}, 1), false);
  assertEquals(isDeeperThan({ a: [1, { b: 2 }] }, 3), false);
  assertEquals(isDeeperThan({ a: [1, { b: 2 }] }, 2), true);
  assertEquals(isDeeperThan([[], [[]]], 2), true);
});

Deno.test("parseLine() bounds the values of a long line before it parses it", async (t) => {
  const blank = " ".repeat(70_000);
  const commas = ",[{".repeat(30_000);
  const tooMany = "The message holds more than 1000 values";
  const tooDeep = "The message nests deeper than 8 levels";
  const CASES = [
    ["members", `[${"0,".repeat(1000)}0]${blank}`, tooMany],
    ["depth", `${blank}${nest(20)}`, tooDeep],
    ["depth that is never closed", `${blank}${"[".repeat(20)}`, tooDeep],
  ] as const;
  for (const [name, line, reason] of CASES) {
    await t.step(name, () => {
      assertEquals<unknown>(parseLine(line, OPTIONS), {
        kind: "invalid",
        reason,
        id: undefined,
        reply: true,
      });
    });
  }
  await t.step("what stands in strings does not count", () => {
    for (const text of [commas, `\\"${commas}`, `${commas}\\\\`, `\\\\\\"${commas}\\\\`]) {
      const parsed = parseLine(`{"jsonrpc":"2.0","method":"a","params":{"b":"${text}"}}`, OPTIONS);
      assertEquals(parsed.kind, "notification");
    }
  });
  await t.step("an open string is malformed", () => {
    assertEquals(parseLine(`"${commas}`, OPTIONS).kind, "malformed");
  });
});

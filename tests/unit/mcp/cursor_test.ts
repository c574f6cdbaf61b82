// Pages: every item once, in order; a cursor that is not exactly ours is refused.

import { assertEquals, assertThrows } from "@std/assert";
import { type JsonValue, RpcError } from "../../../src/jsonrpc/message.ts";
import { type Collection, paginate } from "../../../src/mcp/cursor.ts";

function collectionOf(size: number, changes: Partial<Collection<number>> = {}): Collection<number> {
  return {
    name: "tools",
    items: Array.from({ length: size }, (_, i) => i),
    hash: "h1",
    ...changes,
  };
}

function cursorOf(value: JsonValue): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function nextCursor(collection: Collection<number>, limit: number): string {
  return paginate(collection, { limit }).nextCursor ?? "";
}

const OURS = { ver: 1, collection: "tools", offset: 2, hash: "h1" };
const STRANGE = "is not one that this server gave";
const STALE = "is stale; list again without a cursor";

const REFUSED: readonly (readonly [string, JsonValue, string])[] = [
  ["a number", 2, STRANGE],
  ["an object", {}, STRANGE],
  ["an empty string", "", STRANGE],
  ["no base64", "%%%", STRANGE],
  ["no JSON", btoa("hello"), STRANGE],
  ["JSON that is no object", cursorOf([1]), STRANGE],
  ["another version", cursorOf({ ...OURS, ver: 2 }), STRANGE],
  ["no version", cursorOf({ collection: "tools", offset: 2, hash: "h1" }), STRANGE],
  ["another collection", cursorOf({ ...OURS, collection: "prompts" }), "does not belong to tools"],
  ["another list", cursorOf({ ...OURS, hash: "h0" }), STALE],
  ["an offset before the list", cursorOf({ ...OURS, offset: -1 }), STALE],
  ["the first offset", cursorOf({ ...OURS, offset: 0 }), STALE],
  ["an offset behind the list", cursorOf({ ...OURS, offset: 5 }), STALE],
  ["half an offset", cursorOf({ ...OURS, offset: 1.5 }), STALE],
  ["an offset in words", cursorOf({ ...OURS, offset: "2" }), STALE],
  ["a further member", cursorOf({ ...OURS, extra: 1 }), STALE],
  [
    "other order of members",
    cursorOf({ hash: "h1", offset: 2, collection: "tools", ver: 1 }),
    STALE,
  ],
  ["white space behind", `${cursorOf(OURS)} `, STALE],
];

Deno.test("paginate() refuses every cursor but its own", async (t) => {
  for (const [name, cursor, message] of REFUSED) {
    await t.step(name, () => {
      const read = () => paginate(collectionOf(5), { cursor });
      assertEquals(assertThrows(read, RpcError, message).code, -32602);
    });
  }
});

Deno.test("paginate() refuses a limit that is none", () => {
  for (const limit of [0, -1, 1.5, "5", true, [], {}]) {
    const read = () => paginate(collectionOf(5), { limit });
    assertEquals(assertThrows(read, RpcError, '"limit" must be').code, -32602);
  }
});

Deno.test("paginate() refuses a cursor after the list has changed", () => {
  const cursor = nextCursor(collectionOf(5), 2);
  assertEquals(paginate(collectionOf(5), { cursor }).items, [2, 3, 4]);
  assertThrows(() => paginate(collectionOf(5, { hash: "h2" }), { cursor }), RpcError, STALE);
});

Deno.test("paginate() serves every item once, whatever the limit", () => {
  for (const size of [0, 1, 2, 7, 50, 51, 200, 201, 450]) {
    for (const limit of [1, 2, 7, 50, 1000]) {
      const collection = collectionOf(size);
      const items: number[] = [];
      let cursor: string | undefined;
      do {
        const page = paginate(collection, { limit, ...(cursor === undefined ? {} : { cursor }) });
        items.push(...page.items);
        assertEquals(page.items.length <= Math.min(limit, 200), true);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assertEquals(items, [...collection.items], `${size} by ${limit}`);
    }
  }
});

Deno.test("paginate() has fifty on a page unless told, and takes null as nothing", () => {
  const { items } = paginate(collectionOf(120), { cursor: null, limit: null });
  assertEquals(items.length, 50);
});

Deno.test("paginate() writes cursors that are safe in URLs", () => {
  const cursor = nextCursor(collectionOf(500, { hash: "~~~???>>>" }), 200);
  assertEquals(/^[\w-]+$/.test(cursor), true);
});

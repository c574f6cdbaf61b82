// Waiting for answers: every wait ends, and ends once.

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { IdTable, PendingRequests } from "../../../src/jsonrpc/pending.ts";

const RESULT = { kind: "result", result: 1 } as const;

function neverAborts(): AbortSignal {
  return new AbortController().signal;
}

Deno.test("PendingRequests.open() rejects at once when the signal has aborted", async () => {
  const pending = new PendingRequests();
  const { answer } = pending.open(AbortSignal.abort(new RangeError("gone")));
  await assertRejects(() => answer, RangeError, "gone");
  assertEquals(pending.size, 0);
});

Deno.test("PendingRequests.open() rejects when the connection has ended", async () => {
  const pending = new PendingRequests();
  pending.close();
  await assertRejects(() => pending.open(neverAborts()).answer, TypeError, "disconnected");
  assertEquals(pending.size, 0);
});

Deno.test("PendingRequests.open() rejects with the reason of an abort while it waits", async () => {
  const pending = new PendingRequests();
  const controller = new AbortController();
  const { id, answer } = pending.open(controller.signal);
  assertEquals(pending.size, 1);
  controller.abort(new RangeError("gone"));
  await assertRejects(() => answer, RangeError, "gone");
  assertEquals(pending.size, 0);
  assertEquals(pending.settle(id, RESULT), false);
});

Deno.test("PendingRequests.close() ends every wait", async () => {
  const pending = new PendingRequests();
  const first = pending.open(neverAborts());
  const second = pending.open(neverAborts());
  pending.close();
  await assertRejects(() => first.answer, TypeError, "disconnected");
  await assertRejects(() => second.answer, TypeError, "disconnected");
  assertEquals(pending.size, 0);
});

Deno.test("PendingRequests.settle() ignores ids that nobody waits for", () => {
  const pending = new PendingRequests();
  for (const id of ["bulkhead-1", "1", 1, ""]) assertEquals(pending.settle(id, RESULT), false);
});

Deno.test("PendingRequests.settle() answers the one who waits, in any order", async () => {
  const pending = new PendingRequests();
  const first = pending.open(neverAborts());
  const second = pending.open(neverAborts());
  assertNotEquals(first.id, second.id);
  assertEquals(pending.settle(second.id, { kind: "result", result: "second" }), true);
  assertEquals(pending.settle(first.id, { kind: "result", result: "first" }), true);
  assertEquals(await first.answer, { kind: "result", result: "first" });
  assertEquals(await second.answer, { kind: "result", result: "second" });
  assertEquals(pending.size, 0);
});

Deno.test("IdTable keeps ids apart by type and value", () => {
  const ids = [
    1,
    "1",
    0,
    "",
    -1,
    "-1",
    2 ** 53 - 1,
    "s1",
    "__proto__",
    "constructor",
    "x".repeat(300),
  ];
  const table = new IdTable<number>();
  for (const [index, id] of ids.entries()) {
    assertEquals(table.has(id), false, `${typeof id} ${id}`);
    assertEquals(table.get(id), undefined);
    table.set(id, index);
  }
  assertEquals(table.size, ids.length);
  assertEquals(ids.map((id) => table.get(id)), [...ids.keys()]);
  assertEquals(table.values().toSorted((a, b) => a - b), [...ids.keys()]);
  for (const [index, id] of ids.entries()) {
    table.delete(id);
    assertEquals(table.has(id), false);
    assertEquals(table.size, ids.length - index - 1);
  }
});

Deno.test("IdTable counts an id once, however often it is set or deleted", () => {
  const table = new IdTable<string>();
  table.set(7, "first");
  table.set(7, "second");
  assertEquals([table.size, table.get(7)], [1, "second"]);
  table.delete("7");
  assertEquals(table.size, 1);
  table.delete(7);
  table.delete(7);
  assertEquals([table.size, table.values()], [0, []]);
});

// Places to run: bounded, in order, and never lost.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { CanceledError, type Exchange } from "../../../src/gateway/exchange.ts";
import { DEFAULT_LIMITS } from "../../../src/gateway/limits.ts";
import { Slots } from "../../../src/gateway/slots.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";
import { recordExchange, settle } from "./recorded_exchange.ts";

const LIMITS = {
  ...DEFAULT_LIMITS,
  maxConcurrentCalls: 2,
  maxQueuedCalls: 3,
  maxQueuedLength: 100,
};

function exchangeOf(length = 1): Exchange {
  return recordExchange({ length }).exchange;
}

/** Slots with every place taken. */
function fullSlots(): Slots {
  const slots = new Slots(LIMITS);
  slots.acquire(exchangeOf());
  slots.acquire(exchangeOf());
  return slots;
}

Deno.test("Slots.acquire() refuses when too many wait", () => {
  const slots = fullSlots();
  for (let count = 0; count < 3; count++) slots.acquire(exchangeOf());
  const error = assertThrows(() => slots.acquire(exchangeOf()), RpcError);
  assertEquals([error.code, error.message], [
    -32603,
    "Server busy: 2 calls run and 3 wait; try again later",
  ]);
  assertEquals([slots.running, slots.waiting], [2, 3]);
});

Deno.test("Slots.acquire() refuses when too much text waits, and takes it when less does", () => {
  const slots = fullSlots();
  slots.acquire(exchangeOf(60));
  assertThrows(() => slots.acquire(exchangeOf(41)), RpcError, "Server busy");
  slots.acquire(exchangeOf(40));
  assertThrows(() => slots.acquire(exchangeOf(1)), RpcError, "Server busy");
  slots.release();
  slots.acquire(exchangeOf(60));
  assertEquals(slots.waiting, 2);
});

Deno.test("Slots.acquire() rejects and forgets one who is canceled while waiting", async () => {
  const slots = fullSlots();
  const canceled = exchangeOf(90);
  const turn = slots.acquire(canceled);
  const next = slots.acquire(exchangeOf(10));
  canceled.cancel("no more");
  await assertRejects(() => turn ?? Promise.resolve(), CanceledError, "no more");
  assertEquals([slots.running, slots.waiting], [2, 1]);
  slots.acquire(exchangeOf(90));
  slots.release();
  await next;
  assertEquals([slots.running, slots.waiting], [2, 1]);
});

Deno.test("Slots.acquire() rejects one who was canceled before", async () => {
  const slots = fullSlots();
  const canceled = exchangeOf();
  canceled.cancel("no more");
  await assertRejects(() => slots.acquire(canceled) ?? Promise.resolve(), CanceledError);
  assertEquals(slots.waiting, 0);
});

Deno.test("Slots.acquire() does not take a place back from one who is canceled later", async () => {
  const slots = fullSlots();
  const exchange = exchangeOf();
  const turn = slots.acquire(exchange);
  slots.release();
  exchange.cancel("too late");
  await turn;
  assertEquals([slots.running, slots.waiting], [2, 0]);
  slots.release();
  slots.release();
  assertEquals([slots.running, slots.isFull], [0, false]);
});

Deno.test("Slots.acquire() gives a free place at once", () => {
  const slots = new Slots(LIMITS);
  assertEquals(slots.isFull, false);
  assertEquals(slots.acquire(exchangeOf()), undefined);
  assertEquals(slots.acquire(exchangeOf()), undefined);
  assertEquals([slots.running, slots.isFull], [2, true]);
});

Deno.test("Slots.release() serves those who wait in the order they came", async () => {
  const slots = fullSlots();
  const served: number[] = [];
  for (const number of [1, 2, 3]) slots.acquire(exchangeOf())?.then(() => served.push(number));
  await settle();
  assertEquals(served, []);
  slots.release();
  await settle();
  assertEquals(served, [1]);
  slots.release();
  slots.release();
  await settle();
  assertEquals(served, [1, 2, 3]);
  assertEquals([slots.running, slots.waiting], [2, 0]);
});

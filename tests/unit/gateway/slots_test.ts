// Places to run: bounded, in order, and never lost.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { CanceledError, type Exchange } from "../../../src/gateway/exchange.ts";
import { DEFAULT_LIMITS } from "../../../src/gateway/limits.ts";
import { Slots } from "../../../src/gateway/slots.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";
import { Dice } from "../../harness/dice.ts";
import { recordExchange, settle } from "./recorded_exchange.ts";

const LIMITS = {
  ...DEFAULT_LIMITS,
  maxConcurrentCalls: 2,
  maxQueuedCalls: 3,
  maxQueuedLength: 100,
};

function exchangeOf(length = 1, owner?: string): Exchange {
  return recordExchange({ length, owner }).exchange;
}

/** The only client there is. */
const ANYONE = exchangeOf();

/** A claimant of one of several clients. */
function of(owner: string, length = 1): Exchange {
  return exchangeOf(length, owner);
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
  slots.release(ANYONE);
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
  slots.release(ANYONE);
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
  slots.release(ANYONE);
  exchange.cancel("too late");
  await turn;
  assertEquals([slots.running, slots.waiting], [2, 0]);
  slots.release(ANYONE);
  slots.release(ANYONE);
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
  slots.release(ANYONE);
  await settle();
  assertEquals(served, [1]);
  slots.release(ANYONE);
  slots.release(ANYONE);
  await settle();
  assertEquals(served, [1, 2, 3]);
  assertEquals([slots.running, slots.waiting], [2, 0]);
});

Deno.test("Slots.release() gives places to the parties that wait in turn", async () => {
  const slots = new Slots({ ...LIMITS, maxConcurrentCalls: 1, maxQueuedCalls: 100 });
  slots.acquire(of("a"));
  const served: string[] = [];
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) {
    const claimant = of(name.slice(0, 1));
    slots.acquire(claimant)?.then(() => {
      served.push(name);
      slots.release(claimant);
    });
  }
  slots.release(of("a"));
  await settle(100);
  assertEquals(served, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assertEquals([slots.running, slots.waiting], [0, 0]);
});

Deno.test("Slots.acquire() leaves places to other parties, whoever waits", async () => {
  for (const [places, share] of [[1, 1], [2, 1], [3, 2], [8, 7], [16, 14], [32, 28]] as const) {
    const slots = new Slots({ ...DEFAULT_LIMITS, maxConcurrentCalls: places });
    const turns = Array.from({ length: places + 1 }, () => slots.acquire(of("hog")));
    assertEquals(turns.filter((turn) => turn === undefined).length, share, `of ${places}`);
    for (let free = places - share; free > 0; free--) {
      assertEquals(slots.acquire(of("other")), undefined);
    }
    assertEquals(slots.isFull, true);
    const next = turns[share];
    slots.release(of("hog"));
    await next;
    assertEquals([slots.running, slots.waiting], [places, places - share]);
  }
});

Deno.test("Slots.acquire() gives an only client everything", () => {
  const slots = new Slots(DEFAULT_LIMITS);
  for (let count = 0; count < 16; count++) assertEquals(slots.acquire(exchangeOf()), undefined);
  assertEquals(slots.isFull, true);
});

Deno.test("Slots.acquire() leaves room to wait to other parties", () => {
  const slots = new Slots({ ...LIMITS, maxConcurrentCalls: 1 });
  slots.acquire(of("hog"));
  slots.acquire(of("hog"));
  slots.acquire(of("hog"));
  assertThrows(() => slots.acquire(of("hog")), RpcError, "Server busy: 1 calls run and 2 wait");
  assertThrows(() => slots.refuseBeyond(of("hog")), RpcError, "Server busy");
  slots.refuseBeyond(of("other"));
  slots.acquire(of("other"));
  assertThrows(() => slots.acquire(of("third")), RpcError, "Server busy: 1 calls run and 3 wait");
  const texts = new Slots({ ...LIMITS, maxConcurrentCalls: 1 });
  texts.acquire(of("hog"));
  assertThrows(() => texts.acquire(of("hog", 89)), RpcError, "Server busy");
  texts.acquire(of("hog", 88));
  texts.acquire(of("other", 12));
  assertThrows(() => texts.acquire(of("other", 1)), RpcError, "Server busy");
});

Deno.test("Slots tells sessions apart where there are no owners, and forgets who left", async () => {
  const slots = new Slots(LIMITS);
  const [first, second] = [{}, {}];
  const claim = (session: object) => recordExchange({ owner: "", session }).exchange;
  slots.acquire(claim(first));
  const canceled = claim(first);
  const turn = slots.acquire(canceled);
  assertEquals(slots.acquire(claim(second)), undefined);
  canceled.cancel("no more");
  await assertRejects(() => turn ?? Promise.resolve(), CanceledError);
  slots.release(claim(first));
  slots.release(claim(second));
  assertEquals([slots.running, slots.waiting], [0, 0]);
});

Deno.test("Slots lose no place and let nobody wait for one that is free, whatever happens", async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const dice = new Dice(seed);
    const places = 1 + dice.below(6);
    const limits = { maxConcurrentCalls: places, maxQueuedCalls: 20, maxQueuedLength: 1000 };
    const slots = new Slots(limits);
    const parties = ["a", "b", "c", undefined];
    const running: Exchange[] = [];
    const waiting = new Set<Exchange>();
    const countOf = (list: Iterable<Exchange>, party: unknown) =>
      [...list].filter((claimant) => claimant.party === party).length;
    const share = places < 2 ? places : places - 1;
    for (let step = 0; step < 200; step++) {
      const claimant = exchangeOf(1 + dice.below(30), dice.pick(parties));
      if (dice.isOneIn(2)) {
        try {
          const turn = slots.acquire(claimant);
          if (turn === undefined) running.push(claimant);
          else {
            waiting.add(claimant);
            turn.then(() => running.push(claimant), () => {}).finally(() =>
              waiting.delete(claimant)
            );
          }
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
        }
      } else if (dice.isOneIn(4) && waiting.size > 0) {
        dice.pick([...waiting]).cancel("no more");
      } else if (running.length > 0) {
        const [ended] = running.splice(dice.below(running.length), 1);
        if (ended !== undefined) slots.release(ended);
      }
      await settle(4);
      assertEquals([slots.running, slots.waiting], [running.length, waiting.size]);
      for (const party of parties) {
        const most = party === undefined ? places : share;
        const has = countOf(running, party);
        assertEquals(has <= most, true);
        const starves = countOf(waiting, party) > 0 && has < most && running.length < places;
        assertEquals(starves, false, `seed ${seed}: "${party}" waits for a free place`);
      }
    }
    for (const claimant of [...waiting]) claimant.cancel("over");
    for (const claimant of running) slots.release(claimant);
    assertEquals([slots.running, slots.waiting], [0, 0]);
  }
});

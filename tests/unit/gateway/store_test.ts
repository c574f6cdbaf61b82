// What is kept for clients that come back: all of it or a plain no, and never more than the bounds.

import { assertEquals } from "@std/assert";
import { MemorySessionStore, type SessionState } from "../../../src/gateway/store.ts";
import { Dice } from "../../harness/dice.ts";

/** What an event costs besides its text. */
const EVENT_LENGTH = 512;

const STATE: SessionState = {
  revision: "2025-11-25",
  capabilities: {},
  client: "test",
  ready: true,
  logLevel: "info",
  subscriptions: [],
};

function createStore(maxSessionLength = 1e6, maxLength = 1e6): MemorySessionStore {
  return new MemorySessionStore({ maxSessionLength, maxLength });
}

/** Appends so many events of ten characters. */
function fill(store: MemorySessionStore, session: string, stream: string, count: number): void {
  for (let number = 1; number <= count; number++) {
    store.append(session, { stream, number, text: `${number}`.padEnd(10, ".") });
  }
}

function numbersAfter(store: MemorySessionStore, stream: string, number: number) {
  return store.eventsAfter("s", stream, number)?.map((event) => event.number);
}

Deno.test("MemorySessionStore keeps a session until it is dropped", () => {
  const store = createStore();
  assertEquals(store.find("s"), undefined);
  store.save({ id: "s", owner: "o", state: STATE });
  store.save({ id: "s", owner: "o", state: { ...STATE, logLevel: "error" } });
  assertEquals(store.find("s")?.state.logLevel, "error");
  fill(store, "s", "1", 3);
  store.drop("s");
  assertEquals([store.find("s"), store.length, numbersAfter(store, "1", 0)], [
    undefined,
    0,
    undefined,
  ]);
  store.drop("s");
  assertEquals(store.length, 0);
});

Deno.test("MemorySessionStore finds what follows an event, of its stream alone", () => {
  const store = createStore();
  fill(store, "s", "1", 3);
  fill(store, "s", "2", 2);
  fill(store, "other", "1", 5);
  assertEquals(numbersAfter(store, "1", 0), [1, 2, 3]);
  assertEquals(numbersAfter(store, "1", 2), [3]);
  assertEquals(numbersAfter(store, "1", 3), []);
  assertEquals(numbersAfter(store, "2", 1), [2]);
});

Deno.test("MemorySessionStore has nothing behind events that never were", () => {
  const store = createStore();
  fill(store, "s", "1", 3);
  assertEquals(numbersAfter(store, "1", 4), undefined);
  assertEquals(numbersAfter(store, "3", 0), [], "it never had an event");
  assertEquals(numbersAfter(store, "3", 1), undefined);
  assertEquals(store.eventsAfter("nobody", "1", 0), undefined);
});

Deno.test("MemorySessionStore says so when an event behind is gone, oldest first", () => {
  const store = createStore(3 * (10 + EVENT_LENGTH));
  fill(store, "s", "1", 10);
  assertEquals(store.length, 3 * (10 + EVENT_LENGTH));
  assertEquals(numbersAfter(store, "1", 7), [8, 9, 10]);
  for (let number = 0; number < 7; number++) {
    assertEquals(numbersAfter(store, "1", number), undefined, `${number}`);
  }
});

Deno.test("MemorySessionStore keeps the last event however long", () => {
  const store = createStore(100);
  store.append("s", { stream: "1", number: 1, text: "x".repeat(1000) });
  assertEquals(numbersAfter(store, "1", 0), [1]);
  store.append("s", { stream: "1", number: 2, text: "y" });
  assertEquals(numbersAfter(store, "1", 1), [2]);
  assertEquals(store.length, 1 + EVENT_LENGTH);
});

Deno.test("MemorySessionStore bounds all sessions together: the one that holds most gives", () => {
  const store = createStore(1e6, 10 * (10 + EVENT_LENGTH));
  fill(store, "small", "1", 2);
  fill(store, "s", "1", 100);
  assertEquals(store.length, 10 * (10 + EVENT_LENGTH));
  assertEquals(store.eventsAfter("small", "1", 0)?.length, 2);
  assertEquals(numbersAfter(store, "1", 92)?.length, 8);
  assertEquals(numbersAfter(store, "1", 91), undefined);
});

Deno.test("MemorySessionStore forgets how far the oldest of very many streams went", () => {
  const store = createStore();
  const keptStreams = Math.floor(1e6 / (10 + EVENT_LENGTH));
  for (let stream = 0; stream < 4000; stream++) fill(store, "s", `${stream}`, 1);
  assertEquals(numbersAfter(store, "0", 1), undefined);
  assertEquals(numbersAfter(store, "3999", 0)?.length, 1);
  const gone = 4000 - keptStreams;
  // It has no event left, but nobody missed one either.
  assertEquals(numbersAfter(store, `${gone - 1}`, 1), []);
  assertEquals(numbersAfter(store, `${gone - 1}`, 0), undefined);
  assertEquals(numbersAfter(store, `${gone - 200}`, 1), undefined);
});

Deno.test("MemorySessionStore lets very many events go at once, and in order", () => {
  const store = createStore(100_000 * (10 + EVENT_LENGTH), 1e9);
  fill(store, "s", "1", 100_000);
  fill(store, "s", "2", 10);
  // In an array from which each is taken out alone, this takes minutes.
  store.append("s", { stream: "3", number: 1, text: "x".repeat(99_990 * (10 + EVENT_LENGTH)) });
  assertEquals(numbersAfter(store, "1", 100_000), []);
  assertEquals(numbersAfter(store, "1", 99_999), undefined);
  assertEquals(numbersAfter(store, "2", 0), undefined);
  assertEquals(numbersAfter(store, "2", 1), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assertEquals(numbersAfter(store, "3", 0), [1]);
});

Deno.test("MemorySessionStore keeps count of what it has, whatever comes and goes", () => {
  const store = createStore(40 * EVENT_LENGTH, 100 * EVENT_LENGTH);
  const dice = new Dice(7);
  const last = new Map<string, number>();
  for (let count = 0; count < 5_000; count++) {
    const session = `s${dice.below(6)}`;
    if (dice.isOneIn(200)) {
      store.drop(session);
      for (const name of [...last.keys()]) if (name.startsWith(session)) last.delete(name);
      continue;
    }
    const stream = `${dice.below(3)}`;
    const number = (last.get(session + stream) ?? 0) + 1;
    last.set(session + stream, number);
    store.append(session, { stream, number, text: "x".repeat(dice.below(600)) });
    let kept = 0;
    for (const [name, end] of last) {
      const [at, stream = ""] = [name.slice(0, 2), name.slice(2)];
      for (let number = 0; number <= end; number++) {
        const events = store.eventsAfter(at, stream, number);
        if (events === undefined) continue;
        assertEquals(events.map((event) => event.number), numbersBetween(number + 1, end));
        for (const { text } of events) kept += text.length + EVENT_LENGTH;
        break;
      }
    }
    assertEquals(store.length, kept);
  }
});

function numbersBetween(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

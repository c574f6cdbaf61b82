// Turns of the event loop: few at a time, in order, none lost.

import { assertEquals } from "@std/assert";
import { Turns } from "../../../src/transport/turns.ts";

/** Resolves when a turn of the event loop has passed. */
function pass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

Deno.test("Turns.next() lets four pass in a turn, in order", async () => {
  const turns = new Turns();
  const taken: number[] = [];
  for (let name = 0; name < 10; name++) turns.next().then(() => taken.push(name));
  await Promise.resolve();
  assertEquals(taken, []);
  await pass();
  assertEquals(taken, [0, 1, 2, 3]);
  await pass();
  assertEquals(taken, [0, 1, 2, 3, 4, 5, 6, 7]);
  await pass();
  assertEquals(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

Deno.test("Turns.next() puts whoever comes back behind all who wait", async () => {
  const turns = new Turns();
  const taken: string[] = [];
  const eager = () => {
    taken.push("eager");
    turns.next().then(eager);
  };
  turns.next().then(eager);
  for (let name = 0; name < 7; name++) turns.next().then(() => taken.push(`${name}`));
  for (let count = 0; count < 3; count++) await pass();
  assertEquals(taken, ["eager", "0", "1", "2", "3", "4", "5", "6", "eager"]);
});

Deno.test("Turns.next() keeps the order of a queue that is never empty", async () => {
  const turns = new Turns();
  const rounds = 1_000;
  const taken: number[] = [];
  await Promise.all(Array.from({ length: 9 }, async (_, name) => {
    for (let round = 0; round < rounds; round++) {
      await turns.next();
      taken.push(name);
    }
  }));
  assertEquals(taken.length, 9 * rounds);
  assertEquals(taken.every((name, at) => name === at % 9), true);
});

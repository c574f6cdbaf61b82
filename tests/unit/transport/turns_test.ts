// Turns for a crowd: so many at once, the next when the system was asked for news, in order, none lost.

import { assertEquals } from "@std/assert";
import { Turns } from "../../../src/transport/turns.ts";

/** How many go between two looks at the system, and after how many turns of the event loop it has been looked at. */
const PER_LOOK = 64;
const TURNS_A_LOOK = 61;

/** Lets turns of the event loop pass. */
async function pass(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets each of so many take a turn once; returns those who had it, in order, as they have it. */
function line(turns: Turns, count: number): number[] {
  const taken: number[] = [];
  for (let name = 0; name < count; name++) {
    const turn = turns.next();
    if (turn === undefined) taken.push(name);
    else turn.then(() => taken.push(name));
  }
  return taken;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, name) => name);
}

Deno.test("Turns.next() lets 64 go at once, and the next 64 after 61 turns of the event loop, in order", async () => {
  using turns = new Turns();
  const taken = line(turns, 2 * PER_LOOK + 10);
  assertEquals(taken, range(PER_LOOK));
  await pass(TURNS_A_LOOK - 1);
  assertEquals(taken, range(PER_LOOK));
  await pass(1);
  assertEquals(taken, range(2 * PER_LOOK));
  await pass(TURNS_A_LOOK - 1);
  assertEquals(taken, range(2 * PER_LOOK));
  await pass(1);
  assertEquals(taken, range(2 * PER_LOOK + 10));
});

Deno.test("Turns.next() lets go at once what is left of a look", async () => {
  using turns = new Turns();
  const first = line(turns, PER_LOOK + 10);
  await pass(TURNS_A_LOOK);
  assertEquals(first.length, PER_LOOK + 10);
  assertEquals(line(turns, PER_LOOK).length, PER_LOOK - 10);
});

Deno.test("Turns.next() puts whoever comes back behind all who wait", async () => {
  using turns = new Turns();
  line(turns, PER_LOOK);
  const taken: string[] = [];
  const take = (name: string) => turns.next()?.then(() => taken.push(name));
  take("eager")?.then(() => take("eager again"));
  for (let name = 0; name < PER_LOOK; name++) take(`${name}`);
  await pass(2 * TURNS_A_LOOK);
  assertEquals(taken, ["eager", ...range(PER_LOOK).map(String), "eager again"]);
});

Deno.test("Turns.next() keeps the order of a queue that is never empty", async () => {
  using turns = new Turns();
  const [rounds, count] = [20, 100];
  const taken: number[] = [];
  await Promise.all(
    range(count).map(async (name) => {
      for (let round = 0; round < rounds; round++) {
        await turns.next();
        taken.push(name);
      }
    }),
  );
  assertEquals(taken.length, count * rounds);
  assertEquals(taken.every((name, at) => name === at % count), true);
});

Deno.test("Turns are over once they are disposed", async () => {
  const turns = new Turns();
  const taken = line(turns, PER_LOOK + 1);
  turns[Symbol.dispose]();
  await pass(2 * TURNS_A_LOOK);
  assertEquals(taken, range(PER_LOOK));
});

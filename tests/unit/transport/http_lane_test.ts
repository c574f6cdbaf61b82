// The order in which long bodies are taken.

import { assertEquals } from "@std/assert";
import { BodyBudget } from "../../../src/transport/http_body.ts";
import { BodyLane } from "../../../src/transport/http_lane.ts";

const LONG = 100_000;

Deno.test("BodyLane lets short bodies pass at once, and long ones one by one", async () => {
  using lane = new BodyLane(new BodyBudget(10 * LONG));
  assertEquals(lane.next(LONG), undefined);
  const order: string[] = [];
  const waiting = ["first", "second"].map(async (name) => {
    await lane.next(LONG);
    order.push(name);
    // Whoever came in the meantime is heard before the next.
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`behind ${name}`);
  });
  assertEquals(lane.next(1000), undefined);
  await Promise.all(waiting);
  assertEquals(order, ["first", "behind first", "second", "behind second"]);
});

Deno.test("BodyLane keeps no more waiting than there is room for bodies, and gives the room back", async () => {
  const budget = new BodyBudget(LONG);
  using lane = new BodyLane(budget);
  assertEquals(lane.next(LONG), undefined);
  const waiting = lane.next(LONG);
  assertEquals(lane.next(LONG), "full");
  await waiting;
  assertEquals(budget.take(LONG), true);
});

// Waiting no longer than a given time.

import { assertEquals, assertRejects } from "@std/assert";
import { answersWithin, settlesWithin } from "../../../src/gateway/limits.ts";

Deno.test("settlesWithin() gives up on what never settles", async () => {
  assertEquals(await settlesWithin(new Promise(() => {}), 1), false);
});

Deno.test("settlesWithin() takes failure for an end, and leaves no timer behind", async () => {
  assertEquals(await settlesWithin(Promise.reject(new Error("x")), 1_000_000), true);
  assertEquals(await settlesWithin(Promise.resolve(1), 1_000_000), true);
});

Deno.test("answersWithin() is what the work comes to, or that it took too long", async () => {
  assertEquals(await answersWithin(1, 1_000_000), 1);
  assertEquals(await answersWithin(Promise.resolve(2), 1_000_000), 2);
  await assertRejects(() => answersWithin(Promise.reject(new TypeError("x")), 1_000), TypeError);
  await assertRejects(() => answersWithin(new Promise(() => {}), 1), Error, "within 1 ms");
});

// Waiting no longer than a given time.

import { assertEquals, assertRejects } from "@std/assert";
import { stay } from "../../harness/stay.ts";
import { answersWithin, settlesWithin } from "../../../src/gateway/limits.ts";

Deno.test("settlesWithin() gives up on what never settles", async () => {
  assertEquals(await settlesWithin(new Promise(() => {}), 1), false);
});

Deno.test("settlesWithin() waits as long as a timer can where it is given longer", async () => {
  const slow = new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals(await settlesWithin(slow, 2 ** 31), true);
});

Deno.test("settlesWithin() takes failure for an end, and leaves no timer behind", async () => {
  assertEquals(await settlesWithin(Promise.reject(new Error("x")), 1_000_000), true);
  assertEquals(await settlesWithin(Promise.resolve(1), 1_000_000), true);
});

Deno.test("answersWithin() is what the work comes to, or that it took too long", async () => {
  using _stay = stay();
  const patient = { who: "The store", timeoutMs: 1_000_000 };
  const endless = { who: "The store", timeoutMs: Infinity };
  assertEquals(await answersWithin(1, patient), 1);
  assertEquals(await answersWithin(Promise.resolve(2), patient), 2);
  const slow = new Promise((resolve) => setTimeout(() => resolve(3), 10));
  assertEquals(await answersWithin(slow, endless), 3);
  await assertRejects(() => answersWithin(Promise.reject(new TypeError("x")), patient), TypeError);
  await assertRejects(
    () => answersWithin(new Promise(() => {}), { who: "The store", timeoutMs: 1 }),
    Error,
    "The store gave no answer within 1 ms",
  );
});

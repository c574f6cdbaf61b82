// Waiting no longer than a given time.

import { assertEquals } from "@std/assert";
import { settlesWithin } from "../../../src/gateway/limits.ts";

Deno.test("settlesWithin() gives up on what never settles", async () => {
  assertEquals(await settlesWithin(new Promise(() => {}), 1), false);
});

Deno.test("settlesWithin() takes failure for an end, and leaves no timer behind", async () => {
  assertEquals(await settlesWithin(Promise.reject(new Error("x")), 1_000_000), true);
  assertEquals(await settlesWithin(Promise.resolve(1), 1_000_000), true);
});

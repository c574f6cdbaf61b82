// What a client carries for us: unforgeable, for one purpose, and mortal. `request_state_test.ts` flips every bit of it.

import { assertEquals, assertNotEquals } from "@std/assert";
import { Seal } from "../../../src/mcp/seal.ts";

Deno.test("Seal.open() refuses what was sealed for another purpose, or by another", async () => {
  const seal = new Seal(1000);
  const sealed = await seal.seal({ a: 1 }, "one");
  assertEquals(await seal.open(sealed, "two"), { kind: "foreign" });
  assertEquals(await new Seal(1000).open(sealed, "one"), { kind: "foreign" });
  for (const junk of [null, 1, {}, [sealed], "", ".", `${sealed}.`, ` ${sealed}`]) {
    assertEquals(await seal.open(junk, "one"), { kind: "foreign" });
  }
});

Deno.test("Seal.open() tells what has expired", async () => {
  let now = 0;
  const seal = new Seal(1000, { now: () => now });
  const sealed = await seal.seal({ a: 1 }, "one");
  now = 1000;
  assertEquals(await seal.open(sealed, "one"), { kind: "valid", value: { a: 1 } });
  now = 1001;
  assertEquals(await seal.open(sealed, "one"), { kind: "expired" });
  assertEquals(await seal.open(sealed, "two"), { kind: "foreign" }, "a stranger learns nothing");
});

Deno.test("Seal.open() opens what another sealed with the same key, and with no other", async () => {
  const [key, other] = [1, 2].map((seed) => new Uint8Array(32).fill(seed));
  const sealed = await new Seal(1000, { key }).seal({ a: 1 }, "one");
  assertEquals(await new Seal(1000, { key }).open(sealed, "one"), {
    kind: "valid",
    value: { a: 1 },
  });
  assertEquals(await new Seal(1000, { key: other }).open(sealed, "one"), { kind: "foreign" });
});

Deno.test("Seal.seal() never gives the same text twice", async () => {
  const seal = new Seal(1000);
  assertNotEquals(await seal.seal({}, "one"), await seal.seal({}, "one"));
});

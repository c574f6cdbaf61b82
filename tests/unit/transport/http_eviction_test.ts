// Who has to make way.

import { assertEquals } from "@std/assert";
import { findIdlest, findSlowest } from "../../../src/transport/http_eviction.ts";

/** Connections by name, with the time at which each began. */
function bodies(...rows: readonly (readonly [string, number | undefined, boolean?])[]) {
  return rows.map(([name, bodySince, isStepping = false]) => ({ name, bodySince, isStepping }));
}

const isTooLong = (since: number) => since < 10;

Deno.test("findIdlest() finds who has waited longest, and nobody who is owed an answer", () => {
  const connections = [3, undefined, 1, 2].map((waitsSince) => ({ waitsSince }));
  assertEquals(findIdlest(connections)?.waitsSince, 1);
  assertEquals(findIdlest([{ waitsSince: undefined }]), undefined);
});

Deno.test("findSlowest() finds the body that has taken longest, if that is too long", () => {
  assertEquals(findSlowest(bodies(["b", 5], ["a", 3], ["none", undefined]), isTooLong)?.name, "a");
  assertEquals(findSlowest(bodies(["young", 11]), isTooLong), undefined);
  assertEquals(findSlowest(bodies(["none", undefined]), isTooLong), undefined);
});

Deno.test("findSlowest() takes nothing from faster bodies for the slowest", () => {
  assertEquals(findSlowest(bodies(["slow", 1, true], ["quick", 5]), isTooLong), undefined);
  assertEquals(findSlowest(bodies(["slow", 1], ["quick", 5, true]), isTooLong)?.name, "slow");
});

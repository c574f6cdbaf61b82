// Values that come and go: in order, found once, and none kept by another that left.

import { assert, assertEquals, assertFalse } from "@std/assert";
import { Roster } from "../../../src/gateway/roster.ts";

Deno.test("Roster keeps the order in which values came, whoever leaves", () => {
  const roster = new Roster<string>();
  const [, second, third, fourth] = ["a", "b", "c", "d", "e"].map((value) => roster.add(value));

  assert(roster.delete(third!));
  assertEquals(roster.values(), ["a", "b", "d", "e"]);
  assert(roster.delete(second!));
  assert(roster.delete(fourth!));
  roster.add("f");

  assertEquals(roster.values(), ["a", "e", "f"]);
  assertEquals(roster.size, 3);
  assertEquals(roster.first?.value, "a");
});

Deno.test("Roster is a queue when the first leaves each time, and can be emptied and filled again", () => {
  const roster = new Roster<number>();
  for (let round = 0; round < 3; round++) {
    for (let value = 0; value < 5; value++) roster.add(value);
    const left: number[] = [];
    for (let seat = roster.first; seat !== undefined; seat = roster.first) {
      left.push(seat.value);
      roster.delete(seat);
    }
    assertEquals(left, [0, 1, 2, 3, 4]);
    assertEquals(roster.size, 0);
    assertEquals(roster.values(), []);
  }
});

Deno.test("Roster.delete() takes a value out once", () => {
  const roster = new Roster<string>();
  const seat = roster.add("a");
  roster.add("b");

  assert(roster.delete(seat));
  assertFalse(roster.delete(seat));
  assertEquals(roster.values(), ["b"]);
  assertEquals(roster.size, 1);
});

Deno.test("Roster.delete() leaves a seat that keeps nobody", () => {
  const roster = new Roster<string>();
  roster.add("a");
  const seat = roster.add("b");
  roster.add("c");

  roster.delete(seat);

  assertEquals([seat.before, seat.after], [undefined, undefined]);
});

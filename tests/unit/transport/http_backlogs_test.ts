// Which clients lose their connections when too much waits for those who do not read.

import { assertEquals } from "@std/assert";
import { type Backlogged, Backlogs } from "../../../src/transport/http_backlogs.ts";

class Slow implements Backlogged {
  isCut = false;
  writer: { readonly backlog: number };
  readonly writeSince: number;

  constructor(backlog: number, writeSince: number) {
    this.writer = { backlog };
    this.writeSince = writeSince;
  }

  cut(): void {
    this.isCut = true;
  }
}

function createBacklogs(hasStalled: (since: number) => boolean = () => true): Backlogs {
  return new Backlogs({ least: 10, most: 100, hasStalled });
}

Deno.test("Backlogs cuts those that have stalled longest, and no more than it must", () => {
  const backlogs = createBacklogs();
  const slow = [[40, 3], [40, 1], [40, 2], [40, 4]].map(([backlog = 0, since = 0]) =>
    new Slow(backlog, since)
  );
  for (const connection of slow) backlogs.note(connection);
  assertEquals(slow.map(({ isCut }) => isCut), [false, true, true, false]);
});

Deno.test("Backlogs leaves alone whoever has taken its answer, and whoever has little to take", () => {
  const backlogs = createBacklogs();
  const slow = new Slow(90, 1);
  const little = Array.from({ length: 20 }, () => new Slow(10, 0));
  for (const connection of [slow, ...little]) backlogs.note(connection);
  slow.writer = { backlog: 5 };
  const next = new Slow(100, 2);
  backlogs.note(next);
  assertEquals([slow, next, ...little].some(({ isCut }) => isCut), false);
});

Deno.test("Backlogs never cuts the one that writes, nor one that is closed", () => {
  const backlogs = createBacklogs();
  const closed = new Slow(90, 1);
  backlogs.note(closed);
  backlogs.forget(closed);
  const alone = new Slow(1000, 1);
  backlogs.note(alone);
  assertEquals([closed.isCut, alone.isCut], [false, false]);
});

Deno.test("Backlogs leaves those some time who are told much at once, within twice the bound", () => {
  const backlogs = createBacklogs((since) => since < 5);
  const reading = [6, 7, 8, 9].map((since) => new Slow(50, since));
  for (const connection of reading) backlogs.note(connection);
  assertEquals(reading.some(({ isCut }) => isCut), false);
  // Over twice the bound whoever has read nothing for longest goes.
  backlogs.note(new Slow(20, 10));
  assertEquals(reading.map(({ isCut }) => isCut), [true, false, false, false]);
});

Deno.test("Backlogs cuts who is being sent something if it has stalled longest, when that is done", async () => {
  const backlogs = createBacklogs((since) => since < 5);
  const [stalled, slow] = [new Slow(90, 1), new Slow(90, 3)];
  backlogs.note(slow);
  backlogs.note(stalled);
  assertEquals([stalled.isCut, slow.isCut], [false, false]);
  await Promise.resolve();
  assertEquals([stalled.isCut, slow.isCut], [true, false]);
});

// When a connection has taken too long, told phase by phase.

import { assertEquals } from "@std/assert";
import { DEFAULT_HTTP_LIMITS } from "../../../src/transport/http.ts";
import { type ConnectionAge, judgeAge, type TickClock } from "../../../src/transport/http_age.ts";

/** A tick is a second; `headMs` is 10 of them, `bodyMs` 30, `idleMs` and `stallMs` 60. */
function clockAt(now: number): TickClock {
  return {
    limits: DEFAULT_HTTP_LIMITS,
    isOver: (since, milliseconds) => now - since > milliseconds / 1000,
  };
}

const YOUNG: ConnectionAge = {
  phase: "idle",
  since: 0,
  writeSince: undefined,
  fullSince: undefined,
  isEmpty: true,
};

type Case = readonly [name: string, age: Partial<ConnectionAge>, until: number, end: unknown];

const CASES: readonly Case[] = [
  ["between requests", { phase: "idle" }, 60, "cut"],
  ["before its first word", { phase: "head" }, 10, "cut"],
  ["in a head", { phase: "head", isEmpty: false }, 10, 408],
  ["in a body", { phase: "body" }, 30, 408],
  ["in a body that nobody wants", { phase: "skip" }, 30, "cut"],
  ["with so much sent ahead that it is not read", { phase: "busy", fullSince: 5 }, 35, "cut"],
  ["after its last answer", { phase: "lingering" }, 2, "cut"],
  ["with an answer that it does not read", { phase: "busy", writeSince: 7 }, 67, "cut"],
  ["in a head, behind an answer", { phase: "head", isEmpty: false, writeSince: 9 }, 10, 408],
  ["in a body, behind an answer", { phase: "body", writeSince: 29 }, 30, 408],
];

for (const [name, age, until, end] of CASES) {
  Deno.test(`judgeAge() ends a connection ${name} when its time is over`, () => {
    const judge = (now: number) => {
      const verdict = judgeAge({ ...YOUNG, ...age }, clockAt(now));
      return typeof verdict === "object" ? verdict.status : verdict;
    };
    assertEquals([judge(until), judge(until + 1)], [undefined, end]);
  });
}

const PATIENT: readonly (readonly [string, Partial<ConnectionAge>])[] = [
  ["while it is worked for", { phase: "busy" }],
  ["while it waits for its turn", { phase: "queued" }],
  ["between requests while it still reads", { phase: "idle", writeSince: 990 }],
  ["that sent an empty line and still reads", { phase: "head", writeSince: 990 }],
  ["that reads its last answer", { phase: "lingering", writeSince: 990 }],
];

for (const [name, age] of PATIENT) {
  Deno.test(`judgeAge() leaves a connection alone ${name}`, () => {
    assertEquals(judgeAge({ ...YOUNG, ...age }, clockAt(1000)), undefined);
  });
}

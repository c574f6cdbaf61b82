// The server's own log: by level, by rate, and never a cause of failure itself.

import { assertEquals, assertMatch } from "@std/assert";
import { createLog, describeError, type LogOptions } from "../../../src/gateway/log.ts";

function recordLog(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const clock = { now: 60_000 };
  const log = createLog({
    level: "info",
    sink: (line) => lines.push(line),
    now: () => clock.now,
    ...options,
  });
  return { log, lines, clock, events: () => lines.map((line) => JSON.parse(line).event) };
}

Deno.test("createLog() writes nothing milder than its level", () => {
  const { log, events } = recordLog({ level: "error" });
  for (const level of ["debug", "info", "warning", "error", "emergency"] as const) {
    log.write(level, level);
  }
  assertEquals(events(), ["error", "emergency"]);
});

Deno.test("createLog() leaves out what is above the rate and says how much", () => {
  const { log, clock, lines, events } = recordLog({ maxLinesPerMinute: 2 });
  for (const event of ["a", "b", "c", "d", "e"]) log.write("info", event);
  log.write("debug", "not counted");
  assertEquals(events(), ["a", "b"]);
  clock.now += 60_000;
  log.write("info", "f");
  assertEquals(events(), ["a", "b", "log_lines_left_out", "f"]);
  assertEquals(JSON.parse(lines[2] ?? "").count, 3);
  clock.now += 60_000;
  log.write("info", "g");
  assertEquals(events().at(-1), "g");
  assertEquals(lines.length, 5);
});

Deno.test("createLog() writes one line of JSON, whatever the fields hold", () => {
  const { log, lines } = recordLog();
  log.write("notice", "e", { text: "a\nb\u2028", none: undefined, list: [1] });
  assertEquals(lines, [
    '{"time":"1970-01-01T00:01:00.000Z","level":"notice","event":"e","text":"a\\nb\u2028","list":[1]}\n',
  ]);
});

Deno.test("describeError() describes whatever was thrown", () => {
  const ring = new Error("ring");
  ring.cause = ring;
  const hostile = new Error("x");
  Object.defineProperty(hostile, "message", {
    get() {
      throw new Error("y");
    },
  });
  const UNDESCRIBABLE = [Object.create(null), { toString: 1, valueOf: 1 }, hostile];
  for (const thrown of UNDESCRIBABLE) assertMatch(describeError(thrown), /cannot be described/);
  for (const thrown of [undefined, null, 1, "text", Symbol("s"), 1n, () => {}]) {
    assertEquals(describeError(thrown), String(thrown));
  }
  assertMatch(describeError(ring), /^Error: ring \(cause: Error: ring/);
  assertEquals(describeError(new Error("x".repeat(10_000))).length <= 2000, true);
});

Deno.test("describeError() tells the causes", () => {
  const error = new TypeError("outer", { cause: new RangeError("inner", { cause: "core" }) });
  assertEquals(
    describeError(error),
    "TypeError: outer (cause: RangeError: inner (cause: core))",
  );
});

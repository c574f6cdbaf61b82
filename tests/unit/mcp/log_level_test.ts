// Severities and their order.

import { assertEquals } from "@std/assert";
import { isAtLeast, isLogLevel, LOG_LEVELS } from "../../../src/mcp/params.ts";

Deno.test("isLogLevel() knows eight words", () => {
  for (const value of ["", "DEBUG", "warn", "trace", 0, null, undefined, ["info"]]) {
    assertEquals(isLogLevel(value), false);
  }
  assertEquals(LOG_LEVELS.filter(isLogLevel).length, 8);
});

Deno.test("isAtLeast() orders all pairs", () => {
  const order = "debug info notice warning error critical alert emergency".split(" ");
  assertEquals<readonly string[]>(LOG_LEVELS, order);
  for (const [index, level] of LOG_LEVELS.entries()) {
    for (const [bar, threshold] of LOG_LEVELS.entries()) {
      assertEquals(isAtLeast(level, threshold), index >= bar, `${level} ${threshold}`);
    }
  }
});

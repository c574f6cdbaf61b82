// The official conformance suite: every check that it has for servers, none failed, none a warning.

import { assertMatch } from "@std/assert";
import { pathOf, runToEnd } from "./programs.ts";

const FLAGS = ["--no-prompt", "--allow-run=deno", "--allow-read=/tmp", "--allow-write=/tmp"];

Deno.test("the conformance suite passes in full, on both wires", async () => {
  const printed = await runToEnd("deno", ["run", ...FLAGS, pathOf("conformance.ts")]);
  assertMatch(printed, /^2025-11-25: 84 of 84 checks passed$/m);
  assertMatch(printed, /^2026-07-28: 196 of 196 checks passed$/m);
  assertMatch(printed, /\n339 passed, 0 failed\n$/);
});

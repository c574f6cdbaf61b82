// Arguments of `read_bcp_file`, as the schema lets them through.

import { assertEquals } from "@std/assert";
import { parseReadOptions } from "../../../../src/providers/bcp/reader.ts";

Deno.test("parseReadOptions() refuses a budget that bcp cannot take", () => {
  for (const budget of [-1, 1.5, 2 ** 32, Number.MAX_VALUE]) {
    const options = parseReadOptions({ path: "a.bcp", budget }, "xml");
    assertEquals([budget, options.kind], [budget, "refused"]);
  }
});

Deno.test("parseReadOptions() takes what was given and fills in the mode", async (t) => {
  const CASES = [
    { name: "nothing", given: {}, options: { mode: "minimal" } },
    { name: "mode", given: { mode: "markdown" }, options: { mode: "markdown" } },
    {
      name: "a budget is obeyed unless something else is said",
      given: { budget: 0 },
      options: { mode: "minimal", budget: 0, verbosity: "adaptive" },
    },
    {
      name: "verbosity wins",
      given: { budget: 9, verbosity: "full" },
      options: { mode: "minimal", budget: 9, verbosity: "full" },
    },
    {
      name: "lists",
      given: { include: ["code", "file_tree"], blocks: [2, 0] },
      options: { mode: "minimal", include: ["code", "file_tree"], blocks: [2, 0] },
    },
    {
      name: "empty lists are no choice",
      given: { include: [], blocks: [] },
      options: { mode: "minimal" },
    },
  ] as const;
  for (const { name, given, options } of CASES) {
    await t.step(name, () => {
      const parsed: unknown = parseReadOptions({ path: "a.bcp", ...given }, "minimal");
      assertEquals(parsed, { kind: "options", ...options });
    });
  }
});

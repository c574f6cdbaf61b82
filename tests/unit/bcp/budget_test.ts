/** The budget engine where rendering cannot show it: what is left after each block. */
import { assertEquals } from "@std/assert";
import { type PlacedBlock, planDecisions } from "../../../src/bcp/budget.ts";
import type { PriorityName } from "../../../src/bcp/names.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";

const CASES = [
  {
    name: "overspending leaves nothing, not less than nothing",
    budget: 5,
    blocks: [{ tokens: 9, priority: "critical" }, { tokens: 0, priority: "normal" }],
    kinds: ["full", "full"],
  },
  {
    name: "a high block that fits nowhere takes all that is left",
    budget: 8,
    blocks: [{ tokens: 9, priority: "high" }, { tokens: 1, priority: "normal" }],
    kinds: ["full", "placeholder"],
  },
  {
    name: "a placeholder of a normal block is free",
    budget: 5,
    blocks: [{ tokens: 9, priority: "normal" }, { tokens: 5, priority: "normal" }],
    kinds: ["placeholder", "full"],
  },
  {
    name: "a placeholder of a background block costs ten",
    budget: 25,
    blocks: [
      { tokens: 1, priority: "background" },
      { tokens: 1, priority: "background" },
      { tokens: 1, priority: "background" },
    ],
    kinds: ["placeholder", "placeholder", "omit"],
  },
] as const;

Deno.test("planDecisions() keeps account of what is left", async (t) => {
  for (const { name, budget, blocks, kinds } of CASES) {
    await t.step(name, () => {
      const placed = blocks.map(({ tokens }, index): PlacedBlock => {
        const content = toUtf8("x".repeat(4 * tokens));
        return { index, block: { kind: "conversation", role: "user", content } };
      });
      const priorities = new Map<number, PriorityName>(
        blocks.map(({ priority }, index) => [index, priority]),
      );
      const decisions = planDecisions(placed, { verbosity: "adaptive", budget, priorities });
      assertEquals(decisions.map(({ kind }) => kind), [...kinds]);
    });
  }
});

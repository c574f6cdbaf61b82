// Names of tools: the same for everyone, whatever the order they come in.

import { assertEquals, assertMatch } from "@std/assert";
import { Dice } from "../../harness/dice.ts";
import { type NamedTool, nameTools } from "../../../src/router/catalog.ts";

function tool(namespace: string, name: string): NamedTool {
  return { namespace, name };
}

/** What came out, in an order of its own. */
function summarize(tools: readonly NamedTool[]): unknown {
  const { named, refused } = nameTools(tools);
  return {
    named: [...named].map(([name, item]) => `${name} = ${item.namespace}/${item.name}`).sort(),
    refused: refused.map(({ item }) => `${item.namespace}/${item.name}`).sort(),
  };
}

Deno.test("nameTools() refuses names that clients could not use", async (t) => {
  for (const name of ["", " ", "a b", "a/b", "é", "a\n", "x".repeat(129), "a:b", "<a>"]) {
    await t.step(JSON.stringify(name).slice(0, 20), () => {
      const { named, refused } = nameTools([tool("n", name)]);
      assertEquals(named.size, 0);
      assertMatch(refused[0]?.reason ?? "", /must match/);
    });
  }
  assertEquals(nameTools([tool("n", "x".repeat(128)), tool("n", "A-z_0.9")]).refused, []);
});

Deno.test("nameTools() refuses a name that stays ambiguous, for both", () => {
  assertEquals(summarize([tool("a", "b"), tool("a", "b")]), { named: [], refused: ["a/b", "a/b"] });
  // "a" + "b_c" and "a_b" + "c" would both be called "a_b_c".
  const tools = [tool("a", "b_c"), tool("a_b", "c"), tool("x", "b_c"), tool("x", "c")];
  assertEquals(summarize(tools), {
    named: ["x_b_c = x/b_c", "x_c = x/c"],
    refused: ["a/b_c", "a_b/c"],
  });
});

Deno.test("nameTools() refuses a prefixed name that another tool has by itself", () => {
  const tools = [tool("a", "run"), tool("b", "run"), tool("c", "a_run")];
  assertEquals(summarize(tools), { named: ["b_run = b/run"], refused: ["a/run", "c/a_run"] });
});

Deno.test("nameTools() refuses a namespace only where it is needed", () => {
  assertEquals(summarize([tool("bad space", "run")]), {
    named: ["run = bad space/run"],
    refused: [],
  });
  assertEquals(summarize([tool("bad space", "run"), tool("b", "run")]), {
    named: ["b_run = b/run"],
    refused: ["bad space/run"],
  });
});

Deno.test("nameTools() leaves unique names bare and prefixes shared ones for all", () => {
  const tools = [tool("a", "read"), tool("a", "run"), tool("b", "run"), tool("c", "run")];
  assertEquals(summarize(tools), {
    named: ["a_run = a/run", "b_run = b/run", "c_run = c/run", "read = a/read"],
    refused: [],
  });
});

Deno.test("nameTools() comes to one outcome for every order of a set", () => {
  const dice = new Dice(20_261_116);
  for (let round = 0; round < 200; round++) {
    const tools = Array.from(
      { length: 2 + dice.below(10) },
      () => tool(dice.pick(["a", "b", "a_b", "c"]), dice.pick(["x", "b_x", "a_x", "y", "!"])),
    );
    const expected = summarize(tools);
    for (let turn = 0; turn < 5; turn++) {
      assertEquals(summarize(shuffle(tools, dice)), expected, JSON.stringify(tools));
    }
  }
});

function shuffle<Item>(items: readonly Item[], dice: Dice): Item[] {
  return items.map((item) => ({ item, rank: dice.below(2 ** 32) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

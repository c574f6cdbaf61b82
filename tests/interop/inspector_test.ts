// The Inspector's command line in both eras over real stdio and HTTP: everything that it can do.

import { assertEquals, assertMatch } from "@std/assert";
import { FEATURES, type Sight, TOOL_FEATURES, UNASKED } from "./expected.ts";
import { HttpFixture } from "./http_fixture.ts";
import { runInspector, visit } from "./inspector.ts";
import { assertCoverage, assertJourney } from "./journey.ts";
import { isInstalled, prepareServer } from "./programs.ts";

const ignore = !await isInstalled("npx");
const skipped = ignore ? " (skipped: npx is not on PATH)" : "";

const OFFER = { tools: FEATURES["tools/list"].modern, prompts: FEATURES["prompts/list"].modern };

/** The Inspector shows no error numbers, declares roots but has none, and cannot be asked anything else. */
const EXPECTED: Readonly<Record<string, Sight>> = {
  "connect": FEATURES["connect"],
  "tools/list": FEATURES["tools/list"],
  "a tool's definition": FEATURES["a tool's definition"],
  "tools/call": withoutNumbers(TOOL_FEATURES["tools/call"]),
  "unknown tool": {
    legacy: "error: Tool 'nothing' not found on server.",
    modern: "error: Tool 'nothing' not found on server.",
  },
  "bad arguments": FEATURES["bad arguments"],
  "elicitation": unasked("elicitation"),
  "sampling": unasked("sampling"),
  "roots": sameForAll("roots", ""),
  // Alone among the clients it declares tasks, and then asks for this one until it has ended.
  "tasks": sameForAll("tasks", "failed: The job failed"),
  "asking what is offered": sameForAll("asking what is offered", "Nothing can be asked"),
  "resources/list": FEATURES["resources/list"],
  "resources/templates/list": FEATURES["resources/templates/list"],
  "resources/read": FEATURES["resources/read"],
  "unknown resource": withoutNumbers(FEATURES["unknown resource"]),
  "prompts/list": FEATURES["prompts/list"],
  "prompts/get": FEATURES["prompts/get"],
  "a prompt that asks": {
    legacy: `error: ${UNASKED}elicitation`,
    modern: `error: ${UNASKED}elicitation`,
  },
  "unknown prompt": withoutNumbers(FEATURES["unknown prompt"]),
  "logging": {
    legacy: {},
    modern: "error: Method 'logging/setLevel' is not supported by the negotiated protocol version" +
      " (wire era 2026-07-28)",
  },
};

for (const era of ["legacy", "modern"] as const) {
  Deno.test({
    name: `inspector ${era} lists and calls everything over stdio${skipped}`,
    ignore,
    fn: async (t) => {
      const report = await visit(await prepareServer(), era, OFFER);
      await assertJourney(t, report, EXPECTED);
      await t.step("coverage table", () => assertCoverage(report));
    },
  });

  Deno.test({
    name: `inspector ${era} lists and calls everything over HTTP${skipped}`,
    ignore,
    fn: async (t) => {
      await using fixture = await HttpFixture.start();
      const report = await visit({ url: fixture.url }, era, OFFER);
      await assertJourney(t, report, EXPECTED);
      await t.step("coverage table", () => assertCoverage(report));
      await t.step("the server's end", async () => {
        assertEquals(await fixture.end(), { code: 0, stderr: "" });
      });
    },
  });
}

const EXITS = [
  { era: "legacy", args: ["tools/call", "--tool-name", "test_simple_text"], exitCode: 0 },
  { era: "legacy", args: ["tools/call", "--tool-name", "failing_job"], exitCode: 5 },
  { era: "modern", args: ["tools/call", "--tool-name", "test_simple_text"], exitCode: 0 },
  { era: "modern", args: ["tools/call", "--tool-name", "failing_job"], exitCode: 5 },
  { era: "modern", args: ["tools/call", "--tool-name", "nothing"], exitCode: 5 },
  { era: "modern", args: ["resources/read", "--uri", "test://nowhere"], exitCode: 1 },
  { era: "auto", args: ["initialize"], exitCode: 0 },
] as const;

Deno.test({
  name: `inspector exits as its manual says, and chooses the stateless wire${skipped}`,
  ignore,
  fn: async (t) => {
    const runs = EXITS.map(({ era, args }) => ({ era, args, ownProcess: true }));
    const { ends, leftInHome } = await runInspector(await prepareServer(), runs);
    for (const [index, { era, args, exitCode }] of EXITS.entries()) {
      const name = `${era}: ${args.join(" ")}`;
      await t.step(name, () => assertEquals(ends[index]?.exitCode, exitCode));
    }
    assertMatch(ends.at(-1)?.stdout ?? "", /"protocolVersion":"2026-07-28"/);
    assertEquals(leftInHome, []);
  },
});

function unasked(feature: "elicitation" | "sampling"): Sight {
  return {
    legacy: sameForAll(feature, `failed: ${UNASKED}${feature}`).legacy,
    modern: sameForAll(feature, `error: ${UNASKED}${feature}`).modern,
  };
}

function sameForAll(feature: keyof typeof TOOL_FEATURES, line: string): Sight {
  const names = Object.keys(Object(TOOL_FEATURES[feature].modern));
  const lines = Object.fromEntries(names.map((name) => [name, line]));
  return { legacy: lines, modern: lines };
}

function withoutNumbers(sight: Sight): Sight {
  return JSON.parse(JSON.stringify(sight).replaceAll(/"error -\d+: /g, '"error: '));
}

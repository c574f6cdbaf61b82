// The official SDKs, each in its own process, over real stdio and HTTP: every feature of the everything
// fixture.

import { assertEquals } from "@std/assert";
import { assertCoverage, assertJourney } from "./journey.ts";
import { FEATURES, TOOL_FEATURES } from "./expected.ts";
import { HttpFixture } from "./http_fixture.ts";
import { prepareServer, runSdkClient } from "./programs.ts";

const EVERYTHING = { ...FEATURES, ...TOOL_FEATURES };

/** The second generation reads -32002 and shows the number that the latest revision has for it. */
const EVERYTHING_V2 = {
  ...EVERYTHING,
  "unknown resource": {
    ...FEATURES["unknown resource"],
    legacy: "error -32602: Resource not found",
  },
};

const CASES = [
  { client: "sdk v1", program: "sdk_v1", args: [], era: "legacy", expected: EVERYTHING },
  {
    client: "sdk v2 legacy",
    program: "sdk_v2",
    args: ["legacy"],
    era: "legacy",
    expected: EVERYTHING_V2,
  },
  {
    client: "sdk v2 auto",
    program: "sdk_v2",
    args: ["auto"],
    era: "modern",
    expected: EVERYTHING_V2,
  },
  {
    client: "sdk v2 2026-07-28",
    program: "sdk_v2",
    args: ["2026-07-28"],
    era: "modern",
    expected: EVERYTHING_V2,
  },
] as const;

for (const { client, program, args, era, expected } of CASES) {
  Deno.test(`${client} lists and calls everything over stdio`, async (t) => {
    const report = await runSdkClient(program, args, await prepareServer());
    await t.step("era", () => assertEquals([report.client, report.era], [client, era]));
    await assertJourney(t, report, expected);
    await t.step("coverage table", () => assertCoverage(report));
  });

  Deno.test(`${client} lists and calls everything over HTTP`, async (t) => {
    await using fixture = await HttpFixture.start();
    const report = await runSdkClient(program, args, { url: fixture.url });
    await t.step("era", () => assertEquals([report.client, report.era], [client, era]));
    await assertJourney(t, report, expected);
    await t.step("coverage table", () => assertCoverage(report));
    await t.step("the server's end", async () => {
      assertEquals(await fixture.end(), { code: 0, stderr: "" });
    });
  });
}

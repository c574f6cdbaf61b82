// Compares what a client saw with what it must see, and with its column of the coverage table.

import { assertEquals } from "@std/assert";
import type { Report } from "./clients/report.ts";
import { CLIENTS, COVERAGE, type Mark } from "./coverage.ts";
import { type Sight, TOOL_FEATURES, UNASKED } from "./expected.ts";

/** Asserts a report, one step a feature. */
export async function assertJourney(
  t: Deno.TestContext,
  report: Report,
  expected: Readonly<Record<string, Sight>>,
): Promise<void> {
  const seen = groupTools(report.seen);
  for (const [feature, sight] of Object.entries(expected)) {
    await t.step(feature, () => assertEquals(seen[feature], sight[report.era]));
  }
  await t.step("nothing else", () => {
    assertEquals(Object.keys(seen).filter((feature) => expected[feature] === undefined), []);
    assertEquals(report.complaints, []);
    assertEquals(report.stderr, "");
  });
}

/** Asserts that the coverage table says of a client what it did. */
export function assertCoverage(report: Report): void {
  const column = CLIENTS.indexOf(report.client);
  const seen = groupTools(report.seen);
  const marks = Object.keys(COVERAGE).map((feature) => [feature, toMark(seen[feature])]);
  const table = Object.entries(COVERAGE).map(([feature, row]) => [feature, row[column]]);
  assertEquals(Object.fromEntries(marks), Object.fromEntries(table));
}

/** Puts each tool's line under the feature that the tool belongs to; tools that are new stay where they are. */
function groupTools(seen: Report["seen"]): Record<string, unknown> {
  const { "tools/call": calls, ...others } = seen;
  const rest = { ...Object(calls) };
  const groups: Record<string, unknown> = {};
  for (const [feature, { modern }] of Object.entries(TOOL_FEATURES)) {
    if (feature === "tools/call") continue;
    const names = Object.keys(Object(modern)).filter((name) => Object.hasOwn(rest, name));
    groups[feature] = Object.fromEntries(names.map((name) => [name, rest[name]]));
    for (const name of names) delete rest[name];
  }
  return { ...others, ...groups, "tools/call": rest };
}

function toMark(sight: unknown): Mark {
  if (sight === undefined) return "no";
  const lines = typeof sight === "string" ? [sight] : Object.values(Object(sight)).map(String);
  if (lines.length === 0) return "yes";
  if (lines.every((line) => line.includes("is not supported by the negotiated"))) return "gone";
  return lines.every((line) => line.includes(UNASKED)) ? "unasked" : "yes";
}

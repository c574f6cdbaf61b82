// The tests against the requirements: none uncited, none unknown, and the acceptance rows of the core all cited.

import { assertEquals } from "@std/assert";
import { REQUIREMENTS } from "../requirements.ts";

/** Rows of the acceptance lists that the core answers for. */
const ROWS: Readonly<Record<string, readonly number[]>> = {
  // deno-fmt-ignore -- rows as a list
  substrate: [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
  ],
  "mcp-bash": [5, 6, 7, 8, 9, 10, 16, 17, 18, 19, 20, 21, 31, 32],
};

/** Where tests are; needs permission to read. */
const TESTS = new URL("../", import.meta.url);

async function* readTests(folder: URL): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    if (entry.isDirectory) yield* readTests(new URL(`${entry.name}/`, folder));
    else if (entry.name.endsWith("_test.ts")) {
      yield await Deno.readTextFile(new URL(entry.name, folder));
    }
  }
}

/** All that the titles of tests cite, by a pattern with one group. */
async function findCited(pattern: RegExp): Promise<ReadonlySet<string>> {
  const cited = new Set<string>();
  for await (const text of readTests(TESTS)) {
    for (const match of text.matchAll(pattern)) cited.add(match[1] ?? "");
  }
  return cited;
}

Deno.test("REQUIREMENTS are all cited by tests, and no test cites another", async () => {
  const cited = await findCited(/"(mcp\.[a-z_]+\.[a-z_]+)[" ]/g);
  assertEquals([...cited].toSorted(), Object.keys(REQUIREMENTS).toSorted());
});

Deno.test("REQUIREMENTS name a page and at least one revision each", () => {
  for (const [id, { section, revisions }] of Object.entries(REQUIREMENTS)) {
    assertEquals([section.length > 0, revisions.length > 0], [true, true], id);
  }
});

Deno.test("Acceptance rows of the core are all cited by tests", async () => {
  for (const [list, rows] of Object.entries(ROWS)) {
    const cited = await findCited(new RegExp(`[( ]${list}#(\\d+)[,)]`, "g"));
    const missing = rows.filter((row) => !cited.has(String(row)));
    assertEquals(missing, [], list);
  }
});

// Opening files inside declared roots. What a process without permissions is told is a story of its own, in tests/e2e.

import { assertEquals, assertMatch } from "@std/assert";
import { FileAccess } from "../../../src/providers/bcp/file_access.ts";

async function makeRoot(): Promise<string> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-access-" }));
  await Deno.writeTextFile(`${root}/a.bcp`, "x");
  return root;
}

Deno.test("FileAccess refuses a relative path that several roots could hold", async () => {
  const [one, two] = [await makeRoot(), await makeRoot()];
  const outcome = await new FileAccess([one, two]).open("a.bcp");
  assertMatch(outcome.kind === "refused" ? outcome.reason : "", /several roots/);
  for (const root of [one, two]) {
    const opened = await new FileAccess([one, two]).open(`${root}/a.bcp`);
    assertEquals(opened.kind === "opened" ? opened.file.roots : [], [one, two]);
  }
  for (const root of [one, two]) await Deno.remove(root, { recursive: true });
});

Deno.test("FileAccess goes on with the roots that are there", async () => {
  const root = await makeRoot();
  const access = new FileAccess(["/nowhere", root]);
  const outcome = await access.open(`${root}/a.bcp`);
  assertEquals(outcome.kind === "opened" ? outcome.file.roots : [], [root]);
  const other = await access.open("/nowhere/a.bcp");
  assertMatch(
    other.kind === "refused" ? other.reason : "",
    /its root cannot be read; .*=\/nowhere$/,
  );
  await Deno.remove(root, { recursive: true });
});

Deno.test("FileAccess says why when a root is gone", async () => {
  const root = await makeRoot();
  await Deno.remove(root, { recursive: true });
  const outcome = await new FileAccess([root]).open(`${root}/a.bcp`);
  assertMatch(
    outcome.kind === "refused" ? outcome.reason : "",
    /^Cannot read ".*": its root cannot be read/,
  );
});

Deno.test("FileAccess keeps the client's spelling and finds the real path", async () => {
  const root = await makeRoot();
  const access = new FileAccess([`${root}/./`]);
  for (const name of ["a.bcp", "./a.bcp", `${root}/x/../a.bcp`, `${root}/a.bcp`]) {
    const outcome = await access.open(name);
    const { file } = outcome.kind === "opened" ? outcome : { file: undefined };
    assertEquals([file?.name, file?.path], [name, `${root}/a.bcp`]);
  }
  await Deno.remove(root, { recursive: true });
});

Deno.test("FileAccess says back no more of a name than a person can read", async () => {
  const outcome = await new FileAccess(["/nowhere"]).openPayload("x".repeat(100_000));
  assertEquals((outcome.kind === "refused" ? outcome.reason : "").length < 400, true);
});

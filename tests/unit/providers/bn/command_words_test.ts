// Which subcommand of `bn` a list of arguments comes to, wherever global options stand.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { findBlockReason, findRepositories } from "../../../../src/providers/bn/command_words.ts";

const BLOCKED = ["agent", "goodbye", "gui", "mcp", "orient", "system"] as const;

const PREFIXES = [
  [],
  ["-H"],
  ["--human"],
  ["-HH"],
  ["-C", "/x"],
  ["-C/x"],
  ["-C=/x"],
  ["-HC", "/x"],
  ["-HC/x"],
  ["--repo", "/x"],
  ["--repo=/x"],
  ["-H", "-C", "/x", "--human"],
  ["--"],
  ["-H", "--"],
  ["--unknown"],
  ["--unknown", "value"],
  ["--unknown=value"],
  ["-x"],
  ["-x", "value"],
] as const;

Deno.test("findBlockReason() finds a blocked subcommand behind every option", async (t) => {
  for (const word of BLOCKED) {
    await t.step(word, () => {
      for (const prefix of PREFIXES) {
        const reason = findBlockReason([...prefix, word, "list"]) ?? "nothing";
        assertStringIncludes(
          reason,
          `Subcommand '${word}' is blocked in bn_run.`,
          prefix.join(" "),
        );
      }
    });
  }
});

Deno.test("findBlockReason() lets everything else pass", async (t) => {
  const PASSES = [
    [],
    ["--help"],
    ["--version"],
    ["ready", "-H"],
    ["task", "create", "gui"],
    ["-H", "task", "create", "mcp"],
    ["-C", "gui", "task", "list"],
    ["--repo", "system", "ready"],
    ["--repo=orient", "ready"],
    ["GUI"],
    ["orients"],
    ["tomorrow", "goodbye"],
    ["-C"],
  ];
  for (const args of PASSES) {
    await t.step(args.join(" "), () => assertEquals(findBlockReason(args), undefined));
  }
});

Deno.test("findRepositories() finds every path that is named, anywhere", async (t) => {
  const CASES = [
    { args: ["task", "list"], paths: [] },
    { args: ["-C", "/a", "task", "list"], paths: ["/a"] },
    { args: ["task", "list", "-C", "/a"], paths: ["/a"] },
    {
      args: ["-C/a", "--repo=/b", "--repo", "/c", "-HC", "/d", "-HC/e", "-C=/f"],
      paths: [
        "/a",
        "/b",
        "/c",
        "/d",
        "/e",
        "/f",
      ],
    },
    { args: ["-C"], paths: [] },
    { args: ["--repository", "/a"], paths: [] },
  ];
  for (const { args, paths } of CASES) {
    await t.step(args.join(" "), () => assertEquals<unknown>(findRepositories(args), paths));
  }
});

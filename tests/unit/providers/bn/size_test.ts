// Document 001 asks for a server of fewer than 300 lines; a server that knows no subcommands can be that small.

import { assert, assertEquals } from "@std/assert";

const FOLDER = "src/providers/bn";

/** What answers MCP. Beside it stand the schemas, the registry of agents and the subprocess. */
const SERVER_PART = ["bn_activation.ts", "bn_server.ts"];

Deno.test("33: the server part of bn mode has fewer than 300 lines", async () => {
  let lines = 0;
  for (const name of SERVER_PART) {
    const text = await Deno.readTextFile(`${FOLDER}/${name}`);
    lines += text.trimEnd().split("\n").length;
  }
  assert(lines < 300, `${lines} lines`);
});

Deno.test("12: no subcommand of bn is known by name but the blocked ones and the four it runs itself", async () => {
  const known = new Set<string>();
  for await (const { name } of Deno.readDir(FOLDER)) {
    // Descriptions for models give examples.
    if (name === "bn_tools.ts") continue;
    const text = await Deno.readTextFile(`${FOLDER}/${name}`);
    for (const [, word = ""] of text.matchAll(/"(\w+)"/g)) {
      if (SUBCOMMANDS.has(word)) known.add(word);
    }
  }
  assertEquals([...known].sort(), [
    "agent",
    "goodbye",
    "gui",
    "issue",
    "mcp",
    "orient",
    "show",
    "system",
  ]);
});

const SUBCOMMANDS: ReadonlySet<string> = new Set(
  ("orient goodbye show task bug issue idea doc milestone mission queue link test commit ready " +
    "blocked doctor log sync config mcp graph search system session agent container gui tui")
    // "session" and "test" are words of this folder's own, too.
    .split(" ").filter((word) => word !== "session" && word !== "test"),
);

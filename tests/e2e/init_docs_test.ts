// The page about clients says what the table says, and its command lines work as they stand there.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CLIENTS } from "../../src/clients/client.ts";
import { INIT_COMMAND } from "../../src/cli/init.ts";
import { InitLab } from "./init_lab.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/clients.md", import.meta.url));

Deno.test("docs/clients.md lists every client as the table has it", () => {
  for (const client of CLIENTS) {
    const row = PAGE.split("\n").find((line) => line.includes(`| \`${client.name}\``)) ?? "";
    const cells = row.split("|").map((cell) => cell.trim());
    const { title, project = "", user, container, scope, toEntry } = client;
    assertEquals(cells[1], title);
    assertEquals(cells[3], project && `\`${project}\``, title);
    assertEquals(cells[4], `\`${user.linux}\``, title);
    assertEquals(cells[6], scope, title);
    const keys = Object.keys(toEntry({ command: "", args: [] }, scope));
    for (const word of [container, ...keys]) assertStringIncludes(cells[5] ?? "", word, title);
  }
});

Deno.test("command lines about init work as they are written", async (t) => {
  const blocks = [...PAGE.matchAll(/```sh\n([^`]*)```/g)].map(([, block = ""]) => block);
  const [, examples = ""] = (await INIT_COMMAND.help()).split("Examples:\n");
  const lines = [...blocks, ...examples.replaceAll("\\\n", "").split("\n")]
    .map((line) => line.trim()).filter((line) => line.startsWith("deno run"));
  assertEquals(lines.length, 4);
  for (const line of lines) {
    await t.step(line, async () => {
      await using lab = await InitLab.open();
      const words = line.replaceAll("$PWD", lab.project).replaceAll("$HOME", lab.home)
        .split(/\s+/);
      const at = words.indexOf("mod.ts");
      const args = words.slice(at + 2);
      const { code, stderr } = await lab.run(args, { flags: words.slice(2, at) });
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      const isDry = args.includes("--dry-run");
      assert((await lab.snapshot()).size === 0 === isDry);
    });
  }
});

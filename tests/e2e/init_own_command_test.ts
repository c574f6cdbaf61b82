// `mod.ts init --via-cli`: the client's own program does the writing, through the launcher, and undo covers it too.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { InitLab } from "./init_lab.ts";

const PROGRAMS = decodeURIComponent(new URL("../../fixtures/programs", import.meta.url).pathname);

/** With the fixture's `claude` on PATH, and allowed. */
function optionsOf(lab: InitLab) {
  return {
    flags: [...lab.flags, "--allow-run=claude,kill,ps", "--allow-env=PATH"],
    env: { PATH: `${PROGRAMS}:${Deno.env.get("PATH")}` },
  };
}

Deno.test("--via-cli lets the client add the server, sees that it did, and takes it back", async (t) => {
  for (const [scope, file] of [["user", "home/.claude.json"], ["project", "project/.mcp.json"]]) {
    await t.step(`scope ${scope}`, async () => {
      await using lab = await InitLab.open();
      const args = ["demo", "--client", "claude-code", "--scope", String(scope), "--via-cli"];
      const first = await lab.run(args, optionsOf(lab));
      assertEquals(first.code, 0, first.stderr);
      // There is no bubblewrap here, and it would not be used: the manifest forgoes it.
      const log = first.stderr.trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(log.map(({ event, programs, reason }) => [event, programs, reason]), [
        ["unconfined", ["claude"], 'the manifest says "sandbox": "off"'],
      ]);
      const written = JSON.parse(await Deno.readTextFile(`${lab.root}/${file}`));
      assertEquals(written.written, "by the client");
      assertEquals(written.mcpServers["bulkhead-demo"].command, "deno");
      assertStringIncludes((await lab.run(args, optionsOf(lab))).stdout, "✓ Unchanged");
      assertStringIncludes((await lab.run(["demo", "--undo"])).stdout, "✓ Deleted");
      assertEquals((await lab.snapshot()).size, 0);
    });
  }
});

Deno.test("--via-cli tells how the client failed, and that it did not do what it said", async () => {
  await using lab = await InitLab.open();
  const args = ["demo", "--client", "claude-code", "--via-cli", "--name"];
  const failed = await lab.run([...args, "fails"], optionsOf(lab));
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.stderr, "exit code 1: the server was not accepted");
  const forgot = await lab.run([...args, "forgets"], optionsOf(lab));
  assertEquals(forgot.code, 1);
  assertStringIncludes(forgot.stderr, 'does not hold the entry although "claude" succeeded');
  const odd = await lab.run([...args, "--help-me"], optionsOf(lab));
  assertEquals(odd.code !== 0, true);
  assertEquals((await lab.snapshot()).size, 0);
});

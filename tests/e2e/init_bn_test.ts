// `mod.ts init bn` as document 001 draws it: three steps, the first of them the section of AGENTS.md. Binnacle checklist
// 26, 27, 30 to 32.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { InitLab } from "./init_lab.ts";

const AGENTS = "AGENTS.md";
const VSCODE = ".vscode/mcp.json";
const COPILOT = ".copilot/mcp-config.json";

Deno.test("31: init bn asks three questions, and undo takes all of it back", async () => {
  await using lab = await InitLab.open();
  await lab.put(`${lab.project}/${AGENTS}`, "# Rules\n");
  const before = await lab.snapshot();
  const { code, stdout, stderr } = await lab.run(["bn"], { input: "y\ny\nn\n" });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const shown = stdout.replace(/ \(former content: [^)]*\)/, "");
  assertEquals(
    shown,
    `Binnacle System Initialization
==============================

[1/3] Write AGENTS.md section? [Y/n] ✓ Updated AGENTS.md

[2/3] Write VS Code MCP config? [Y/n] ✓ Created .vscode/mcp.json

[3/3] Write GitHub Copilot CLI MCP config? [Y/n] ⊘ Skipped

Done! Run 'bn orient' to verify setup.
`,
  );
  const section = await Deno.readTextFile(`${lab.project}/${AGENTS}`);
  assertEquals(section.startsWith("# Rules\n\n<!-- bulkhead:binnacle:begin -->\n"), true);
  assertEquals((await lab.run(["bn", "--undo"])).code, 0);
  assertEquals(await lab.snapshot(), before);
});

Deno.test("32: init bn writes the section of AGENTS.md once, however often it runs", async () => {
  await using lab = await InitLab.open();
  const path = `${lab.project}/${AGENTS}`;
  assertEquals((await lab.run(["bn", "--write-agents-md"])).code, 0);
  const once = await Deno.readTextFile(path);
  assertEquals((await lab.run(["bn", "--write-agents-md"])).code, 0);
  assertEquals(await Deno.readTextFile(path), once);
  // An older section gives way to the new one, and what stands around it stays.
  const old = `# Rules\n\n${
    once.replace(/(begin -->\n)[^]*(<!-- bulkhead:binnacle:end)/, "$1old\n$2")
  }`;
  await lab.put(path, `${old}\n# More\n`);
  assertEquals((await lab.run(["bn", "--write-agents-md"])).code, 0);
  assertEquals(await Deno.readTextFile(path), `# Rules\n\n${once}\n# More\n`);
});

Deno.test("26, 27: init bn writes the entries that the document names", async () => {
  await using lab = await InitLab.open();
  const { code, stderr } = await lab.run(["bn", "--write-mcp-all"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const { servers } = JSON.parse(await Deno.readTextFile(`${lab.project}/${VSCODE}`));
  const { mcpServers } = JSON.parse(await Deno.readTextFile(`${lab.home}/${COPILOT}`));
  const { command, args } = servers.binnacle;
  assertEquals(servers.binnacle, { type: "stdio", command, args, cwd: "${workspaceFolder}" });
  assertEquals(mcpServers.binnacle, { type: "local", command, args, tools: ["*"] });
  assertEquals(command, "deno");
  assertStringIncludes(args.join(" "), `modes/bn.ts --root ${lab.project}`);
});

const FLAGS = [
  { args: ["-y"], files: [AGENTS] },
  { args: ["--write-agents-md"], files: [AGENTS] },
  { args: ["--write-mcp-vscode"], files: [VSCODE] },
  { args: ["-y", "--write-mcp-all"], files: [COPILOT, VSCODE, AGENTS] },
] as const;

Deno.test("30: init bn writes what the flags name", async (t) => {
  for (const { args, files } of FLAGS) {
    await t.step(args.join(" "), async () => {
      await using lab = await InitLab.open();
      assertEquals((await lab.run(["bn", ...args])).code, 0);
      const found = [...await lab.snapshot()].filter(([, state]) => !state.startsWith("directory"))
        .map(([path]) => path.replace(/^.*\/(?:home|project)\//, ""));
      assertEquals(found.sort(), [...files].sort());
    });
  }
});

// Written configurations are true: what each client's file says is executed as it stands there, and answers.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/jsonc";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { CLIENTS } from "../../src/clients/client.ts";
import { MANIFEST_MODES } from "../../src/cli/manifests.ts";
import { InitLab } from "./init_lab.ts";

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "init-test", version: "1" },
  },
}) + "\n";

interface Written {
  readonly command: string;
  readonly args: readonly string[];
}

for (const mode of MANIFEST_MODES) {
  Deno.test(`init ${mode}: every written command answers initialize`, async (t) => {
    await using lab = await InitLab.open();
    const root = `${lab.root}/shelf`;
    await Deno.mkdir(root);
    const names = CLIENTS.flatMap(({ name }) => ["--client", name]);
    const run = await lab.run([mode, "--root", root, ...names]);
    assertEquals(run.code, 0, run.stderr);

    const entries = new Map<string, Written>();
    for (const client of CLIENTS) {
      const text = await Deno.readTextFile(lab.pathOf(client));
      const config: unknown = client.format === "toml"
        ? getStaticTOMLValue(parseTOML(text))
        : parse(text);
      const container = Object(config)[client.container];
      const [name = "", ...more] = Object.keys(container);
      assertEquals(more, []);
      const { command, args } = container[name];
      entries.set(client.name, { command, args });
    }

    await t.step("it is the command that `permissions` prints", async () => {
      const { stdout } = await new Deno.Command("deno", {
        args: [
          ...["run", "--no-prompt", "--quiet", ...lab.flags, "mod.ts"],
          ...["permissions", mode, "--root", root, "--json"],
        ],
        env: lab.environment,
      }).output();
      const { command } = JSON.parse(new TextDecoder().decode(stdout));
      for (const [client, { command: program, args }] of entries) {
        assertEquals([program, ...args], command, client);
      }
    });

    for (const [client, { command, args }] of entries) {
      await t.step(client, async () => {
        const child = new Deno.Command(command, {
          args: [...args],
          cwd: lab.home,
          env: lab.environment,
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const writer = child.stdin.getWriter();
        await writer.write(new TextEncoder().encode(INITIALIZE));
        await writer.close();
        const { stdout, stderr } = await child.output();
        const told = new TextDecoder().decode(stderr);
        const answer = JSON.parse(new TextDecoder().decode(stdout).split("\n")[0] || "null");
        assertEquals(answer?.result?.protocolVersion, "2025-06-18", told);
        assertStringIncludes(told, '"event":"serving"');
      });
    }
  });
}

// `--deny-tool`, in any mode: the tool is neither listed nor run, and a denial that would deny nothing is refused.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { LineClient } from "../../fixtures/demo/line_client.ts";

const MODULE = fromFileUrl(new URL("../../mod.ts", import.meta.url));

const MODES = [
  { mode: "demo", denied: ["echo"], left: ["count", "permissions"] },
  {
    mode: "reader",
    denied: ["encode_bcp_file"],
    left: ["bcp_stats", "inspect_bcp_file", "read_bcp_file", "validate_bcp_file"],
  },
  {
    mode: "bn",
    denied: ["binnacle-orient", "binnacle-goodbye"],
    left: ["binnacle-set_agent", "bn_run"],
  },
] as const;

const META = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

for (const { mode, denied, left } of MODES) {
  // 23: what document 001 needs of agents.sh.
  Deno.test(`23: --deny-tool hides and refuses tools of ${mode}`, async (t) => {
    const options = denied.flatMap((name) => ["--deny-tool", name]);
    await using client = new LineClient(
      ["run", "--no-prompt", "--quiet", MODULE, mode, ...options],
    );
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {} }).answer;
    client.send({ method: "notifications/initialized" });
    for (const [wire, more] of [["handshake", {}], ["stateless", META]] as const) {
      await t.step(wire, async () => {
        const { result } = await client.request("tools/list", more).answer;
        const names = Object(result).tools.map(({ name }: { name: string }) => name);
        assertEquals(names, left);
        for (const name of denied) {
          const { error } = await client.request("tools/call", { name, ...more }).answer;
          assertEquals(error, {
            code: -32602,
            message: `Tool "${name}" is denied by the operator of this server; do without it`,
          });
        }
        for (const name of left) {
          const { error } = await client.request("tools/call", { name, arguments: {}, ...more })
            .answer;
          assertEquals(error, undefined, `${name} is called as ever`);
        }
      });
    }
  });

  Deno.test(`--deny-tool with a name that ${mode} does not have is refused at the start`, async () => {
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--no-prompt", "--quiet", MODULE, mode, "--deny-tool", "ecko"],
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    assertEquals([code, decoder.decode(stdout)], [2, ""]);
    const text = decoder.decode(stderr);
    assertStringIncludes(text, 'Cannot deny tool "ecko": the tools are ');
    for (const name of [...denied, ...left]) assertStringIncludes(text, name);
  });
}

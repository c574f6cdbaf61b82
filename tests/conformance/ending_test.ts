// How a session ends, and the mode that offers little: in this process and with the real program.

import { assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { connectProcess, openInProcess } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, numbered, scripted } from "../harness/scripted.ts";

const DEMO = ["run", "--no-prompt", "mod.ts", "demo"];

forEachRevision(
  "mcp.lifecycle.shutdown",
  "ends the process with 0 on exit, its input still open (mcp-bash#19)",
  async (revision) => {
    await using client = await connectProcess(DEMO, { revision });
    await client.open();
    assertEquals(await client.result("shutdown"), {});
    await client.notify("exit");
    assertEquals(await client.ended, 0);
  },
);

forEachRevision(
  "mcp.lifecycle.shutdown",
  "ends by itself when exit does not come (mcp-bash#19)",
  async (revision) => {
    const limits = { exitTimeoutMs: 1 };
    await using client = await openInProcess({ activations: [numbered(1)], revision, limits });
    assertEquals(await client.result("shutdown"), {});
    assertEquals(await client.ended, 0);
  },
);

forEachRevision(
  "mcp.lifecycle.shutdown",
  "ignores exit that no shutdown came before",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    await client.notify("exit");
    await client.result("tools/list");
  },
);

forEachRevision(
  "mcp.lifecycle.shutdown",
  "lets a call under way finish",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run })],
      revision,
    });
    const id = await client.post("tools/call", { name: "hold" });
    await held.started;
    await client.result("shutdown");
    held.release();
    await client.waitFor((message) => message.id === id, "the call's answer");
    await client.notify("exit");
    assertEquals(await client.ended, 0);
  },
);

forEachRevision(
  "mcp.lifecycle.shutdown",
  "answers what is under way when the input ends",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run })],
      revision,
    });
    const id = await client.post("tools/call", { name: "hold" });
    await held.started;
    const closed = client.close();
    held.release();
    assertEquals(await closed, 0);
    assertEquals(client.responses(id).length, 1);
  },
);

forEachRevision(
  "mcp.lifecycle.minimal",
  "offers lifecycle, ping and logging only (mcp-bash#5)",
  async (revision) => {
    await using client = await openInProcess({
      activations: [new EverythingActivation()],
      minimal: true,
      revision,
    });
    const stateless = revision === "2026-07-28";
    if (stateless) {
      assertEquals((await client.result("server/discover")).capabilities, { logging: {} });
    } else {
      assertEquals(client.received[0]?.result, {
        protocolVersion: revision,
        capabilities: { logging: {} },
        serverInfo: { name: "tested", version: "1.0.0" },
      });
      assertEquals(await client.result("logging/setLevel", { level: "error" }), {});
      assertEquals(await client.result("ping"), {});
    }
    const refused = [
      "tools/list",
      "tools/call",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "prompts/list",
      "prompts/get",
      "completion/complete",
      ...(stateless ? [] : ["resources/subscribe", "resources/unsubscribe"]),
    ];
    for (const method of refused) assertEquals((await client.error(method)).code, -32601, method);
    if (!stateless) assertEquals(await client.result("shutdown"), {});
  },
);

Deno.test("mcp.lifecycle.minimal is what --force-minimal gives (mcp-bash#5)", async () => {
  await using client = await connectProcess([...DEMO, "--force-minimal"]);
  await client.open();
  assertEquals((await client.error("tools/list")).code, -32601);
  assertEquals(await client.result("ping"), {});
  assertEquals(await client.close(), 0);
});

// From `initialize` to the end of a session: states, negotiation, capabilities, ping.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { connectInProcess, openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { numbered, scripted } from "../harness/scripted.ts";

/** Every request that has its time only in the ready state. */
const GUARDED = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "shutdown",
  "no/such/method",
] as const;

async function assertGuarded(client: TestClient, message: string): Promise<void> {
  for (const method of GUARDED) {
    assertEquals(await client.error(method), { code: -32002, message }, method);
  }
}

forEachRevision(
  "mcp.lifecycle.guard",
  "refuses requests out of their time with the state's text (substrate#1, substrate#6, mcp-bash#17)",
  async (revision) => {
    const activations = [new EverythingActivation()];
    await using client = await connectInProcess({ activations, revision });
    await client.notify("notifications/initialized");
    await assertGuarded(client, "Server not initialized");
    await client.result("initialize", client.initializeParams(revision));
    await assertGuarded(client, "Server initializing");
    await client.notify("notifications/initialized");
    await client.result("tools/list");
    assertEquals(await client.result("shutdown"), {});
    await assertGuarded(client, "Server shutting down");
    assertEquals(await client.error("initialize", client.initializeParams(revision)), {
      code: -32002,
      message: "Server shutting down",
    });
  },
);

forEachRevision(
  "mcp.lifecycle.ping",
  "is answered with nothing but {} in every state (substrate#7, mcp-bash#20)",
  async (revision) => {
    await using client = await connectInProcess({ activations: [numbered(1)], revision });
    assertEquals(await client.request("ping", {}, 0), { jsonrpc: "2.0", id: 0, result: {} });
    await client.result("initialize", client.initializeParams(revision));
    assertEquals(await client.result("ping"), {});
    await client.notify("notifications/initialized");
    assertEquals(await client.result("ping"), {});
    await client.result("shutdown");
    assertEquals(await client.result("ping"), {});
  },
);

forEachRevision(
  "mcp.lifecycle.initialize",
  "answers version, capabilities, serverInfo and instructions (substrate#2)",
  async (revision) => {
    await using client = await connectInProcess({
      activations: [numbered(1)],
      revision,
      server: { implementation: { name: "ship", version: "2.0.0" }, instructions: "Ask nicely." },
    });
    assertEquals(await client.result("initialize", client.initializeParams(revision)), {
      protocolVersion: revision,
      capabilities: { logging: {}, tools: {} },
      serverInfo: { name: "ship", version: "2.0.0" },
      instructions: "Ask nicely.",
    });
  },
);

forEachRevision(
  "mcp.lifecycle.initialize",
  "takes notifications/initialized without a word (substrate#5)",
  async (revision) => {
    await using client = await connectInProcess({ activations: [numbered(1)], revision });
    await client.result("initialize", client.initializeParams(revision));
    const before = client.lines.length;
    await client.notify("notifications/initialized");
    await client.settle();
    assertEquals(client.lines.length, before + 1);
    await client.result("tools/list");
  },
);

forEachRevision(
  "mcp.lifecycle.initialize",
  "refuses malformed parameters and can be sent again",
  async (revision) => {
    await using client = await connectInProcess({ activations: [numbered(1)], revision });
    const good = client.initializeParams(revision);
    const cases = [
      { ...good, protocolVersion: undefined },
      { ...good, protocolVersion: 20241105 },
      { ...good, protocolVersion: null },
      { ...good, capabilities: [] },
      { ...good, capabilities: "all" },
      { ...good, clientInfo: "me" },
    ];
    for (const params of cases) {
      assertEquals((await client.error("initialize", params)).code, -32602, JSON.stringify(params));
    }
    await client.result("initialize", good);
  },
);

forEachRevision(
  "mcp.lifecycle.negotiation",
  "answers an unknown version with 2025-11-25, never with 2026-07-28 (substrate#3)",
  async (revision) => {
    const cases = [
      [revision, revision],
      ["2026-07-28", "2025-11-25"],
      ["1999-01-01", "2025-11-25"],
      ["2099-01-01", "2025-11-25"],
      [`${revision} `, "2025-11-25"],
      ["", "2025-11-25"],
      ["draft", "2025-11-25"],
    ] as const;
    for (const [requested, expected] of cases) {
      await using client = await connectInProcess({ activations: [numbered(1)] });
      const { protocolVersion } = await client.result(
        "initialize",
        client.initializeParams(requested),
      );
      assertEquals(protocolVersion, expected, requested);
    }
  },
);

forEachRevision(
  "mcp.lifecycle.once",
  "refuses a second initialize and keeps the session as it is",
  async (revision) => {
    await using client = await connectInProcess({ activations: [numbered(1)], revision });
    const params = client.initializeParams(revision);
    const refusal = { code: -32600, message: "Server already initialized" };
    await client.result("initialize", params);
    assertEquals(await client.error("initialize", params), refusal);
    await client.notify("notifications/initialized");
    assertEquals(await client.error("initialize", client.initializeParams("1999-01-01")), refusal);
    assertEquals((await client.result("tools/list")).nextCursor, undefined);
  },
);

forEachRevision(
  "mcp.lifecycle.uncanceled",
  "is initialize: it is answered all the same (mcp-bash#18)",
  async (revision) => {
    await using client = await connectInProcess({ activations: [numbered(1)], revision });
    const id = await client.post("initialize", client.initializeParams(revision));
    await client.notify("notifications/cancelled", { requestId: id, reason: "changed my mind" });
    await client.notify("notifications/initialized");
    await client.result("tools/list");
    assertEquals(client.responses(id).length, 1);
  },
);

const RESOURCES = {
  list: () => Promise.resolve([]),
  templates: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

const PROMPTS = {
  list: () => Promise.resolve([]),
  get: () => Promise.resolve({ messages: [] }),
};

forEachRevision(
  "mcp.lifecycle.capabilities",
  "follow what the activations offer (substrate#4, mcp-bash#16)",
  async (revision, t) => {
    const tasks = revision === "2026-07-28"
      ? { extensions: { "io.modelcontextprotocol/tasks": {} } }
      : {};
    const tools = { logging: {}, tools: {}, ...tasks };
    const news = { listChanged: true };
    const completions = revision === "2024-11-05" ? {} : { completions: {} };
    const cases = [
      { name: "tools alone", activation: numbered(1), expected: tools },
      {
        name: "resources that cannot be watched",
        activation: scripted({}, { resources: RESOURCES }),
        expected: { ...tools, resources: {} },
      },
      {
        name: "resources that can be watched",
        activation: scripted({}, { resources: { ...RESOURCES, watch: () => undefined } }),
        expected: { ...tools, resources: { subscribe: true } },
      },
      {
        name: "prompts",
        activation: scripted({}, { prompts: PROMPTS }),
        expected: { ...tools, prompts: {} },
      },
      {
        name: "prompts and news of lists",
        activation: scripted({}, { prompts: PROMPTS, async *changes() {} }),
        expected: { ...tools, tools: news, prompts: news },
      },
      {
        name: "resources and news of lists",
        activation: scripted({}, { resources: RESOURCES, async *changes() {} }),
        expected: { ...tools, tools: news, resources: news },
      },
      {
        name: "everything",
        activation: new EverythingActivation(),
        expected: {
          ...tools,
          tools: news,
          resources: { subscribe: true, ...news },
          prompts: news,
          ...completions,
        },
      },
    ];
    for (const { name, activation, expected } of cases) {
      await t.step(name, async () => {
        await using client = await connectInProcess({ activations: [activation], revision });
        const { capabilities } = revision === "2026-07-28"
          ? await client.result("server/discover")
          : await client.result("initialize", client.initializeParams(revision));
        assertEquals(capabilities, expected);
      });
    }
  },
);

forEachRevision(
  "mcp.lifecycle.capabilities",
  "that are not there make their methods unknown",
  async (revision) => {
    const resources = revision === "2026-07-28"
      ? ["resources/list", "resources/templates/list", "resources/read"]
      : ["resources/list", "resources/read", "resources/subscribe", "resources/unsubscribe"];
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    for (const method of [...resources, "prompts/list", "prompts/get", "completion/complete"]) {
      const { code, message } = await client.error(method, { uri: "a:b", name: "a" });
      assertEquals(code, -32601, method);
      assertStringIncludes(String(message), method);
    }
    if (revision === "2026-07-28") return;
    const activations = [scripted({}, { resources: RESOURCES })];
    await using unwatched = await openInProcess({ activations, revision });
    assertEquals((await unwatched.error("resources/subscribe", { uri: "a:b" })).code, -32601);
  },
);

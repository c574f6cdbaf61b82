// The stateless wire: every request on its own, with its metadata, and what its results always carry.

import { assert, assertEquals, assertFalse } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { connectInProcess, openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { numbered } from "../harness/scripted.ts";

const PREFIX = "io.modelcontextprotocol/";
const VERSION = `${PREFIX}protocolVersion`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;
const LOG_LEVEL = `${PREFIX}logLevel`;
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

function errorOf(message: JsonObject): JsonObject {
  assert(isObject(message.error), `no error: ${JSON.stringify(message)}`);
  return message.error;
}

/** Sends a request whose metadata is exactly this. */
async function ask(client: TestClient, method: string, params: unknown): Promise<JsonObject> {
  const id = crypto.randomUUID();
  await client.sendLine(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return await client.waitFor((message) => message.id === id, `an answer to ${method}`);
}

forEachRevision("mcp.stateless.discover", "tells versions and capabilities", async (revision) => {
  await using client = await connectInProcess({
    activations: [numbered(1)],
    revision,
    server: { implementation: { name: "ship", version: "2.0.0" }, instructions: "Ask nicely." },
  });
  assertEquals(await client.result("server/discover"), {
    supportedVersions: ["2026-07-28"],
    capabilities: {
      logging: {},
      tools: {},
      extensions: { [`${PREFIX}tasks`]: {} },
    },
    instructions: "Ask nicely.",
    ttlMs: 0,
    cacheScope: "private",
    resultType: "complete",
    _meta: { [`${PREFIX}serverInfo`]: { name: "ship", version: "2.0.0" } },
  });
});

forEachRevision("mcp.stateless.metadata", "must be complete", async (revision, t) => {
  const cases = [
    { name: "no parameters", params: undefined, code: -32602 },
    { name: "no metadata", params: {}, code: -32602 },
    { name: "empty metadata", params: { _meta: {} }, code: -32602 },
    { name: "metadata that is no object", params: { _meta: "2026-07-28" }, code: -32602 },
    { name: "no version", params: { _meta: { [CAPABILITIES]: {} } }, code: -32602 },
    { name: "no capabilities", params: { _meta: { [VERSION]: revision } }, code: -32602 },
    { name: "version a number", params: { _meta: { ...META, [VERSION]: 2026 } }, code: -32602 },
    { name: "version null", params: { _meta: { ...META, [VERSION]: null } }, code: -32602 },
    {
      name: "capabilities a list",
      params: { _meta: { ...META, [CAPABILITIES]: [] } },
      code: -32602,
    },
    {
      name: "capabilities null",
      params: { _meta: { ...META, [CAPABILITIES]: null } },
      code: -32602,
    },
    {
      name: "unknown log level",
      params: { _meta: { ...META, [LOG_LEVEL]: "loud" } },
      code: -32602,
    },
    { name: "positional parameters", params: [META], code: -32602 },
    { name: "no client info", params: { _meta: META }, code: undefined },
    { name: "a trace", params: { _meta: { ...META, traceparent: "00-1-2-01" } }, code: undefined },
  ];
  await using client = await connectInProcess({ activations: [numbered(1)], revision });
  for (const { name, params, code } of cases) {
    await t.step(name, async () => {
      const answer = await ask(client, "server/discover", params);
      if (code === undefined) assert(isObject(answer.result));
      else assertEquals(errorOf(answer).code, code);
    });
  }
});

forEachRevision("mcp.stateless.metadata", "must name a spoken revision", async (revision) => {
  await using client = await connectInProcess({ activations: [numbered(1)], revision });
  for (const requested of ["v999.0.0", "2025-11-25", "2024-11-05", "", "2026-07-28 "]) {
    for (const method of ["server/discover", "tools/list", "initialize", "no/such/method"]) {
      const answer = await ask(client, method, { _meta: { ...META, [VERSION]: requested } });
      const { code, data } = errorOf(answer);
      assertEquals(code, -32022, `${method} in ${requested}`);
      assertEquals(data, { supported: ["2026-07-28"], requested });
    }
  }
});

forEachRevision("mcp.stateless.removed", "methods are unknown", async (revision) => {
  await using client = await connectInProcess({
    activations: [new EverythingActivation()],
    revision,
  });
  const removed = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "shutdown",
    "tasks/list",
    "tasks/result",
    "notifications/initialized",
    "no/such/method",
  ];
  for (const method of removed) {
    const { code } = await client.error(method, client.initializeParams("2025-11-25"));
    assertEquals(code, -32601, method);
  }
});

forEachRevision(
  "mcp.stateless.beside",
  "requests are served beside a session and leave it as it is",
  async (revision) => {
    const activations = [new EverythingActivation()];
    await using client = await connectInProcess({ activations, revision });
    const before = await ask(client, "tools/list", { _meta: META });
    assert(isObject(before.result) && before.result.resultType === "complete");
    assertEquals(await client.error("tools/list"), {
      code: -32002,
      message: "Server not initialized",
    });
    await client.open();
    const beside = await ask(client, "tools/call", { name: "test_structured_list", _meta: META });
    assert(isObject(beside.result));
    assertEquals(beside.result.structuredContent, [1, 2, 3]);
    const own = await client.call("test_structured_list");
    assertEquals(own.structuredContent, undefined);
    assertEquals(own.resultType, undefined);
    assertEquals(errorOf(await ask(client, "ping", { _meta: META })).code, -32601);
    assertEquals(await client.result("ping"), {});
  },
);

/** One request of each kind that succeeds, and whether its result may be kept. */
const REQUESTS = [
  { method: "tools/list", params: {}, cached: true },
  { method: "resources/list", params: {}, cached: true },
  { method: "resources/templates/list", params: {}, cached: true },
  { method: "resources/read", params: { uri: "test://static-text" }, cached: true },
  { method: "prompts/list", params: {}, cached: true },
  { method: "prompts/get", params: { name: "test_simple_prompt" }, cached: false },
  { method: "tools/call", params: { name: "test_simple_text" }, cached: false },
  { method: "tools/call", params: { name: "test_error_handling" }, cached: false },
  {
    method: "completion/complete",
    params: {
      ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
      argument: { name: "arg1", value: "" },
    },
    cached: false,
  },
];

forEachRevision(
  "mcp.result.type",
  "and the server's name stand in every stateless result and in no other",
  async (revision) => {
    const activations = [new EverythingActivation()];
    await using client = await openInProcess({ activations, revision });
    for (const { method, params } of REQUESTS) {
      const result = await client.result(method, params);
      if (revision === "2026-07-28") {
        assertEquals(result.resultType, "complete", method);
        assertEquals(result._meta, {
          [`${PREFIX}serverInfo`]: { name: "tested", version: "1.0.0" },
        });
      } else {
        assertFalse("resultType" in result, method);
        assertFalse("_meta" in result, method);
      }
    }
  },
);

forEachRevision(
  "mcp.result.cache",
  "hints stand in stateless lists and contents and in no other result",
  async (revision) => {
    await using client = await openInProcess({
      activations: [new EverythingActivation()],
      revision,
      cache: { ttlMs: 5000, scope: "public" },
    });
    for (const { method, params, cached } of REQUESTS) {
      const { ttlMs, cacheScope } = await client.result(method, params);
      const expected = cached && revision === "2026-07-28"
        ? [5000, "public"]
        : [undefined, undefined];
      assertEquals([ttlMs, cacheScope], expected, method);
    }
  },
);

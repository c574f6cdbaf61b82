// Several messages on one line: 2025-03-26 only, or taken apart where a person chose that.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import {
  connectInProcess,
  connectProcess,
  openInProcess,
  REVISIONS,
  type TestClient,
} from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, numbered, say, scripted } from "../harness/scripted.ts";

function request(id: string | number, method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: "2.0", id, method, params };
}

function lastLine(client: TestClient): unknown {
  return JSON.parse(client.lines.at(-1) ?? "null");
}

forEachRevision(
  "mcp.message.no_batches",
  "are taken: one refusal of the whole, nothing done (mcp-bash#6, mcp-bash#7)",
  async (revision) => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return [say("ran")];
    };
    await using client = await openInProcess({ activations: [scripted({ run })], revision });
    await client.settle();
    const before = client.lines.length;
    const params = revision === "2026-07-28" ? client.withMeta({ name: "run" }) : { name: "run" };
    await client.send([request(1, "tools/call", params), request(2, "tools/call", params)]);
    await client.settle();
    assertEquals(client.lines.length, before + 2);
    const { error } = client.received[before] ?? {};
    assert(isObject(error));
    assertEquals(error.code, -32600);
    assertStringIncludes(String(error.message), "2025-03-26");
    assertEquals(runs, 0);
  },
);

Deno.test("mcp.message.batches are refused before initialize, which cannot be in one", async () => {
  await using client = await connectInProcess({ activations: [numbered(1)] });
  await client.send([request(1, "initialize", client.initializeParams("2025-03-26"))]);
  const answer = await client.waitFor(() => true, "a refusal");
  assertEquals(isObject(answer.error) ? answer.error.code : undefined, -32600);
  assertEquals((await client.error("tools/list")).message, "Server not initialized");
});

Deno.test("mcp.message.batches of 2025-03-26 are answered with one array", async (t) => {
  await using client = await openInProcess({
    activations: [scripted({ quick: () => [say("quick")] })],
    revision: "2025-03-26",
  });
  await t.step("requests, notifications and responses together", async () => {
    await client.send([
      request(1, "ping"),
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      request("1", "tools/call", { name: "quick" }),
      { jsonrpc: "2.0", id: "nobody asked", result: {} },
    ]);
    await client.waitFor((message) => message.id === "1", "the call's answer");
    assertEquals(lastLine(client), [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: "1", result: { content: [{ type: "text", text: "quick" }] } },
    ]);
  });
  await t.step("members that are no messages", async () => {
    const before = client.received.length;
    await client.send([7, [], {}, request(2, "no/such"), request(3, "ping")]);
    await client.waitFor((message) => message.id === 3, "the ping's answer");
    const answers = client.received.slice(before).map(({ id, error }) => [
      id,
      isObject(error) ? error.code : undefined,
    ]);
    assertEquals(answers, [[null, -32600], [null, -32600], [null, -32600], [2, -32601], [
      3,
      undefined,
    ]]);
  });
  await t.step("initialize is refused in it", async () => {
    await client.send([request(4, "initialize", client.initializeParams("2025-03-26"))]);
    const { error } = await client.waitFor((message) => message.id === 4, "a refusal");
    assertEquals(isObject(error) ? error.code : undefined, -32600);
  });
  await t.step("a stateless request is refused in it", async () => {
    await client.send([request(5, "tools/list", client.withMeta()), request(6, "ping")]);
    await client.waitFor((message) => message.id === 6, "the ping's answer");
    const [{ error } = {}] = client.responses(5);
    assertEquals(isObject(error) ? error.code : undefined, -32600);
  });
  await t.step("a method that only the stateless wire has is unknown in it", async () => {
    await client.send([request(7, "server/discover"), request(8, "ping")]);
    await client.waitFor((message) => message.id === 8, "the ping's answer");
    const [{ error } = {}] = client.responses(7);
    assertEquals(isObject(error) ? error.code : undefined, -32601);
  });
  await t.step("nothing to answer, no line", async () => {
    const before = client.lines.length;
    await client.send([{ jsonrpc: "2.0", method: "notifications/roots/list_changed" }]);
    await client.settle();
    assertEquals(client.lines.length, before + 1);
  });
});

Deno.test("mcp.message.batches leave out what is canceled", async () => {
  const held = new Held();
  await using client = await openInProcess({
    activations: [scripted({ hold: held.run })],
    revision: "2025-03-26",
  });
  await client.send([request("held", "tools/call", { name: "hold" }), request("kept", "ping")]);
  await held.started;
  assertEquals(client.responses("kept"), []);
  await client.notify("notifications/cancelled", { requestId: "held" });
  await client.waitFor((message) => message.id === "kept", "the batch's answer");
  assertEquals(lastLine(client), [{ jsonrpc: "2.0", id: "kept", result: {} }]);
});

Deno.test("mcp.message.batches of which all is canceled stay without an answer", async () => {
  const held = new Held();
  await using client = await openInProcess({
    activations: [scripted({ hold: held.run })],
    revision: "2025-03-26",
  });
  const before = client.lines.length;
  await client.send([request("held", "tools/call", { name: "hold" })]);
  await held.started;
  await client.notify("notifications/cancelled", { requestId: "held" });
  await client.close();
  assertEquals(client.lines.length, before);
});

Deno.test("mcp.message.batches are bounded", async () => {
  await using client = await openInProcess({
    activations: [numbered(1)],
    revision: "2025-03-26",
    limits: { maxBatch: 3 },
  });
  const before = client.received.length;
  await client.send([1, 2, 3, 4].map((id) => request(id, "ping")));
  await client.settle();
  const { error } = client.received[before] ?? {};
  assert(isObject(error));
  assertEquals(error.code, -32600);
  assertStringIncludes(String(error.message), "3");
  assertEquals(client.responses(1), []);
});

Deno.test("mcp.message.batches are taken apart by choice, answers single (mcp-bash#7)", async (t) => {
  for (const revision of REVISIONS) {
    await t.step(revision, async () => {
      await using client = await openInProcess({
        activations: [numbered(1)],
        revision,
        splitBatches: true,
      });
      const params = revision === "2026-07-28" ? client.withMeta() : {};
      const before = client.lines.length;
      await client.send([request("a", "tools/list", params), request("b", "tools/list", params)]);
      for (const id of ["a", "b"]) await client.waitFor((message) => message.id === id, id);
      assertEquals(client.lines.length, before + 2);
    });
  }
});

Deno.test("mcp.message.batches that are taken apart bound a client's capabilities too", async () => {
  await using client = await openInProcess({
    activations: [numbered(1)],
    revision: "2026-07-28",
    splitBatches: true,
  });
  const capabilities = { experimental: { filler: { text: "x".repeat(9_000) } } };
  const params = client.withMeta({
    _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities },
  });
  const padding = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
  await client.send([request("long", "tools/list", params), ...Array(200).fill(padding)]);
  const { error } = await client.waitFor(({ id }) => id === "long", "a refusal");
  assertEquals(isObject(error) ? error.code : undefined, -32602);
});

Deno.test("mcp.message.batches are taken apart by --compat-batches (mcp-bash#7)", async () => {
  const demo = ["run", "--no-prompt", "mod.ts", "demo", "--compat-batches"];
  await using client = await connectProcess(demo, { revision: "2025-06-18" });
  await client.open();
  const before = client.lines.length;
  await client.send([request("a", "ping"), request("b", "ping")]);
  for (const id of ["a", "b"]) await client.waitFor((message) => message.id === id, id);
  assertEquals(client.lines.length, before + 2);
  assertEquals(await client.close(), 0);
});

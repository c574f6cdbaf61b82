// A canceled request: its work stops, nothing more is said about it. Everything else about cancellation is ignored.

import { assertEquals } from "@std/assert";
import type { CallEvent } from "../../mod.ts";
import { connectProcess, openInProcess } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, say, scripted } from "../harness/scripted.ts";

/** The id of a request, and what cancels it. */
const PAIRS = [
  { id: 5, requestId: 5 },
  { id: 0, requestId: 0 },
  { id: "five", requestId: "five" },
  { id: "", requestId: "" },
  // Some clients write the id in the other type.
  { id: 5, requestId: "5" },
  { id: "5", requestId: 5 },
] as const;

forEachRevision(
  "mcp.cancellation.silence",
  "follows, and the activation is stopped (substrate#25)",
  async (revision) => {
    for (const { id, requestId } of PAIRS) {
      const held = new Held();
      const activations = [scripted({ hold: held.run })];
      await using client = await openInProcess({ activations, revision });
      await client.post("tools/call", { name: "hold", _meta: { progressToken: 1 } }, id);
      await held.started;
      await client.notify("notifications/cancelled", { requestId, reason: "no longer wanted" });
      assertEquals(await held.ended, "aborted", `${id} by ${requestId}`);
      await client.close();
      assertEquals(client.responses(id), [], `${id} by ${requestId}`);
    }
  },
);

forEachRevision(
  "mcp.cancellation.silence",
  "hides what a tool that takes no notice still tells",
  async (revision) => {
    const held = new Held();
    const events: CallEvent[] = [
      { kind: "progress", progress: 1 },
      { kind: "log", level: "emergency", data: "late" },
      say("late"),
    ];
    await using client = await openInProcess({
      activations: [scripted({
        async *deaf(call) {
          yield* held.run(call);
          yield* events;
        },
        quick: () => [say("quick")],
      })],
      revision,
      limits: { maxConcurrentCalls: 1 },
    });
    await client.post("tools/call", { name: "deaf", _meta: { progressToken: 1 } }, "deaf");
    await held.started;
    await client.notify("notifications/cancelled", { requestId: "deaf" });
    // Its place is free again although it may still run.
    await client.call("quick");
    await client.close();
    assertEquals(client.responses("deaf"), []);
    assertEquals(client.notifications(), []);
  },
);

forEachRevision(
  "mcp.cancellation.silence",
  "reaches a call that still waits for its turn: it never runs",
  async (revision) => {
    const held = new Held();
    let runs = 0;
    await using client = await openInProcess({
      activations: [scripted({
        hold: held.run,
        count: () => {
          runs += 1;
          return [say("counted")];
        },
      })],
      revision,
      limits: { maxConcurrentCalls: 1 },
    });
    const first = await client.post("tools/call", { name: "hold" });
    await held.started;
    const second = await client.post("tools/call", { name: "count" });
    await client.notify("notifications/cancelled", { requestId: second });
    await client.settle();
    held.release();
    await client.waitFor((message) => message.id === first, "the first answer");
    await client.call("count");
    await client.close();
    assertEquals(runs, 1);
    assertEquals(client.responses(second), []);
  },
);

forEachRevision(
  "mcp.cancellation.silence",
  "frees the id for another request",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run, quick: () => [say("quick")] })],
      revision,
    });
    await client.post("tools/call", { name: "hold" }, 8);
    await held.started;
    await client.notify("notifications/cancelled", { requestId: 8 });
    await client.request("tools/call", { name: "quick" }, 8);
    await client.close();
    assertEquals(client.responses(8).length, 1);
  },
);

forEachRevision(
  "mcp.cancellation.silence",
  "covers every kind of request",
  async (revision) => {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<[]>();
    const list = () => {
      asked.resolve();
      return released.promise;
    };
    await using client = await openInProcess({
      activations: [scripted({}, {
        resources: { list, templates: list, read: list },
        prompts: { list, get: () => Promise.resolve({ messages: [] }) },
        complete: async () => ({ values: await list() }),
      })],
      revision,
    });
    const requests = [
      { method: "resources/list", params: {} },
      { method: "resources/templates/list", params: {} },
      { method: "resources/read", params: { uri: "a:b" } },
      { method: "prompts/list", params: {} },
      { method: "prompts/get", params: { name: "any" } },
      {
        method: "completion/complete",
        params: { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      },
    ];
    for (const { method, params } of requests) await client.post(method, params, method);
    await asked.promise;
    for (const { method } of requests) {
      await client.notify("notifications/cancelled", { requestId: method });
    }
    await client.settle();
    released.resolve([]);
    await client.close();
    for (const { method } of requests) assertEquals(client.responses(method), [], method);
  },
);

forEachRevision(
  "mcp.cancellation.ignored",
  "when it names no request under way (substrate#25)",
  async (revision) => {
    const held = new Held();
    const activations = [scripted({ hold: held.run, quick: () => [say("quick")] })];
    await using client = await openInProcess({ activations, revision });
    await client.request("tools/call", { name: "quick" }, 7);
    await client.post("tools/call", { name: "hold" }, 0);
    await held.started;
    const before = client.lines.length;
    const strays = [7, 99, "nobody", "", " 0", "0.0", "0x0", "-0", null, true, 0.5, [0], {}];
    for (const requestId of strays) await client.notify("notifications/cancelled", { requestId });
    await client.notify("notifications/cancelled");
    await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: [0] });
    await client.settle();
    assertEquals(client.lines.length, before + 1);
    held.release();
    await client.waitFor((message) => message.id === 0, "the held answer");
    assertEquals(await held.ended, "answered");
  },
);

forEachRevision(
  "mcp.cancellation.ignored",
  "for the twin of the other type when the exact id is under way",
  async (revision) => {
    const number = new Held();
    const text = new Held();
    const activations = [scripted({ number: number.run, text: text.run })];
    await using client = await openInProcess({ activations, revision });
    await client.post("tools/call", { name: "number" }, 3);
    await client.post("tools/call", { name: "text" }, "3");
    await Promise.all([number.started, text.started]);
    await client.notify("notifications/cancelled", { requestId: "3" });
    assertEquals(await text.ended, "aborted");
    number.release();
    await client.waitFor((message) => message.id === 3, "the number's answer");
    await client.close();
    assertEquals(client.responses("3"), []);
  },
);

forEachRevision(
  "mcp.cancellation.silence",
  "holds for a real process too (substrate#25)",
  async (revision) => {
    const server = ["run", "--no-prompt", "mod.ts", "demo"];
    await using client = await connectProcess(server, { revision });
    await client.open();
    const given = { to: 1000, intervalMs: 10_000 };
    const id = await client.post("tools/call", { name: "count", arguments: given });
    await client.settle();
    await client.notify("notifications/cancelled", { requestId: id });
    await client.settle();
    assertEquals(await client.close(), 0);
    assertEquals(client.responses(id), []);
  },
);

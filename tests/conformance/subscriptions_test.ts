// News: watched resources, changed lists, and the listening of the stateless wire.

import { assert, assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { connectInProcess, openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { scripted } from "../harness/scripted.ts";

const URI = "test://watched-resource";
const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

function everything(): EverythingActivation[] {
  return [new EverythingActivation()];
}

forEachRevision(
  "mcp.subscription.resource",
  "tells of updates from subscribe to unsubscribe",
  async (revision) => {
    await using client = await openInProcess({ activations: everything(), revision });
    await client.call("test_trigger_resource_update");
    assertEquals(await client.result("resources/subscribe", { uri: URI }), {});
    assertEquals(await client.result("resources/subscribe", { uri: URI }), {});
    await client.call("test_trigger_resource_update");
    await client.waitForNotifications("notifications/resources/updated");
    assertEquals(await client.result("resources/unsubscribe", { uri: URI }), {});
    assertEquals(await client.result("resources/unsubscribe", { uri: URI }), {});
    await client.call("test_trigger_resource_update");
    await client.close();
    assertEquals(client.notifications(), [
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: URI } },
    ]);
  },
);

forEachRevision(
  "mcp.subscription.resource",
  "refuses what is not there, malformed, or too much",
  async (revision) => {
    const limits = { maxSubscriptions: 1 };
    await using client = await openInProcess({ activations: everything(), revision, limits });
    assertEquals(await client.error("resources/subscribe", { uri: "test://nothing" }), {
      code: -32002,
      message: "Resource not found",
      data: { uri: "test://nothing" },
    });
    for (const uri of [undefined, null, 5, [URI]]) {
      assertEquals((await client.error("resources/subscribe", { uri })).code, -32602);
      assertEquals((await client.error("resources/unsubscribe", { uri })).code, -32602);
    }
    await client.result("resources/subscribe", { uri: URI });
    await client.result("resources/subscribe", { uri: URI });
    assertEquals((await client.error("resources/subscribe", { uri: "test://other" })).code, -32602);
  },
);

forEachRevision(
  "mcp.subscription.resource",
  "ends the watching when the client leaves",
  async (revision) => {
    const ended = Promise.withResolvers<void>();
    async function* watch(signal: AbortSignal): AsyncGenerator<void> {
      yield;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      ended.resolve();
    }
    await using client = await openInProcess({
      activations: [scripted({}, {
        resources: {
          list: () => Promise.resolve([]),
          templates: () => Promise.resolve([]),
          read: () => Promise.resolve(undefined),
          watch: (_uri, signal) => watch(signal),
        },
      })],
      revision,
    });
    await client.result("resources/subscribe", { uri: "a:b" });
    await client.waitForNotifications("notifications/resources/updated");
    await client.close();
    await ended.promise;
  },
);

forEachRevision(
  "mcp.list_changed.session",
  "is told after the handshake, with the list already changed",
  async (revision) => {
    const activations = everything();
    await using client = await connectInProcess({ activations, revision });
    await client.result("initialize", client.initializeParams(revision));
    for await (const _event of trigger(activations[0])) { /* before the client is ready */ }
    await client.settle();
    assertEquals(client.notifications(), []);
    await client.notify("notifications/initialized");
    const before = await namesOf(client);
    await client.call("test_trigger_tool_change");
    const [told] = await client.waitForNotifications("notifications/tools/list_changed");
    assertEquals(told, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    const after = await namesOf(client);
    assertEquals(after.filter((name) => !before.includes(name)), ["test_extra_1"]);
    await client.call("test_trigger_prompt_change");
    await client.waitForNotifications("notifications/prompts/list_changed");
  },
);

forEachRevision(
  "mcp.list_changed.session",
  "is told for each kind of list that is offered",
  async (revision, t) => {
    const resources = {
      list: () => Promise.resolve([]),
      templates: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
    };
    const prompts = {
      list: () => Promise.resolve([]),
      get: () => Promise.resolve({ messages: [] }),
    };
    const CASES = [
      { offered: { resources, prompts }, told: ["resources", "prompts", "tools"] },
      { offered: { prompts }, told: ["prompts", "tools"] },
      { offered: {}, told: ["tools"] },
    ];
    for (const { offered, told } of CASES) {
      await t.step(told.join(", "), async () => {
        const ready = Promise.withResolvers<void>();
        const announcing = scripted({}, {
          ...offered,
          async *changes() {
            await ready.promise;
            for (const kind of ["resources", "prompts", "tools"] as const) yield { kind };
          },
        });
        await using client = await openInProcess({ activations: [announcing], revision });
        await client.settle();
        ready.resolve();
        await client.waitForNotifications("notifications/tools/list_changed");
        assertEquals(
          client.notifications().map((message) => message.method),
          told.map((kind) => `notifications/${kind}/list_changed`),
        );
      });
    }
  },
);

function trigger(activation: EverythingActivation | undefined): AsyncIterable<unknown> {
  assert(activation !== undefined);
  return activation.call({
    tool: "test_trigger_tool_change",
    arguments: {},
    signal: new AbortController().signal,
    canAsk: () => false,
    ask: () => Promise.reject(new TypeError("Nobody can be asked")),
  });
}

async function namesOf(client: TestClient): Promise<unknown[]> {
  const { tools } = await client.result("tools/list");
  return Array.isArray(tools) ? tools.map((tool) => tool.name) : [];
}

/** Starts listening and waits until it is acknowledged. */
async function listen(
  client: TestClient,
  id: string | number,
  notifications: JsonObject,
): Promise<JsonObject> {
  const before = client.received.length;
  await client.post("subscriptions/listen", { notifications }, id);
  await client.waitFor(() => client.received.length > before, "an acknowledgement");
  const { method, params } = client.received[before] ?? {};
  assertEquals(method, "notifications/subscriptions/acknowledged");
  assert(isObject(params));
  assertEquals(params._meta, { [SUBSCRIPTION_ID]: id });
  return isObject(params.notifications) ? params.notifications : {};
}

forEachRevision(
  "mcp.subscription.listen",
  "acknowledges first, with the id in its own type and what is honoured",
  async (revision) => {
    await using client = await openInProcess({ activations: everything(), revision });
    const all = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [URI],
    };
    assertEquals(await listen(client, 7, all), all);
    assertEquals(await listen(client, "7", { toolsListChanged: true, promptsListChanged: false }), {
      toolsListChanged: true,
    });
    assertEquals(await listen(client, 0, {}), {});
    assertEquals(await listen(client, "", { resourceSubscriptions: ["test://nothing", URI] }), {
      resourceSubscriptions: [URI],
    });
    await using poor = await openInProcess({ activations: [scripted({})], revision });
    assertEquals(await listen(poor, 1, all), { resourceSubscriptions: [] });
    const announcing = [scripted({}, { async *changes() {} })];
    await using some = await openInProcess({ activations: announcing, revision });
    assertEquals(await listen(some, 1, all), { toolsListChanged: true, resourceSubscriptions: [] });
  },
);

forEachRevision(
  "mcp.subscription.listen",
  "tells each listener what it asked for, under its id",
  async (revision) => {
    await using client = await openInProcess({ activations: everything(), revision });
    await listen(client, 1, { toolsListChanged: true });
    await listen(client, "two", { promptsListChanged: true, resourceSubscriptions: [URI] });
    const start = client.received.length;
    await client.call("test_trigger_tool_change");
    await client.waitForNotifications("notifications/tools/list_changed");
    await client.call("test_trigger_prompt_change");
    await client.waitForNotifications("notifications/prompts/list_changed");
    await client.call("test_trigger_resource_update");
    await client.waitForNotifications("notifications/resources/updated");
    await client.settle();
    const told = client.received.slice(start).filter((message) => message.method !== undefined);
    const two = { _meta: { [SUBSCRIPTION_ID]: "two" } };
    assertEquals(told.map(({ method, params }) => [method, params]), [
      ["notifications/tools/list_changed", { _meta: { [SUBSCRIPTION_ID]: 1 } }],
      ["notifications/prompts/list_changed", two],
      ["notifications/resources/updated", { ...two, uri: URI }],
    ]);
  },
);

forEachRevision(
  "mcp.subscription.listen",
  "is silent after the client cancels it, not even an answer",
  async (revision) => {
    await using client = await openInProcess({ activations: everything(), revision });
    await listen(client, 1, { toolsListChanged: true });
    await listen(client, 2, { toolsListChanged: true });
    await client.notify("notifications/cancelled", { requestId: 1 });
    await client.call("test_trigger_tool_change");
    const told = await client.waitForNotifications("notifications/tools/list_changed");
    assertEquals(told.map((message) => message.params), [{ _meta: { [SUBSCRIPTION_ID]: 2 } }]);
    await client.close();
    assertEquals(client.responses(1), []);
  },
);

forEachRevision(
  "mcp.subscription.listen",
  "is answered when the server ends",
  async (revision) => {
    await using client = await openInProcess({ activations: everything(), revision });
    await listen(client, 1, { toolsListChanged: true });
    await client.close();
    const serverInfo = { name: "tested", version: "1.0.0" };
    assertEquals(client.responses(1).map((message) => message.result), [{
      resultType: "complete",
      _meta: { [SUBSCRIPTION_ID]: 1, "io.modelcontextprotocol/serverInfo": serverInfo },
    }]);
  },
);

forEachRevision(
  "mcp.subscription.listen",
  "refuses malformed filters and too many resources",
  async (revision) => {
    const limits = { maxSubscriptions: 2 };
    await using client = await openInProcess({ activations: everything(), revision, limits });
    const filters = [
      5,
      [],
      { resourceSubscriptions: URI },
      { resourceSubscriptions: [1] },
      { resourceSubscriptions: ["a:1", "a:2", "a:3"] },
    ];
    for (const notifications of filters) {
      const { code } = await client.error("subscriptions/listen", { notifications });
      assertEquals(code, -32602, JSON.stringify(notifications));
    }
    assertEquals(client.notifications(), []);
  },
);

Deno.test("mcp.subscription.listen refuses to listen at length, and to keep too much for all", async () => {
  await using client = await openInProcess({
    activations: [new EverythingActivation()],
    revision: "2026-07-28",
    limits: { maxListenLength: 2_000, maxListeningLength: 3_000 },
  });
  const long = { resourceSubscriptions: [`test://${"x".repeat(2_000)}`] };
  const medium = { resourceSubscriptions: [`test://${"x".repeat(1_200)}`] };
  const refused = await client.error("subscriptions/listen", { notifications: long });
  assertEquals(refused.code, -32602);
  await listen(client, "one", medium);
  const busy = await client.error("subscriptions/listen", { notifications: medium });
  assertEquals([busy.code, busy.message], [
    -32603,
    "Server busy: too much is listened to; try again later",
  ]);
  await client.notify("notifications/cancelled", { requestId: "one" });
  await listen(client, "two", medium);
});

Deno.test("mcp.subscription.resource counts the names of all that is watched, until it is no more", async () => {
  const activation = scripted({}, {
    resources: {
      list: () => Promise.resolve([]),
      templates: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
      async *watch(_uri, signal) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        yield;
      },
    },
  });
  await using client = await openInProcess({
    activations: [activation],
    revision: "2025-11-25",
    limits: { maxListenLength: 20, maxListeningLength: 30 },
  });
  const subscribe = (uri: string) => client.result("resources/subscribe", { uri });
  const refuse = async (uri: string) => (await client.error("resources/subscribe", { uri })).code;
  assertEquals(await refuse("test://89012345678901"), -32602);
  await subscribe("test://first");
  await subscribe("test://first");
  await subscribe("test://second");
  assertEquals(await refuse("test://third"), -32603);
  await client.result("resources/unsubscribe", { uri: "test://first" });
  await subscribe("test://third");
});

// Lists in pages: nothing skipped, nothing twice, and no cursor but the server's own.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import type { Activation, JsonObject, JsonValue } from "../../mod.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { numbered, scripted } from "../harness/scripted.ts";

/** The pages of a list, as lists of names. */
async function readPages(
  client: TestClient,
  method: string,
  options: { readonly field: string; readonly limit?: number } = { field: "tools" },
): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  let cursor: JsonValue | undefined;
  do {
    const { limit } = options;
    const result = await client.result(method, { cursor, limit });
    const items = result[options.field];
    assert(Array.isArray(items));
    pages.push(items.map((item) => item.name));
    cursor = result.nextCursor;
    assert(cursor !== null, "there is no null cursor");
  } while (cursor !== undefined);
  return pages;
}

const SIZES = [
  { count: 0, pages: [0] },
  { count: 1, pages: [1] },
  { count: 50, pages: [50] },
  { count: 51, pages: [50, 1] },
  { count: 100, pages: [50, 50] },
  { count: 120, pages: [50, 50, 20] },
];

forEachRevision(
  "mcp.pagination.pages",
  "hold 50 tools (substrate#9)",
  async (revision) => {
    for (const { count, pages } of SIZES) {
      await using client = await openInProcess({ activations: [numbered(count)], revision });
      const read = await readPages(client, "tools/list");
      assertEquals(read.map((page) => page.length), pages, `${count} tools`);
      assertEquals(read.flat(), numbered(count).tools().map((tool) => tool.name));
    }
  },
);

forEachRevision(
  "mcp.pagination.pages",
  "hold as many as the client's limit says, in one order (mcp-bash#32)",
  async (revision) => {
    await using client = await openInProcess({ activations: [sevenOfAll()], revision });
    const lists = [
      { method: "tools/list", field: "tools" },
      { method: "resources/list", field: "resources" },
      { method: "resources/templates/list", field: "resourceTemplates" },
      { method: "prompts/list", field: "prompts" },
    ];
    for (const { method, field } of lists) {
      const pages = await readPages(client, method, { field, limit: 3 });
      assertEquals(pages, [["a", "b", "c"], ["d", "e", "f"], ["g"]], method);
      assertEquals(await readPages(client, method, { field }), [pages.flat()], method);
    }
  },
);

/** Seven of everything, offered in no order. */
function sevenOfAll(): Activation {
  const names = ["d", "a", "g", "c", "f", "b", "e"];
  return scripted(Object.fromEntries(names.map((name) => [name, () => []])), {
    resources: {
      list: () => Promise.resolve(names.map((name) => ({ name, uri: `x:${name}` }))),
      templates: () =>
        Promise.resolve(names.map((name) => ({ name, uriTemplate: `x:${name}{y}` }))),
      read: () => Promise.resolve(undefined),
    },
    prompts: {
      list: () => Promise.resolve(names.map((name) => ({ name }))),
      get: () => Promise.resolve({ messages: [] }),
    },
  });
}

forEachRevision("mcp.pagination.pages", "have bounds on their limit", async (revision) => {
  await using client = await openInProcess({ activations: [numbered(250)], revision });
  for (const limit of [0, -1, 1.5, "3", true, []]) {
    assertEquals((await client.error("tools/list", { limit })).code, -32602, `${limit}`);
  }
  const pages = await readPages(client, "tools/list", { field: "tools", limit: 1_000_000 });
  assertEquals(pages.map((page) => page.length), [200, 50]);
  const { tools } = await client.result("tools/list", { limit: null });
  assertEquals(Array.isArray(tools) && tools.length, 50);
});

function encode(value: JsonValue): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(cursor: JsonValue | undefined): JsonObject {
  return JSON.parse(atob(String(cursor).replaceAll("-", "+").replaceAll("_", "/")));
}

forEachRevision(
  "mcp.pagination.cursors",
  "that the server did not give are refused; null is none (substrate#9, mcp-bash#31)",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(120)], revision });
    const { nextCursor } = await client.result("tools/list");
    const own = decode(nextCursor);
    assertEquals(encode(own), nextCursor, "the cursor is read right here");
    const cursors: readonly JsonValue[] = [
      "",
      "garbage",
      "!!!",
      "e30",
      5,
      true,
      {},
      [nextCursor ?? ""],
      `${nextCursor}=`,
      ` ${nextCursor}`,
      String(nextCursor).slice(0, -1),
      encode([own]),
      encode({ ...own, ver: 2 }),
      encode({ ...own, ver: "1" }),
      encode({ ...own, collection: "prompts" }),
      encode({ ...own, hash: "0000000000000000" }),
      encode({ ...own, offset: 0 }),
      encode({ ...own, offset: -50 }),
      encode({ ...own, offset: 50.5 }),
      encode({ ...own, offset: "50" }),
      encode({ ...own, offset: 120 }),
      encode({ ...own, offset: 1e9 }),
      encode({ ...own, extra: true }),
    ];
    for (const cursor of cursors) {
      const { code, message } = await client.error("tools/list", { cursor });
      assertEquals(code, -32602, JSON.stringify(cursor));
      assertStringIncludes(String(message), '"cursor"');
    }
    const { message } = await client.error("tools/list", { cursor: encode({ ...own, ver: 2 }) });
    assertStringIncludes(String(message), "not one that this server gave");
    const { tools } = await client.result("tools/list", { cursor: null });
    assertEquals(Array.isArray(tools) && tools.length, 50);
  },
);

forEachRevision(
  "mcp.pagination.cursors",
  "belong to one list (mcp-bash#31)",
  async (revision) => {
    await using client = await openInProcess({ activations: [sevenOfAll()], revision });
    const methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    for (const from of methods) {
      const { nextCursor: cursor } = await client.result(from, { limit: 3 });
      for (const to of methods) {
        const { error } = await client.request(to, { cursor });
        assertEquals(error === undefined, from === to, `${from} → ${to}`);
      }
    }
  },
);

forEachRevision(
  "mcp.pagination.cursors",
  "of a list that has changed are stale (mcp-bash#31)",
  async (revision) => {
    await using client = await openInProcess({
      activations: [new EverythingActivation()],
      revision,
    });
    if (revision === "2026-07-28") {
      await client.post("subscriptions/listen", { notifications: { toolsListChanged: true } });
    }
    const { nextCursor: cursor } = await client.result("tools/list", { limit: 3 });
    await client.result("tools/list", { limit: 3, cursor });
    await client.call("test_trigger_tool_change");
    await client.waitForNotifications("notifications/tools/list_changed");
    const { code, message } = await client.error("tools/list", { limit: 3, cursor });
    assertEquals(code, -32602);
    assertStringIncludes(String(message), "stale");
  },
);

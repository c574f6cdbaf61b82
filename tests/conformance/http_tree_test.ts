// Resources that form a tree, and prompts out of a store that may be empty, as clients over HTTP see them.

import { assertEquals } from "@std/assert";
import type { Activation, Prompt, Resource } from "../../mod.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { scripted } from "../harness/scripted.ts";

const SCHEME = "tree:///";

/** Nodes by their path; a node lists the names of those right below it. */
const NODES: Readonly<Record<string, string>> = {
  "": "root",
  "a": "first branch",
  "a/leaf": "leaf of the first",
  "b ü": "a name that a URI has to escape",
};

function uriOf(path: string): string {
  return SCHEME + path.split("/").map(encodeURIComponent).join("/");
}

function findPath(uri: string): string | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  return Object.keys(NODES).find((path) => uriOf(path) === uri);
}

/** The tree, and prompts of the sessions that a store has; without a store there are none. */
function createTree(store?: ReadonlyMap<string, string>): Activation {
  return scripted({}, {
    resources: {
      list: () =>
        Promise.resolve(
          Object.keys(NODES).map((path): Resource => ({ uri: uriOf(path), name: path || "root" })),
        ),
      templates: () => Promise.resolve([{ uriTemplate: `${SCHEME}{+path}`, name: "node" }]),
      read(uri) {
        const path = findPath(uri);
        if (path === undefined) return Promise.resolve(undefined);
        return Promise.resolve([{ uri, mimeType: "text/plain", text: NODES[path] ?? "" }]);
      },
    },
    prompts: {
      list: () =>
        Promise.resolve([...store?.keys() ?? []].map((name): Prompt => ({
          name,
          arguments: [{ name: "question", required: true }],
        }))),
      get: ({ name, arguments: given }) =>
        Promise.resolve({
          messages: [{
            role: "user",
            content: { type: "text", text: `${store?.get(name)} ${given.question}` },
          }],
        }),
    },
  });
}

async function codeOf(client: HttpClient, method: string, params: JsonObject): Promise<unknown> {
  const { error } = await client.ask(method, params);
  return isObject(error) ? error.code : undefined;
}

forEachRevision(
  "mcp.http.status",
  "of a tree of resources: each that is listed is read, none other is (substrate#27)",
  async (revision) => {
    await using host = new HttpHost({ activations: [createTree()] });
    const client = await HttpClient.open(host, { revision });
    const { resources } = await client.result("resources/list");
    const listed = Array.isArray(resources) ? resources.filter(isObject) : [];
    assertEquals(listed.map(({ uri }) => uri), Object.keys(NODES).map(uriOf));
    for (const { uri } of listed) {
      const { contents } = await client.result("resources/read", { uri: uri ?? "" });
      const text = NODES[findPath(String(uri)) ?? ""];
      assertEquals<unknown>(contents, [{ uri, mimeType: "text/plain", text }]);
    }
    const { resourceTemplates } = await client.result("resources/templates/list");
    assertEquals(Array.isArray(resourceTemplates) && resourceTemplates.length, 1);
    const missing = client.isStateless ? -32602 : -32002;
    for (const uri of [`${SCHEME}nowhere`, `${SCHEME}a/`, "tree:a", "other:///a", "no URI", ""]) {
      assertEquals(await codeOf(client, "resources/read", { uri }), missing, uri);
    }
    for (const params of [{}, { uri: 7 }, { uri: null }]) {
      assertEquals(await codeOf(client, "resources/read", params), -32602);
    }
  },
);

forEachRevision(
  "mcp.http.status",
  "of prompts with and without a store behind them (substrate#29)",
  async (revision) => {
    await using empty = new HttpHost({ activations: [createTree()] });
    const poor = await HttpClient.open(empty, { revision });
    assertEquals((await poor.result("prompts/list")).prompts, []);
    assertEquals(await codeOf(poor, "prompts/get", { name: "cone" }), -32602);
    const store = new Map([["cone", "Once more:"]]);
    await using host = new HttpHost({ activations: [createTree(store)] });
    const client = await HttpClient.open(host, { revision });
    const { prompts } = await client.result("prompts/list");
    assertEquals<unknown>(prompts, [
      { name: "cone", arguments: [{ name: "question", required: true }] },
    ]);
    const got = await client.result("prompts/get", {
      name: "cone",
      arguments: { question: "why?" },
    });
    assertEquals<unknown>(got.messages, [
      { role: "user", content: { type: "text", text: "Once more: why?" } },
    ]);
    assertEquals(await codeOf(client, "prompts/get", { name: "cone" }), -32602);
    assertEquals(await codeOf(client, "prompts/get", { name: "other" }), -32602);
  },
);

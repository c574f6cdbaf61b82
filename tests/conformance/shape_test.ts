// One neutral result, five wire shapes: what a revision does not know is told in its own terms or left out.

import { assertEquals } from "@std/assert";
import type { Activation, ContentBlock, Icon, JsonObject, Tool } from "../../mod.ts";
import { connectInProcess, openInProcess, type SchemaRevision } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { scripted } from "../harness/scripted.ts";

const ICONS: readonly Icon[] = [{ src: "https://example.com/icon.png", mimeType: "image/png" }];
const META = { "example.com/key": 1 };
const BYTES = "UklGRg==";
const OLD_NOTES = { audience: ["user"], priority: 0.5 } as const;
const NOTES = { ...OLD_NOTES, lastModified: "2025-01-12T15:00:58Z" } as const;

function has(revision: SchemaRevision, since: SchemaRevision): boolean {
  return revision >= since;
}

/** Members that a revision knows since a date. */
function since(revision: SchemaRevision, date: SchemaRevision, members: JsonObject): JsonObject {
  return has(revision, date) ? members : {};
}

function notesOf(revision: SchemaRevision): JsonObject {
  return has(revision, "2025-06-18") ? NOTES : OLD_NOTES;
}

interface BlockCase {
  readonly name: string;
  readonly block: ContentBlock;
  readonly expected: (revision: SchemaRevision) => JsonObject;
}

const BLOCKS: readonly BlockCase[] = [
  {
    name: "text with annotations and metadata",
    block: { type: "text", text: "hi", annotations: NOTES, _meta: META },
    expected: (revision) => ({
      type: "text",
      text: "hi",
      annotations: notesOf(revision),
      ...since(revision, "2025-06-18", { _meta: META }),
    }),
  },
  {
    name: "image",
    block: { type: "image", data: BYTES, mimeType: "image/png", annotations: NOTES },
    expected: (revision) => ({
      type: "image",
      data: BYTES,
      mimeType: "image/png",
      annotations: notesOf(revision),
    }),
  },
  {
    name: "audio",
    block: { type: "audio", data: BYTES, mimeType: "audio/wav" },
    expected: (revision) =>
      has(revision, "2025-03-26") ? { type: "audio", data: BYTES, mimeType: "audio/wav" } : {
        type: "resource",
        resource: { uri: "content:audio", mimeType: "audio/wav", blob: BYTES },
      },
  },
  {
    name: "embedded text",
    block: { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", text: "hi" } },
    expected: () => ({
      type: "resource",
      resource: { uri: "a:b", mimeType: "text/plain", text: "hi" },
    }),
  },
  {
    name: "embedded bytes",
    block: { type: "resource", resource: { uri: "a:b", blob: BYTES } },
    expected: () => ({ type: "resource", resource: { uri: "a:b", blob: BYTES } }),
  },
  {
    name: "link",
    block: {
      type: "resource_link",
      uri: "a:b",
      name: "b",
      title: "Bee",
      description: "An insect",
      size: 6,
      icons: ICONS,
      annotations: NOTES,
    },
    expected: (revision) =>
      has(revision, "2025-06-18")
        ? {
          type: "resource_link",
          uri: "a:b",
          name: "b",
          title: "Bee",
          description: "An insect",
          size: 6,
          annotations: NOTES,
          ...since(revision, "2025-11-25", { icons: ICONS }),
        }
        : { type: "text", text: "[Resource Bee at a:b]: An insect" },
  },
  {
    name: "bare link",
    block: { type: "resource_link", uri: "a:b", name: "b" },
    expected: (revision) =>
      has(revision, "2025-06-18")
        ? { type: "resource_link", uri: "a:b", name: "b" }
        : { type: "text", text: "[Resource b at a:b]" },
  },
];

forEachRevision(
  "mcp.shape.content",
  "blocks are fitted, in tools and in prompts (substrate#31)",
  async (revision, t) => {
    for (const { name, block, expected } of BLOCKS) {
      await t.step(name, async () => {
        const activation = scripted({ show: () => [{ kind: "content", block }] }, {
          prompts: {
            list: () => Promise.resolve([{ name: "show" }]),
            get: () => Promise.resolve({ messages: [{ role: "user", content: block }] }),
          },
        });
        await using client = await openInProcess({ activations: [activation], revision });
        const { content } = await client.call("show");
        assertEquals(content, [expected(revision)]);
        const { messages } = await client.result("prompts/get", { name: "show" });
        assertEquals(messages, [{ role: "user", content: expected(revision) }]);
      });
    }
  },
);

const TOOL: Tool = {
  name: "full",
  title: "Full",
  description: "Has every member",
  inputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
  outputSchema: { type: "object", properties: { answer: { type: "integer" } } },
  annotations: { title: "Hinted", readOnlyHint: true, openWorldHint: false },
  icons: ICONS,
  _meta: META,
};

function definitions(): Activation {
  const definition = {
    name: "full",
    title: "Full",
    description: "Has every member",
    icons: ICONS,
    _meta: META,
  };
  const source = { ...definition, mimeType: "text/plain", annotations: NOTES };
  return scripted({ full: { ...TOOL, run: () => [] } }, {
    resources: {
      list: () => Promise.resolve([{ ...source, uri: "a:b", size: 6 }]),
      templates: () => Promise.resolve([{ ...source, uriTemplate: "a:{b}" }]),
      read: () => Promise.resolve(undefined),
    },
    prompts: {
      list: () =>
        Promise.resolve([{
          ...definition,
          arguments: [{ name: "one", title: "One", description: "First", required: true }],
        }]),
      get: () => Promise.resolve({ messages: [] }),
    },
  });
}

forEachRevision(
  "mcp.shape.definitions",
  "have the members that the revision knows and no others",
  async (revision) => {
    await using client = await openInProcess({ activations: [definitions()], revision });
    const common = {
      name: "full",
      description: "Has every member",
      ...since(revision, "2025-06-18", { title: "Full", _meta: META }),
      ...since(revision, "2025-11-25", { icons: ICONS }),
    };
    const { tools } = await client.result("tools/list");
    assertEquals(tools, [{
      ...common,
      inputSchema: TOOL.inputSchema,
      ...since(revision, "2025-03-26", { annotations: TOOL.annotations }),
      ...since(revision, "2025-06-18", { outputSchema: TOOL.outputSchema }),
    }]);
    const source = { ...common, mimeType: "text/plain", annotations: notesOf(revision) };
    const { resources } = await client.result("resources/list");
    assertEquals(resources, [{ ...source, uri: "a:b", size: 6 }]);
    const { resourceTemplates } = await client.result("resources/templates/list");
    assertEquals(resourceTemplates, [{ ...source, uriTemplate: "a:{b}" }]);
    const { prompts } = await client.result("prompts/list");
    const title = since(revision, "2025-06-18", { title: "One" });
    const argument = { name: "one", description: "First", required: true, ...title };
    assertEquals(prompts, [{ ...common, arguments: [argument] }]);
  },
);

const STRUCTURED = [
  { value: { answer: 42 }, schema: { type: "object" }, since: "2025-06-18" },
  { value: [1, 2, 3], schema: { type: "array" }, since: "2026-07-28" },
  { value: 7, schema: { type: "integer" }, since: "2026-07-28" },
  { value: null, schema: { type: "null" }, since: "2026-07-28" },
  { value: { a: 1 }, schema: { anyOf: [{ type: "object" }, {}] }, since: "2026-07-28" },
] as const;

forEachRevision(
  "mcp.shape.structured",
  "content and its schema go out where the revision takes their kind; the text always does",
  async (revision, t) => {
    for (const { value, schema, since } of STRUCTURED) {
      await t.step(JSON.stringify(schema), async () => {
        await using client = await openInProcess({
          activations: [scripted({
            tell: { outputSchema: schema, run: () => [{ kind: "structured", value }] },
          })],
          revision,
        });
        const { tools } = await client.result("tools/list");
        const [tool] = Array.isArray(tools) ? tools : [];
        assertEquals(tool.outputSchema, has(revision, since) ? schema : undefined);
        const { content, structuredContent } = await client.call("tell");
        assertEquals(content, [{ type: "text", text: JSON.stringify(value) }]);
        const kept = has(revision, isRecord(value) ? "2025-06-18" : "2026-07-28");
        assertEquals(structuredContent, kept ? value : undefined);
      });
    }
  },
);

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

forEachRevision(
  "mcp.shape.implementation",
  "of the server has the members that the revision knows",
  async (revision) => {
    const implementation = {
      name: "ship",
      version: "2.0.0",
      title: "The Ship",
      description: "Floats",
      websiteUrl: "https://example.com/",
      icons: ICONS,
    };
    await using client = await connectInProcess({
      activations: [scripted({})],
      revision,
      server: { implementation },
    });
    if (revision === "2026-07-28") {
      const { _meta } = await client.result("server/discover");
      assertEquals(_meta, { "io.modelcontextprotocol/serverInfo": implementation });
      return;
    }
    const { serverInfo } = await client.result("initialize", client.initializeParams(revision));
    assertEquals(serverInfo, {
      name: "ship",
      version: "2.0.0",
      ...since(revision, "2025-06-18", { title: "The Ship" }),
      ...since(revision, "2025-11-25", {
        description: "Floats",
        websiteUrl: "https://example.com/",
        icons: ICONS,
      }),
    });
  },
);

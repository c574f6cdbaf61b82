// Content and definitions in each revision: what an older one lacks becomes text, another block, or is left out.

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { getCodec } from "../../../src/mcp/codec.ts";
import {
  encodeBlock,
  encodeImplementation,
  encodePrompt,
  encodeResource,
  encodeTool,
  type Revision,
} from "../../../src/mcp/revision.ts";
import type { ContentBlock } from "../../../src/mcp/model.ts";

const REVISIONS: readonly Revision[] = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
];

/** The wire form in each revision, `undefined` members left out as JSON does. */
function inEach(encode: (revision: Revision) => JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    REVISIONS.map((revision) => [revision, JSON.parse(JSON.stringify(encode(revision)))]),
  );
}

function blockInEach(block: ContentBlock): Record<string, unknown> {
  return inEach((revision) => encodeBlock(block, getCodec(revision).shape));
}

const ICONS = [{ src: "data:," }];

Deno.test("encodeBlock() turns audio into an embedded resource where there is no audio", () => {
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
  assertEquals(blockInEach(audio), {
    "2024-11-05": {
      type: "resource",
      resource: { uri: "content:audio", mimeType: "audio/wav", blob: "AAAA" },
    },
    "2025-03-26": audio,
    "2025-06-18": audio,
    "2025-11-25": audio,
    "2026-07-28": audio,
  });
});

Deno.test("encodeBlock() tells of a link in words where there are no links", () => {
  const plain = { type: "resource_link", uri: "a:b", name: "b", description: "A thing" } as const;
  const link = { ...plain, title: "B", icons: ICONS };
  const text = { type: "text", text: "[Resource B at a:b]: A thing" };
  assertEquals(blockInEach(link), {
    "2024-11-05": text,
    "2025-03-26": text,
    "2025-06-18": { ...plain, title: "B" },
    "2025-11-25": link,
    "2026-07-28": link,
  });
  const bare = { type: "resource_link", uri: "a:b", name: "b" } as const;
  assertEquals(blockInEach(bare)["2024-11-05"], { type: "text", text: "[Resource b at a:b]" });
});

Deno.test("encodeBlock() leaves annotations and metadata out where they are unknown", () => {
  const annotations = { audience: ["user"], priority: 1, lastModified: "2026-01-01" } as const;
  const old = { type: "text", text: "a", annotations: { audience: ["user"], priority: 1 } };
  const block = { type: "text", text: "a", annotations, _meta: { x: 1 } } as const;
  assertEquals(blockInEach(block), {
    "2024-11-05": old,
    "2025-03-26": old,
    "2025-06-18": block,
    "2025-11-25": block,
    "2026-07-28": block,
  });
});

Deno.test("encodeBlock() keeps text, images and embedded resources everywhere", () => {
  const BLOCKS: readonly ContentBlock[] = [
    { type: "text", text: "" },
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "resource", resource: { uri: "a:b", text: "x" } },
  ];
  for (const block of BLOCKS) {
    assertEquals(blockInEach(block), Object.fromEntries(REVISIONS.map((name) => [name, block])));
  }
});

Deno.test("encodeTool() shows what each revision has", () => {
  const least = { name: "a", description: "A", inputSchema: { type: "object" } };
  const annotations = { readOnlyHint: true };
  const outputSchema = { type: "object" };
  const tool = {
    ...least,
    title: "T",
    outputSchema,
    annotations,
    icons: ICONS,
    _meta: { x: 1 },
  };
  const { icons: _icons, ...iconless } = tool;
  assertEquals(inEach((revision) => encodeTool(tool, getCodec(revision).shape)), {
    "2024-11-05": least,
    "2025-03-26": { ...least, annotations },
    "2025-06-18": iconless,
    "2025-11-25": tool,
    "2026-07-28": tool,
  });
});

Deno.test("encodeTool() shows an output schema that is no object to the newest alone", () => {
  const least = { name: "a", inputSchema: { type: "object" } };
  const tool = { ...least, outputSchema: { type: "array" } };
  assertEquals(inEach((revision) => encodeTool(tool, getCodec(revision).shape)), {
    "2024-11-05": least,
    "2025-03-26": least,
    "2025-06-18": least,
    "2025-11-25": least,
    "2026-07-28": tool,
  });
});

Deno.test("encodeResource() shows what each revision has", () => {
  const least = { uri: "a:b", name: "b", mimeType: "text/plain", size: 1 };
  const old = { ...least, annotations: { priority: 1 } };
  const resource = {
    ...least,
    title: "B",
    annotations: { priority: 1, lastModified: "2026-01-01" },
    icons: ICONS,
    _meta: { x: 1 },
  };
  const { icons: _icons, ...iconless } = resource;
  assertEquals(inEach((revision) => encodeResource(resource, getCodec(revision).shape)), {
    "2024-11-05": old,
    "2025-03-26": old,
    "2025-06-18": iconless,
    "2025-11-25": resource,
    "2026-07-28": resource,
  });
});

Deno.test("encodePrompt() shows what each revision has, arguments included", () => {
  const argument = { name: "x", required: true };
  const least = { name: "p", description: "P", arguments: [argument] };
  const prompt = {
    ...least,
    title: "T",
    arguments: [{ ...argument, title: "X" }],
    icons: ICONS,
    _meta: { x: 1 },
  };
  const { icons: _icons, ...iconless } = prompt;
  assertEquals(inEach((revision) => encodePrompt(prompt, getCodec(revision).shape)), {
    "2024-11-05": least,
    "2025-03-26": least,
    "2025-06-18": iconless,
    "2025-11-25": prompt,
    "2026-07-28": prompt,
  });
  const bare = { name: "p" };
  assertEquals(
    inEach((revision) => encodePrompt(bare, getCodec(revision).shape))["2026-07-28"],
    bare,
  );
});

Deno.test("encodeImplementation() shows what each revision has", () => {
  const least = { name: "s", version: "1" };
  const titled = { ...least, title: "S" };
  const whole = { ...titled, description: "D", websiteUrl: "https://x.test", icons: ICONS };
  assertEquals(inEach((revision) => encodeImplementation(whole, getCodec(revision).shape)), {
    "2024-11-05": least,
    "2025-03-26": least,
    "2025-06-18": titled,
    "2025-11-25": whole,
    "2026-07-28": whole,
  });
});

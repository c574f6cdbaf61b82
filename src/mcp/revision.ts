// The dated revisions of MCP: how a client's wish becomes one of them, what the messages of each can hold, and content
// fitted to that.

import type { JsonObject } from "../jsonrpc/message.ts";
import type {
  Annotations,
  ContentBlock,
  Implementation,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
} from "./model.ts";

/** Revisions that open with `initialize`, oldest first. */
export const HANDSHAKE_REVISIONS = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
] as const;

/** Revisions whose every request carries its own metadata, oldest first. */
export const STATELESS_REVISIONS = ["2026-07-28"] as const;

/** A revision of the handshake wire. */
export type HandshakeRevision = typeof HANDSHAKE_REVISIONS[number];

/** A revision of the stateless wire. */
export type StatelessRevision = typeof STATELESS_REVISIONS[number];

/** Any revision spoken here. */
export type Revision = HandshakeRevision | StatelessRevision;

/** What is offered to a client that asks for an unknown revision. */
export const LATEST_HANDSHAKE: HandshakeRevision = "2025-11-25";

/** The handshake revision for a client that asks for `requested`: that one if spoken, else the latest. */
export function negotiateRevision(requested: string): HandshakeRevision {
  return HANDSHAKE_REVISIONS.find((revision) => revision === requested) ?? LATEST_HANDSHAKE;
}

/** The stateless revision named by a request's metadata, if it is spoken here. */
export function findStatelessRevision(requested: string): StatelessRevision | undefined {
  return STATELESS_REVISIONS.find((revision) => revision === requested);
}

// What the messages of one revision can hold. A codec is a shape plus the functions that fit a neutral value to it.

/** The features of one revision, as facts about its schema. */
export interface Shape {
  readonly revision: Revision;
  readonly wire: "handshake" | "stateless";
  /** Whether one line may hold an array of messages. */
  readonly batches: boolean;
  /** Kinds of content blocks. */
  readonly content: ReadonlySet<ContentBlock["type"]>;
  /** `annotations` on tools. */
  readonly toolAnnotations: boolean;
  /** `title` and `_meta` on definitions, `annotations.lastModified`. */
  readonly titles: boolean;
  /** `icons`, and `description` and `websiteUrl` of an implementation. */
  readonly icons: boolean;
  /** What `structuredContent` and `outputSchema` may be. */
  readonly structured: "none" | "object" | "any";
  /** `message` in progress notifications. */
  readonly progressMessage: boolean;
  /** The `completions` capability. */
  readonly completions: boolean;
  /** Ways in which the user may be asked. */
  readonly elicitation: "none" | "form" | "form and url";
  /** `elicitationId` in URL elicitations. */
  readonly elicitationId: boolean;
  /** `tools` and `toolChoice` in sampling requests. */
  readonly samplingTools: boolean;
  /** How an error names a request whose id could not be read: JSON-RPC's `null`, or not at all. */
  readonly unreadableId: null | undefined;
  /** The error number of a resource that does not exist. */
  readonly resourceNotFound: -32002 | -32602;
  /** Whether a call may become a task of the tasks extension. */
  readonly tasks: boolean;
}

// The table of what each revision can say. Newer ones are written as what they add.

type ContentType = ContentBlock["type"];

const SHAPE_2024_11_05: Shape = {
  revision: "2024-11-05",
  wire: "handshake",
  batches: false,
  content: new Set<ContentType>(["text", "image", "resource"]),
  toolAnnotations: false,
  titles: false,
  icons: false,
  structured: "none",
  progressMessage: false,
  completions: false,
  elicitation: "none",
  elicitationId: false,
  samplingTools: false,
  unreadableId: null,
  resourceNotFound: -32002,
  tasks: false,
};

const SHAPE_2025_03_26: Shape = {
  ...SHAPE_2024_11_05,
  revision: "2025-03-26",
  batches: true,
  content: new Set<ContentType>(["text", "image", "resource", "audio"]),
  toolAnnotations: true,
  progressMessage: true,
  completions: true,
};

const SHAPE_2025_06_18: Shape = {
  ...SHAPE_2025_03_26,
  revision: "2025-06-18",
  batches: false,
  content: new Set<ContentType>(["text", "image", "resource", "audio", "resource_link"]),
  titles: true,
  structured: "object",
  elicitation: "form",
};

const SHAPE_2025_11_25: Shape = {
  ...SHAPE_2025_06_18,
  revision: "2025-11-25",
  icons: true,
  elicitation: "form and url",
  elicitationId: true,
  samplingTools: true,
  unreadableId: undefined,
};

const SHAPE_2026_07_28: Shape = {
  ...SHAPE_2025_11_25,
  revision: "2026-07-28",
  wire: "stateless",
  structured: "any",
  elicitationId: false,
  resourceNotFound: -32602,
  tasks: true,
};

/** What the messages of each revision can hold, oldest first. */
export const SHAPES: readonly Shape[] = [
  SHAPE_2024_11_05,
  SHAPE_2025_03_26,
  SHAPE_2025_06_18,
  SHAPE_2025_11_25,
  SHAPE_2026_07_28,
];

/** Requests of the stateless wire. */
export const STATELESS_REQUESTS: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "server/discover",
  "subscriptions/listen",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
]);

// Content blocks and definitions fitted to a revision: what it does not know becomes text or is left out.

/** Blocks fitted to a revision; the newest ones take them as they are. */
export function encodeBlocks(blocks: readonly ContentBlock[], shape: Shape): readonly JsonObject[] {
  if (shape.titles && shape.icons) return blocks;
  return blocks.map((block) => encodeBlock(block, shape));
}

/** A block that the revision knows, or its meaning as text. */
export function encodeBlock(block: ContentBlock, shape: Shape): JsonObject {
  if (shape.titles && shape.icons) return block;
  if (!shape.content.has(block.type)) return fallbackBlock(block);
  const { annotations, _meta, ...rest } = block;
  const kept = rest.type === "resource_link" ? dropIcons(rest, shape) : rest;
  return {
    ...kept,
    ...(annotations === undefined ? {} : { annotations: encodeAnnotations(annotations, shape) }),
    ...(_meta === undefined || !shape.titles ? {} : { _meta }),
  };
}

/** A tool's definition. */
export function encodeTool(tool: Tool, shape: Shape): JsonObject {
  const { title, outputSchema, annotations, icons, _meta, task: _task, ...rest } = tool;
  const fitting = outputSchema !== undefined &&
    (shape.structured === "any" ||
      (shape.structured === "object" && outputSchema.type === "object"));
  return {
    ...rest,
    ...(fitting ? { outputSchema } : {}),
    ...(annotations !== undefined && shape.toolAnnotations ? { annotations } : {}),
    ...(shape.titles ? { title, _meta } : {}),
    ...(shape.icons ? { icons } : {}),
  };
}

/** A resource's or a template's definition. */
export function encodeResource(resource: Resource | ResourceTemplate, shape: Shape): JsonObject {
  const { title, annotations, icons, _meta, ...rest } = resource;
  return {
    ...rest,
    ...(annotations === undefined ? {} : { annotations: encodeAnnotations(annotations, shape) }),
    ...(shape.titles ? { title, _meta } : {}),
    ...(shape.icons ? { icons } : {}),
  };
}

/** A prompt's definition. */
export function encodePrompt(prompt: Prompt, shape: Shape): JsonObject {
  const { title, arguments: parameters, icons, _meta, ...rest } = prompt;
  return {
    ...rest,
    arguments: parameters?.map(({ title, ...argument }) =>
      shape.titles ? { ...argument, title } : argument
    ),
    ...(shape.titles ? { title, _meta } : {}),
    ...(shape.icons ? { icons } : {}),
  };
}

/** A program's introduction. */
export function encodeImplementation(program: Implementation, shape: Shape): JsonObject {
  const { name, version, title } = program;
  if (shape.icons) return program;
  return shape.titles ? { name, version, title } : { name, version };
}

function encodeAnnotations(annotations: Annotations, shape: Shape): JsonObject {
  const { lastModified, ...rest } = annotations;
  return shape.titles ? { ...rest, lastModified } : rest;
}

function dropIcons(
  link: Omit<Resource, "annotations" | "_meta"> & { readonly type: "resource_link" },
  shape: Shape,
): JsonObject {
  const { icons, ...rest } = link;
  return shape.icons ? { ...rest, icons } : rest;
}

/** Says in words what a client of this revision cannot be shown. */
function fallbackBlock(block: ContentBlock): JsonObject {
  switch (block.type) {
    case "resource_link": {
      const title = block.title ?? block.name;
      const about = block.description === undefined ? "" : `: ${block.description}`;
      return { type: "text", text: `[Resource ${title} at ${block.uri}]${about}` };
    }
    case "audio": {
      // An embedded resource keeps the bytes where no audio block exists.
      const resource = { uri: "content:audio", mimeType: block.mimeType, blob: block.data };
      return { type: "resource", resource };
    }
    default:
      return block;
  }
}

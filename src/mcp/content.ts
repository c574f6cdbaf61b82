// Content blocks and definitions fitted to a revision: what it does not know becomes text or is left out.

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
import type { Shape } from "./revision.ts";

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

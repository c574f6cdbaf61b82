/** What stands in for a block that a budget left out: a label, a description, and its token count. */
import type { RenderedBlock } from "./block.ts";
import { hex } from "./header.ts";

/** What a placeholder says, before a renderer words it. */
export interface Placeholder {
  readonly label: string;
  readonly description: string;
  readonly tokens: number;
}

/** Describes a block that is not shown. */
export function toPlaceholder(block: RenderedBlock, tokens: number): Placeholder {
  const [label, description] = describe(block);
  return { label, description, tokens };
}

function describe(block: RenderedBlock): readonly [string, string] {
  switch (block.kind) {
    case "code":
      return ["code", block.path];
    case "conversation":
      return ["conversation", `${block.role} turn`];
    case "file_tree":
      return ["file-tree", `tree: ${block.root}`];
    case "tool_result":
      return ["tool-result", block.name];
    case "document":
      return ["document", block.title];
    case "structured_data":
      return ["data", `${block.format} data`];
    case "diff":
      return ["diff", block.path];
    case "image":
      return ["image", block.alt];
    case "extension":
      return ["extension", `${block.namespace}/${block.typeName}`];
    case "embedding_ref":
      return ["block", `embedding: ${block.model}`];
    case "unknown":
      return ["block", `unknown 0x${hex(block.type, 2)}`];
  }
}

/** Minimal output: one header line a block and nothing around it. */
import type { CodeBlock, RenderedBlock } from "./block.ts";
import { hex } from "./header.ts";
import type { Placeholder } from "./placeholder.ts";
import { langTag, type Template } from "./template.ts";

/** The mode with the fewest bytes. */
export const MINIMAL: Template = { block, summary, placeholder, wrap };

function block(block: RenderedBlock, text: string): string {
  switch (block.kind) {
    case "code":
      return `--- ${block.path} [${langTag(block)}] ---\n${text}`;
    case "conversation":
      return `[${block.role}] ${text}`;
    case "file_tree":
      return `--- tree: ${block.root} ---\n${text}`;
    case "tool_result":
      return `--- ${block.name} [${block.status}] ---\n${text}`;
    case "document":
      return `--- ${block.title} ---\n${text}`;
    case "structured_data":
      return `--- data [${block.format}] ---\n${text}`;
    case "diff":
      return `--- diff: ${block.path} ---\n${text}`;
    case "embedding_ref":
      return `[embed-ref: ${block.model}]`;
    case "image":
      return `--- image [${block.media}]: ${block.alt} ---\n${text}`;
    case "extension":
      return `--- ext: ${block.namespace}/${block.typeName} ---\n${text}`;
    case "unknown":
      return `--- unknown 0x${hex(block.type, 2)} ---\n${text}`;
  }
}

function summary(block: CodeBlock, summary: string): string {
  return `--- ${block.path} [${langTag(block)}] (summary) ---\n${summary}`;
}

function placeholder({ label, description, tokens }: Placeholder): string {
  return `[omitted: ${label} ${description} ~${tokens}tok]`;
}

function wrap(joined: string): string {
  return joined;
}

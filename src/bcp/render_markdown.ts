/** Markdown output. Fences are always three backticks, whatever the content holds, as in the reference. */
import type { CodeBlock, RenderedBlock } from "./block.ts";
import { hex } from "./header.ts";
import type { Placeholder } from "./placeholder.ts";
import { langTag, type Template } from "./template.ts";

const FENCE = "```";

/** Headings and fences. */
export const MARKDOWN: Template = { block, summary, placeholder, wrap };

function block(block: RenderedBlock, text: string): string {
  switch (block.kind) {
    case "code":
      return `## ${block.path}\n\n${FENCE}${langTag(block)}\n${text}\n${FENCE}`;
    case "conversation":
      return `**${block.role[0]!.toUpperCase()}${block.role.slice(1)}**: ${text}`;
    case "file_tree":
      return `### File Tree: ${block.root}\n\n${FENCE}\n${text}${FENCE}`;
    case "tool_result":
      return `### Tool: ${block.name} (${block.status})\n\n${text}`;
    case "document":
      return `### Document: ${block.title} [${block.format}]\n\n${text}`;
    case "structured_data":
      return `${FENCE}${block.format}\n${text}\n${FENCE}`;
    case "diff":
      return `### Diff: ${block.path}\n\n${FENCE}diff\n${text}${FENCE}`;
    case "embedding_ref":
      return `*[Embedding ref: model=${block.model}]*`;
    case "image":
      return `### Image (${block.media}): ${block.alt}\n\n${text}`;
    case "extension":
      return `### Extension: ${block.namespace}/${block.typeName}\n\n${text}`;
    case "unknown":
      return `<!-- unknown block type 0x${hex(block.type, 2)} -->\n${text}`;
  }
}

function summary(block: CodeBlock, summary: string): string {
  return `## ${block.path} (summary)\n\n${summary}`;
}

function placeholder({ label, description, tokens }: Placeholder): string {
  return `_[Omitted: ${label} ${description}, ~${tokens} tokens]_`;
}

function wrap(joined: string): string {
  return joined;
}

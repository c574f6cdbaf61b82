/** XML-like output. Attributes are escaped; content never is, because models read it as it stands. */
import type { CodeBlock, RenderedBlock } from "./block.ts";
import { hex } from "./header.ts";
import type { Placeholder } from "./placeholder.ts";
import { langTag, type Template } from "./template.ts";

/** The default mode. */
export const XML: Template = { block, summary, placeholder, wrap };

function block(block: RenderedBlock, text: string): string {
  switch (block.kind) {
    case "code":
      return `<code lang="${langTag(block)}" path="${escape(block.path)}">\n${text}\n</code>`;
    case "conversation":
      return `<turn role="${block.role}">${text}</turn>`;
    case "file_tree":
      return `<tree root="${escape(block.root)}">\n${text}</tree>`;
    case "tool_result":
      return `<tool name="${escape(block.name)}" status="${block.status}">\n${text}\n</tool>`;
    case "document":
      return `<doc title="${escape(block.title)}" format="${block.format}">\n${text}\n</doc>`;
    case "structured_data":
      return `<data format="${block.format}">\n${text}\n</data>`;
    case "diff":
      return `<diff path="${escape(block.path)}">\n${text}</diff>`;
    case "embedding_ref":
      return `<embed-ref model="${escape(block.model)}" />`;
    case "image":
      return `<image type="${block.media}" alt="${escape(block.alt)}">\n${text}\n</image>`;
    case "extension": {
      const attributes = `ns="${escape(block.namespace)}" type="${escape(block.typeName)}"`;
      return `<ext ${attributes}>\n${text}\n</ext>`;
    }
    case "unknown":
      return `<!-- unknown block type 0x${hex(block.type, 2)} -->\n${text}`;
  }
}

function summary(block: CodeBlock, summary: string): string {
  const attributes = `lang="${langTag(block)}" path="${escape(block.path)}" summary="true"`;
  return `<code ${attributes}>\n${summary}\n</code>`;
}

function placeholder({ label, description, tokens }: Placeholder): string {
  return `<omitted type="${label}" desc="${description}" tokens="${tokens}" />`;
}

function wrap(joined: string): string {
  return `<context>\n${joined}\n</context>`;
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

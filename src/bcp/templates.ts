/** How each of the three renderers words a block, a summary, a placeholder and the whole. */

import type { CodeBlock, RenderedBlock } from "./block.ts";
import { hex } from "./frame.ts";
import { findLangName } from "./names.ts";

// What stands in for a block that a budget left out: a label, a description, and its token count.

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

/** One output mode. */
export interface Template {
  /** A block in full; `text` is its extracted text. */
  block(block: RenderedBlock, text: string): string;
  /** Code of which only the summary is shown. */
  summary(block: CodeBlock, summary: string): string;
  placeholder(placeholder: Placeholder): string;
  /** The finished output, from all pieces joined. */
  wrap(joined: string): string;
}

/** The language tag of code; anything without a name is `text`. */
export function langTag(block: CodeBlock): string {
  return findLangName(block.lang) ?? "text";
}

// Markdown output. Fences are always three backticks, whatever the content holds, as in the reference.

const FENCE = "```";

/** Headings and fences. */
export const MARKDOWN: Template = {
  block: markdownBlock,
  summary: markdownSummary,
  placeholder: markdownPlaceholder,
  wrap: (joined) => joined,
};

function markdownBlock(block: RenderedBlock, text: string): string {
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

function markdownSummary(block: CodeBlock, summary: string): string {
  return `## ${block.path} (summary)\n\n${summary}`;
}

function markdownPlaceholder({ label, description, tokens }: Placeholder): string {
  return `_[Omitted: ${label} ${description}, ~${tokens} tokens]_`;
}

// Minimal output: one header line a block and nothing around it.

/** The mode with the fewest bytes. */
export const MINIMAL: Template = {
  block: minimalBlock,
  summary: minimalSummary,
  placeholder: minimalPlaceholder,
  wrap: (joined) => joined,
};

function minimalBlock(block: RenderedBlock, text: string): string {
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

function minimalSummary(block: CodeBlock, summary: string): string {
  return `--- ${block.path} [${langTag(block)}] (summary) ---\n${summary}`;
}

function minimalPlaceholder({ label, description, tokens }: Placeholder): string {
  return `[omitted: ${label} ${description} ~${tokens}tok]`;
}

// XML-like output. Attributes are escaped; content never is, because models read it as it stands.

/** The default mode. */
export const XML: Template = {
  block: xmlBlock,
  summary: xmlSummary,
  placeholder: xmlPlaceholder,
  wrap: wrapXml,
};

function xmlBlock(block: RenderedBlock, text: string): string {
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

function xmlSummary(block: CodeBlock, summary: string): string {
  const attributes = `lang="${langTag(block)}" path="${escape(block.path)}" summary="true"`;
  return `<code ${attributes}>\n${summary}\n</code>`;
}

function xmlPlaceholder({ label, description, tokens }: Placeholder): string {
  return `<omitted type="${label}" desc="${description}" tokens="${tokens}" />`;
}

function wrapXml(joined: string): string {
  return `<context>\n${joined}\n</context>`;
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

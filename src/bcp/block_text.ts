/** What a block says: its text, its label in one line, and what it costs in tokens. */

import type { AnnotationBlock, Block, CodeBlock, DiffHunk, FileEntry } from "./block.ts";
import { findStrictText, quote, toLossyText, toUtf8 } from "./bytes.ts";
import { hex } from "./frame.ts";
import { findEnumName, findLangName, LANG_UNKNOWN, PRIORITY } from "./names.ts";

// Token estimates without a tokenizer: bytes divided by a constant, as the reference does it. Both
// count UTF-8 bytes, give 0 for nothing and at least 1 for anything.

const BYTES_PER_TOKEN = 4;
const BYTES_PER_CODE_TOKEN = 3;
/** Percent of non-blank lines that must be indented for text to count as code. */
const CODE_INDENT_PERCENT = 30;

/** Unicode White_Space beyond ASCII; `trim()` has U+FEFF too many and U+0085 too few. */
const WIDE_SPACE = /[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** A quarter of the bytes: what `stats` prints. */
export function estimateTokens(text: string): number {
  return divide(toUtf8(text).length, BYTES_PER_TOKEN);
}

/** A third of the bytes for indented text, else a quarter: what the budget engine counts. */
export function estimateCodeTokens(text: string): number {
  return divide(toUtf8(text).length, isCodeLike(text) ? BYTES_PER_CODE_TOKEN : BYTES_PER_TOKEN);
}

/** The estimate for bytes that are not text. */
export function estimateOpaqueTokens(byteLength: number): number {
  return divide(byteLength, BYTES_PER_TOKEN);
}

function divide(byteLength: number, divisor: number): number {
  return byteLength === 0 ? 0 : Math.max(1, Math.floor(byteLength / divisor));
}

function isCodeLike(text: string): boolean {
  let filled = 0;
  let indented = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (!isBlank(text, start, end)) {
      filled++;
      const first = text.charCodeAt(start);
      if (first === 0x20 || first === 0x09) indented++;
    }
    start = end + 1;
  }
  return filled > 0 && Math.floor(indented * 100 / filled) > CODE_INDENT_PERCENT;
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const isAsciiSpace = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
    if (!isAsciiSpace && (unit < 0x80 || !WIDE_SPACE.test(text[i]!))) return false;
  }
  return true;
}

// A file tree as indented lines: what renderers print and the budget engine counts.

const INDENT = "  ";

/** One line an entry. A directory's size and a file's children are not shown, as in the reference. */
export function toTreeText(entries: readonly FileEntry[]): string {
  const lines: string[] = [];
  appendEntries(lines, entries, "");
  return lines.join("");
}

function appendEntries(lines: string[], entries: readonly FileEntry[], indent: string): void {
  for (const entry of entries) {
    if (entry.kind === "file") {
      lines.push(`${indent}${entry.name} (${entry.size} bytes)\n`);
    } else {
      lines.push(`${indent}${entry.name}/\n`);
      appendEntries(lines, entry.children, indent + INDENT);
    }
  }
}

// The text a block stands for, before any renderer puts something around it.

/**
 * The text of a block, or undefined when content that must be UTF-8 is not. Diffs and unknown blocks
 * are read leniently; an embedding reference and an annotation have no text.
 */
export function findBlockText(block: Block): string | undefined {
  switch (block.kind) {
    case "file_tree":
      return toTreeText(block.entries);
    case "diff":
      return toLossyText(joinHunks(block.hunks));
    case "unknown":
      return toLossyText(block.content);
    case "embedding_ref":
    case "annotation":
      return "";
    default:
      return findStrictText(block.content);
  }
}

/** What a block costs in full, wrappers not counted. */
export function estimateBlockTokens(block: Block): number {
  switch (block.kind) {
    case "embedding_ref":
      return estimateCodeTokens(`embedding: ${block.model}`);
    case "unknown":
      return estimateOpaqueTokens(block.content.length);
    case "annotation":
      return 0;
    default: {
      const text = findBlockText(block);
      return text === undefined
        ? estimateOpaqueTokens(contentBytes(block).length)
        : estimateCodeTokens(text);
    }
  }
}

/** The content of a block as bytes: empty for kinds that have none of their own. */
export function contentBytes(block: Block): Uint8Array {
  if ("content" in block) return block.content;
  return block.kind === "annotation" ? block.value : new Uint8Array();
}

function joinHunks(hunks: readonly DiffHunk[]): Uint8Array {
  if (hunks.length === 1) return hunks[0]!.lines;
  const joined = new Uint8Array(hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0));
  let at = 0;
  for (const { lines } of hunks) {
    joined.set(lines, at);
    at += lines.length;
  }
  return joined;
}

// The one-line description of a block that `inspect` prints, and the size every view counts.

/** The reference counts every top-level tree entry as this many bytes. */
const TREE_ENTRY_BYTES = 8;
/** The reference counts an embedding reference as the size of a hash. */
const EMBEDDING_REF_BYTES = 32;

/** What `inspect` prints after the type name, with its leading space. */
export function toBlockDetail(block: Block): string {
  switch (block.kind) {
    case "code":
      return ` [${langLabel(block)}] path=${quote(block.path)}`;
    case "conversation":
      return ` [${block.role}]`;
    case "file_tree":
      return ` root=${quote(block.root)}`;
    case "tool_result":
      return ` [${block.name}] status=${block.status}`;
    case "document":
      return ` title=${quote(block.title)}`;
    case "structured_data":
      return ` format=${block.format}`;
    case "diff":
      return ` path=${quote(block.path)}`;
    case "annotation":
      return ` target=${block.target} kind=${block.annotation} value=${annotationValue(block)}`;
    case "embedding_ref":
      return " [embedding ref]";
    case "image":
      return ` [${block.media}] alt=${quote(block.alt)}`;
    case "extension":
      return ` namespace=${quote(block.namespace)} type=${quote(block.typeName)}`;
    case "unknown":
      return ` [0x${hex(block.type, 2)}]`;
  }
}

/** The size the views print: content bytes, or the reference's fixed stand-ins. */
export function blockSize(block: Block): number {
  switch (block.kind) {
    case "file_tree":
      return TREE_ENTRY_BYTES * block.entries.length;
    case "diff":
      return block.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    case "embedding_ref":
      return EMBEDDING_REF_BYTES;
    default:
      return contentBytes(block).length;
  }
}

/** Unlike renderers, views tell an unnamed language from none. */
function langLabel({ lang }: CodeBlock): string {
  return findLangName(lang) ?? (lang === LANG_UNKNOWN ? "unknown" : `other(${lang})`);
}

function annotationValue(block: AnnotationBlock): string {
  const priority = block.annotation === "priority"
    ? findEnumName(PRIORITY, block.value[0] ?? 0)
    : undefined;
  return quote(priority ?? toLossyText(block.value));
}

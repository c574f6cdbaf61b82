/** The one-line description of a block that `inspect` prints, and the size every view counts. */
import type { AnnotationBlock, Block, CodeBlock } from "./block.ts";
import { contentBytes } from "./block_text.ts";
import { hex } from "./header.ts";
import { findEnumName, findLangName, LANG_UNKNOWN, PRIORITY } from "./names.ts";
import { quote, toLossyText } from "./text.ts";

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

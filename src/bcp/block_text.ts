/** The text a block stands for, before any renderer puts something around it. */
import type { Block, DiffHunk } from "./block.ts";
import { findStrictText, toLossyText } from "./text.ts";
import { estimateCodeTokens, estimateOpaqueTokens } from "./tokens.ts";
import { toTreeText } from "./tree_text.ts";

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

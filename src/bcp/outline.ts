/** Blocks as plain data for programs: what each is, how large, how many tokens, how important. */
import type { Block } from "./block.ts";
import { blockSize } from "./block_label.ts";
import { estimateBlockTokens } from "./block_text.ts";
import { findPriorities } from "./budget.ts";
import { findLangName, type PriorityName } from "./names.ts";

/** One block without its content. */
export interface BlockOutline {
  readonly index: number;
  readonly type: Block["kind"];
  readonly language?: string;
  readonly path?: string;
  /** Name of a tool, title of a document, root of a tree: whatever identifies the block. */
  readonly title?: string;
  readonly summary?: string;
  readonly priority?: PriorityName;
  readonly bytes: number;
  readonly tokens: number;
}

/** An outline a block, annotations included, in payload order. */
export function outlineBlocks(blocks: readonly Block[]): readonly BlockOutline[] {
  const priorities = findPriorities(blocks);
  return blocks.map((block, index) => {
    const language = block.kind === "code" ? findLangName(block.lang) : undefined;
    const title = findTitle(block);
    const priority = priorities.get(index);
    return {
      index,
      type: block.kind,
      ...(language === undefined ? {} : { language }),
      ...("path" in block ? { path: block.path } : {}),
      ...(title === undefined ? {} : { title }),
      ...(block.summary === undefined ? {} : { summary: block.summary }),
      ...(priority === undefined ? {} : { priority }),
      bytes: blockSize(block),
      tokens: estimateBlockTokens(block),
    };
  });
}

function findTitle(block: Block): string | undefined {
  switch (block.kind) {
    case "conversation":
      return block.role;
    case "file_tree":
      return block.root;
    case "tool_result":
      return block.name;
    case "document":
      return block.title;
    case "structured_data":
      return block.format;
    case "embedding_ref":
      return block.model;
    case "image":
      return block.alt;
    case "extension":
      return `${block.namespace}/${block.typeName}`;
    default:
      return undefined;
  }
}

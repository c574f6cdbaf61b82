/** Block kinds, their wire types and the names the `bcp` program prints for them. */
import type { Block, BlockKind, KnownBlockKind } from "./block.ts";

/** Wire type of every block kind. */
export const BLOCK_TYPES: Readonly<Record<KnownBlockKind, number>> = {
  "code": 0x01,
  "conversation": 0x02,
  "file_tree": 0x03,
  "tool_result": 0x04,
  "document": 0x05,
  "structured_data": 0x06,
  "diff": 0x07,
  "annotation": 0x08,
  "embedding_ref": 0x09,
  "image": 0x0a,
  "extension": 0xfe,
};

/** The wire type a block is framed with. */
export function blockType(block: Block): number {
  return block.kind === "unknown" ? block.type : BLOCK_TYPES[block.kind];
}

/** The name `inspect` and `stats` print: `FILE_TREE`. */
export function blockTypeName(kind: BlockKind): string {
  return kind.toUpperCase();
}

/** The kind an include list names, in any case, with or without its underscore; or undefined. */
export function findBlockKind(name: string): KnownBlockKind | undefined {
  const wanted = name.toLowerCase();
  const kinds = Object.keys(BLOCK_TYPES) as KnownBlockKind[];
  return kinds.find((kind) => kind === wanted || kind.replace("_", "") === wanted);
}

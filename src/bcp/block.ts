/**
 * The blocks of a payload as values. Content stays bytes (views into the payload they came from);
 * names and paths are text. Every field the wire leaves optional is optional here, and no other.
 */

import type {
  AnnotationKindName,
  DataFormatName,
  FormatHintName,
  MediaTypeName,
  RoleName,
  StatusName,
} from "./names.ts";

interface Summarized {
  /** Short stand-in for the content; an empty one is still a summary. */
  readonly summary?: string;
}

/** Source text of one file, or of some of its lines. */
export interface CodeBlock extends Summarized {
  readonly kind: "code";
  /** Wire value, kept even when it names no known language; see `findLangName`. */
  readonly lang: number;
  readonly path: string;
  readonly content: Uint8Array;
  /** One-based and inclusive. */
  readonly lines?: { readonly start: number; readonly end: number };
}

/** One turn of a conversation. */
export interface ConversationBlock extends Summarized {
  readonly kind: "conversation";
  readonly role: RoleName;
  readonly content: Uint8Array;
  readonly toolCallId?: string;
}

/** A file or directory in a {@linkcode FileTreeBlock}. */
export interface FileEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
  /** Unsigned 64-bit on the wire. */
  readonly size: bigint;
  readonly children: readonly FileEntry[];
}

/** A directory listing. */
export interface FileTreeBlock extends Summarized {
  readonly kind: "file_tree";
  readonly root: string;
  readonly entries: readonly FileEntry[];
}

/** What a tool returned. */
export interface ToolResultBlock extends Summarized {
  readonly kind: "tool_result";
  readonly name: string;
  readonly status: StatusName;
  readonly content: Uint8Array;
  readonly schemaHint?: string;
}

/** Prose. */
export interface DocumentBlock extends Summarized {
  readonly kind: "document";
  readonly title: string;
  readonly content: Uint8Array;
  readonly format: FormatHintName;
}

/** JSON, YAML, TOML or CSV. */
export interface StructuredDataBlock extends Summarized {
  readonly kind: "structured_data";
  readonly format: DataFormatName;
  readonly schema?: string;
  readonly content: Uint8Array;
}

/** Lines of a unified diff, without their `@@` header. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: Uint8Array;
}

/** A change to one file. */
export interface DiffBlock extends Summarized {
  readonly kind: "diff";
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
}

/** Something said about another block; never rendered itself. */
export interface AnnotationBlock extends Summarized {
  readonly kind: "annotation";
  /** Index of that block in the payload, annotations counted. */
  readonly target: number;
  readonly annotation: AnnotationKindName;
  readonly value: Uint8Array;
}

/** A pointer into a vector store. */
export interface EmbeddingRefBlock extends Summarized {
  readonly kind: "embedding_ref";
  readonly vectorId: Uint8Array;
  readonly sourceHash: Uint8Array;
  readonly model: string;
}

/** A picture, or its address as text. */
export interface ImageBlock extends Summarized {
  readonly kind: "image";
  readonly media: MediaTypeName;
  readonly alt: string;
  readonly content: Uint8Array;
}

/** A block type of somebody's own. */
export interface ExtensionBlock extends Summarized {
  readonly kind: "extension";
  readonly namespace: string;
  readonly typeName: string;
  readonly content: Uint8Array;
}

/** A block type this version does not know, kept as it is. */
export interface UnknownBlock extends Summarized {
  readonly kind: "unknown";
  readonly type: number;
  readonly content: Uint8Array;
}

/** Any block. */
export type Block =
  | CodeBlock
  | ConversationBlock
  | FileTreeBlock
  | ToolResultBlock
  | DocumentBlock
  | StructuredDataBlock
  | DiffBlock
  | AnnotationBlock
  | EmbeddingRefBlock
  | ImageBlock
  | ExtensionBlock
  | UnknownBlock;

/** Discriminant of {@linkcode Block}. */
export type BlockKind = Block["kind"];
/** The kinds that have a wire type of their own. */
export type KnownBlockKind = Exclude<BlockKind, "unknown">;
/** A block that can appear in rendered text. */
export type RenderedBlock = Exclude<Block, { kind: "annotation" }>;

// Block kinds, their wire types and the names the `bcp` program prints for them.

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

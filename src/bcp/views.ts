/** Views of a payload beside its text: inspect, stats, validate, and its blocks as plain values. */

import { type Block, blockTypeName } from "./block.ts";
import {
  blockSize,
  contentBytes,
  estimateBlockTokens,
  estimateTokens,
  toBlockDetail,
} from "./block_text.ts";
import { findPriorities } from "./budget.ts";
import { findTextStart, quote } from "./bytes.ts";
import { type DecodeOptions, decodePayload, type Payload } from "./decode.ts";
import { BcpSyntaxError } from "./error.ts";
import { formatHeader, PAYLOAD_COMPRESSED } from "./frame.ts";
import { findLangName, type PriorityName } from "./names.ts";
import { RENDER_MODES, renderBlocks, type RenderMode } from "./render.ts";

// The `inspect` view: a header line, some lines a block, and where the END frame is.

const PREVIEW_POINTS = 80;
const HEX_ROW_BYTES = 16;
const HEX_ROW_WIDTH = 3 * HEX_ROW_BYTES;
const DETAIL_INDENT = " ".repeat(9);
const HEX_INDENT = " ".repeat(11);
const END_FRAME_BYTES = 4;

/** Options of {@linkcode toInspection}. */
export interface InspectOptions {
  /** Size of the file, for the END line. */
  readonly fileBytes: number;
  readonly showBody?: boolean;
  readonly showHex?: boolean;
  /** Only the block at this index; one that does not exist shows none. */
  readonly block?: number;
}

/** The text of `bcp inspect`. */
export function toInspection(payload: Payload, options: InspectOptions): string {
  const { header, blocks } = payload;
  const lines = [`Header: ${formatHeader(header)}, ${countBlocks(blocks.length)}`];
  for (const [index, block] of blocks.entries()) {
    if (options.block === undefined || options.block === index) {
      lines.push(...blockLines(block, index, options));
    }
  }
  // The reference prints this place for compressed payloads too, where it means nothing.
  const endAt = Math.max(0, options.fileBytes - END_FRAME_BYTES);
  lines.push("---", `END sentinel at offset ${endAt}`);
  return lines.join("\n") + "\n";
}

/** `1 block`, `2 blocks`. */
export function countBlocks(count: number): string {
  return `${count} block${count === 1 ? "" : "s"}`;
}

function blockLines(block: Block, index: number, options: InspectOptions): readonly string[] {
  const size = `(${blockSize(block)} bytes)`;
  const lines = [`Block ${index}: ${blockTypeName(block.kind)}${toBlockDetail(block)} ${size}`];
  if (block.summary !== undefined) lines.push(`${DETAIL_INDENT}Summary: ${quote(block.summary)}`);
  if (options.showBody === true) {
    const { text, isCut } = findTextStart(contentBytes(block), PREVIEW_POINTS);
    lines.push(`${DETAIL_INDENT}Body:    ${text}${isCut ? "…" : ""}`);
  }
  if (options.showHex === true) {
    lines.push(`${DETAIL_INDENT}Hex dump:`, ...hexRows(contentBytes(block)));
  }
  return lines;
}

function* hexRows(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length; at += HEX_ROW_BYTES) {
    const row = [...bytes.subarray(at, at + HEX_ROW_BYTES)];
    const offset = at.toString(16).padStart(4, "0");
    const pairs = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const ascii = row.map((byte) => byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".");
    yield `${HEX_INDENT}${offset}  ${pairs.padEnd(HEX_ROW_WIDTH)}  ${ascii.join("")}`;
  }
}

// The `stats` view: counts and bytes a block type, and what each mode would cost in tokens.

const RULE = "─".repeat(36);

/** One row of the table. */
export interface TypeCount {
  readonly type: string;
  readonly count: number;
  readonly bytes: number;
}

/** The numbers behind `bcp stats`. */
export interface PayloadStats {
  /** In the order the types first appear. */
  readonly types: readonly TypeCount[];
  readonly total: { readonly count: number; readonly bytes: number };
  /** Estimate a mode; 0 where rendering fails. */
  readonly tokens: Readonly<Record<RenderMode, number>>;
}

/** Counts a payload's blocks. */
export function measurePayload(blocks: readonly Block[]): PayloadStats {
  const rows = new Map<string, { count: number; bytes: number }>();
  const total = { count: 0, bytes: 0 };
  for (const block of blocks) {
    const type = blockTypeName(block.kind);
    const row = rows.get(type) ?? { count: 0, bytes: 0 };
    rows.set(type, row);
    const size = blockSize(block);
    row.count++;
    row.bytes += size;
    total.count++;
    total.bytes += size;
  }
  const tokens = { xml: 0, markdown: 0, minimal: 0 };
  for (const mode of RENDER_MODES) {
    const outcome = renderBlocks(blocks, { mode, verbosity: "full" });
    if (outcome.kind === "rendered") tokens[mode] = estimateTokens(outcome.text);
  }
  const types = [...rows].map(([type, row]) => ({ type, ...row }));
  return { types, total, tokens };
}

/** The text of `bcp stats`. */
export function toStatsText(
  payload: Payload,
  file: { readonly path: string; readonly bytes: number },
): string {
  const { header, blocks } = payload;
  const { types, total, tokens } = measurePayload(blocks);
  const isCompressed = (header.flags & PAYLOAD_COMPRESSED) !== 0;
  const lines = [
    `File:    ${file.path}  (${file.bytes} bytes)`,
    `Header:  ${formatHeader(header)} (${
      isCompressed ? "payload zstd-compressed" : "uncompressed"
    })`,
    `Blocks:  ${blocks.length} total`,
    "",
    tableRow("Type", "Count", "Bytes"),
    RULE,
    ...types.map(({ type, count, bytes }) => tableRow(type, count, bytes)),
    RULE,
    tableRow("Total", total.count, total.bytes),
    "",
    "Tokens (heuristic estimate):",
    ...RENDER_MODES.map((mode) => `  ${`${mode} mode`.padEnd(13)} ~${tokens[mode]} tokens`),
    "",
  ];
  return lines.join("\n");
}

function tableRow(type: string, count: number | string, bytes: number | string): string {
  return type.padEnd(20) + String(count).padStart(6) + String(bytes).padStart(8);
}

// The `validate` view: four ticks, or the first thing that is wrong.

/** Whether a payload is sound, and the text of `bcp validate` that says so. */
export type Validation =
  | { readonly kind: "valid"; readonly text: string; readonly blocks: number }
  | { readonly kind: "invalid"; readonly text: string; readonly error: BcpSyntaxError };

/** Decodes the whole payload and reports how that went. */
export async function validatePayload(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<Validation> {
  try {
    const { header, blocks } = await decodePayload(bytes, options);
    const text = [
      `✓ Header: valid (BCP v${header.major}.${header.minor})`,
      `✓ Blocks: ${countBlocks(blocks.length)} parsed successfully`,
      "✓ Sentinel: END block present",
      "✓ Integrity: all block bodies parse without error",
      "",
    ].join("\n");
    return { kind: "valid", text, blocks: blocks.length };
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    return { kind: "invalid", text: `✗ Error: ${error.validation}\n`, error };
  }
}

// Blocks as plain data for programs: what each is, how large, how many tokens, how important.

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

/** The `inspect` view: a header line, some lines a block, and where the END frame is. */
import type { Block } from "./block.ts";
import { blockSize, toBlockDetail } from "./block_label.ts";
import { contentBytes } from "./block_text.ts";
import { blockTypeName } from "./block_type.ts";
import type { Payload } from "./decode.ts";
import { formatHeader } from "./header.ts";
import { findTextStart, quote } from "./text.ts";

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

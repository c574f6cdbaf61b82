/** The `stats` view: counts and bytes a block type, and what each mode would cost in tokens. */
import type { Block } from "./block.ts";
import { blockSize } from "./block_label.ts";
import { blockTypeName } from "./block_type.ts";
import type { Payload } from "./decode.ts";
import { formatHeader, PAYLOAD_COMPRESSED } from "./header.ts";
import { RENDER_MODES, renderBlocks, type RenderMode } from "./render.ts";
import { estimateTokens } from "./tokens.ts";

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

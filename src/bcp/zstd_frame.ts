/**
 * Where zstd frames begin and end (RFC 8878, section 3.1). `node:zlib` stops silently after the first
 * frame, at junk and at truncation; walking the frames first is what makes those errors.
 */

const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_MASK = 0xfffffff0;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const RLE_BLOCK = 1;
const COMPRESSED_BLOCK = 2;
const RESERVED_BLOCK = 3;
const MAX_BLOCK_BYTES = 128 * 1024;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;

/** One step of the walk. */
export type ZstdStep =
  | {
    readonly kind: "frame";
    readonly end: number;
    /** What the frame inflates to at least: what it says it does, or what its plain blocks hold. */
    readonly minBytes: number;
    /** What it inflates to at most, were every compressed block as large as blocks get. */
    readonly maxBytes: number;
  }
  | { readonly kind: "skippable"; readonly end: number }
  | { readonly kind: "incomplete" | "unknown" | "corrupt" };

/** Looks at the frame that begins at `start`; nothing is inflated. */
export function findZstdFrame(bytes: Uint8Array, start: number): ZstdStep {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (start + 4 > bytes.length) return { kind: "incomplete" };
  const magic = view.getUint32(start, true);
  if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
    if (start + 8 > bytes.length) return { kind: "incomplete" };
    const end = start + 8 + view.getUint32(start + 4, true);
    return end > bytes.length ? { kind: "incomplete" } : { kind: "skippable", end };
  }
  if (magic !== ZSTD_MAGIC) return { kind: "unknown" };
  if (start + 5 > bytes.length) return { kind: "incomplete" };
  const descriptor = bytes[start + 4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeCode = descriptor >> 6;
  const sizeBytes = sizeCode === 0 && isSingleSegment ? 1 : CONTENT_SIZE_BYTES[sizeCode]!;
  const sizeAt = start + 5 + (isSingleSegment ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 3]!;
  const blocksAt = sizeAt + sizeBytes;
  if (blocksAt > bytes.length) return { kind: "incomplete" };
  const checksumBytes = (descriptor & 0x04) === 0 ? 0 : CHECKSUM_BYTES;
  const blocks = findBlocksEnd(bytes, blocksAt);
  if (blocks.kind !== "end") return blocks;
  const end = blocks.end + checksumBytes;
  if (end > bytes.length) return { kind: "incomplete" };
  const declared = sizeBytes === 0 ? 0 : readContentSize(view, sizeAt, sizeBytes);
  const minBytes = Math.max(blocks.minBytes, declared);
  return { kind: "frame", end, minBytes, maxBytes: blocks.maxBytes };
}

type BlocksEnd =
  | {
    readonly kind: "end";
    readonly end: number;
    readonly minBytes: number;
    readonly maxBytes: number;
  }
  | { readonly kind: "incomplete" | "corrupt" };

function findBlocksEnd(bytes: Uint8Array, start: number): BlocksEnd {
  let minBytes = 0;
  let maxBytes = 0;
  for (let at = start;;) {
    if (at + BLOCK_HEADER_BYTES > bytes.length) return { kind: "incomplete" };
    const header = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === RESERVED_BLOCK) return { kind: "corrupt" };
    if (type !== COMPRESSED_BLOCK) minBytes += size;
    maxBytes += type === COMPRESSED_BLOCK ? MAX_BLOCK_BYTES : size;
    at += BLOCK_HEADER_BYTES + (type === RLE_BLOCK ? 1 : size);
    if (at > bytes.length) return { kind: "incomplete" };
    if ((header & 1) !== 0) return { kind: "end", end: at, minBytes, maxBytes };
  }
}

/** Rounded above 2^53, which is beyond every limit anyway. */
function readContentSize(view: DataView, at: number, sizeBytes: number): number {
  switch (sizeBytes) {
    case 1:
      return view.getUint8(at);
    case 2:
      // Two-byte sizes start where one-byte sizes end.
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

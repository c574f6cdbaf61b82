/**
 * Blocks → bytes, identical to the reference encoder's. Per block: body, size limit, content address,
 * compression, frame; then END; then, if asked, compression of everything after the header.
 */

import { type AnnotationBlock, type Block, blockType, type KnownBlockKind } from "./block.ts";
import { contentBytes } from "./block_text.ts";
import { ByteWriter, varintLength } from "./bytes.ts";
import { BcpEncodeError } from "./error.ts";
import { bytesFieldSize, encodeFileEntries, FieldWriter } from "./fields.ts";
import {
  COMPRESSED,
  encodeFrame,
  encodeHeader,
  END_TYPE,
  HAS_SUMMARY,
  HEADER_BYTES,
  IS_REFERENCE,
  PAYLOAD_COMPRESSED,
} from "./frame.ts";
import {
  ANNOTATION_KIND,
  DATA_FORMAT,
  enumValue,
  FORMAT_HINT,
  MEDIA_TYPE,
  PRIORITY,
  type PriorityName,
  ROLE,
  STATUS,
} from "./names.ts";
import { type ContentStore, hashBody } from "./store.ts";
import { compress, MAX_BODY_BYTES } from "./zstd.ts";

/** Shorter bodies are never compressed on their own. */
const MIN_COMPRESSED_BYTES = 256;
/** What the fields of a block other than its content usually take at most. */
const FIELD_ROOM_BYTES = 128;

/** Options of {@linkcode encodePayload}; a set holds the indices of the blocks meant. */
export interface EncodeOptions {
  /** zstd for all bodies, or for some; `compressPayload` overrides it. */
  readonly compressBlocks?: boolean | ReadonlySet<number>;
  /** One zstd stream after the header. */
  readonly compressPayload?: boolean;
  /** Where addressed bodies are put. */
  readonly store?: ContentStore;
  /** `true`: a body the store already has becomes a reference. A set: these always do. */
  readonly dedup?: boolean | ReadonlySet<number>;
}

/**
 * Encodes blocks as one payload.
 *
 * @throws {BcpEncodeError} without blocks, with a body over 16 MiB, or with dedup but no store.
 */
export function encodePayload(blocks: readonly Block[], options: EncodeOptions = {}): Uint8Array {
  if (blocks.length === 0) throw new BcpEncodeError("no blocks have been added to the encoder");
  const payload = new ByteWriter(estimateBytes(blocks));
  payload.raw(encodeHeader(0));
  const scratch = new ByteWriter();
  for (const [index, block] of blocks.entries()) {
    scratch.clear();
    encodeBody(scratch, block);
    const summaryFlag = block.summary === undefined ? 0 : HAS_SUMMARY;
    const { flags, body } = packBody(scratch.view(), index, options);
    encodeFrame(payload, { type: blockType(block), flags: flags | summaryFlag, body });
  }
  encodeFrame(payload, { type: END_TYPE, flags: 0, body: new Uint8Array() });
  return options.compressPayload === true ? compressPayload(payload.view()) : payload.take();
}

/** The annotation that gives the block at `target` a priority; it belongs right after that block. */
export function toPriorityAnnotation(target: number, priority: PriorityName): AnnotationBlock {
  const value = Uint8Array.of(enumValue(PRIORITY, priority));
  return { kind: "annotation", target, annotation: "priority", value };
}

/** Room for all contents and some fields around each, so that the writer seldom has to grow. */
function estimateBytes(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, block) => sum + contentBytes(block).length + FIELD_ROOM_BYTES,
    HEADER_BYTES,
  );
}

interface PackedBody {
  readonly flags: number;
  readonly body: Uint8Array;
}

function packBody(body: Uint8Array, index: number, options: EncodeOptions): PackedBody {
  if (body.length > MAX_BODY_BYTES) {
    const size = `${body.length} bytes, limit ${MAX_BODY_BYTES}`;
    throw new BcpEncodeError(`block body exceeds maximum size (${size})`);
  }
  const hash = findReference(body, index, options);
  if (hash !== undefined) return { flags: IS_REFERENCE, body: hash };
  const isWanted = options.compressPayload !== true && includes(options.compressBlocks, index);
  if (isWanted && body.length >= MIN_COMPRESSED_BYTES) {
    const compressed = compress(body);
    if (compressed.length < body.length) return { flags: COMPRESSED, body: compressed };
  }
  return { flags: 0, body };
}

/** The hash that replaces a body, or undefined if it is written inline. */
function findReference(
  body: Uint8Array,
  index: number,
  options: EncodeOptions,
): Uint8Array | undefined {
  const { dedup, store } = options;
  if (!includes(dedup, index)) return undefined;
  if (store === undefined) {
    const fix = "call set_content_store first";
    throw new BcpEncodeError(`content addressing requires a content store (${fix})`);
  }
  const hash = hashBody(body);
  const isKnown = store.find(hash) !== undefined;
  if (!isKnown) store.add(body.slice());
  return isKnown || dedup !== true ? hash : undefined;
}

function includes(choice: boolean | ReadonlySet<number> | undefined, index: number): boolean {
  return typeof choice === "object" ? choice.has(index) : choice === true;
}

/** Compresses if that makes it smaller; otherwise the payload stays plain, as in the reference. */
function compressPayload(plain: Uint8Array): Uint8Array {
  const frames = plain.subarray(HEADER_BYTES);
  const compressed = compress(frames);
  if (compressed.length >= frames.length) return plain.slice();
  const payload = new Uint8Array(HEADER_BYTES + compressed.length);
  payload.set(encodeHeader(PAYLOAD_COMPRESSED));
  payload.set(compressed, HEADER_BYTES);
  return payload;
}

// Block → fields, in the reference's order; required fields are written even when empty.

/** Appends the summary prefix, if there is one, and the fields of `block`. */
export function encodeBody(writer: ByteWriter, block: Block): void {
  if (block.summary !== undefined) writer.prefixedText(block.summary);
  if (block.kind === "unknown") writer.raw(block.content);
  else encodeFields(new FieldWriter(writer), block);
}

function encodeFields(fields: FieldWriter, block: Extract<Block, { kind: KnownBlockKind }>): void {
  switch (block.kind) {
    case "code":
      fields.varint(1, block.lang);
      fields.text(2, block.path);
      fields.bytes(3, block.content);
      if (block.lines !== undefined) {
        fields.varint(4, block.lines.start);
        fields.varint(5, block.lines.end);
      }
      return;
    case "conversation":
      fields.varint(1, enumValue(ROLE, block.role));
      fields.bytes(2, block.content);
      if (block.toolCallId !== undefined) fields.text(3, block.toolCallId);
      return;
    case "file_tree":
      fields.text(1, block.root);
      encodeFileEntries(fields, 2, block.entries);
      return;
    case "tool_result":
      fields.text(1, block.name);
      fields.varint(2, enumValue(STATUS, block.status));
      fields.bytes(3, block.content);
      if (block.schemaHint !== undefined) fields.text(4, block.schemaHint);
      return;
    case "document":
      fields.text(1, block.title);
      fields.bytes(2, block.content);
      fields.varint(3, enumValue(FORMAT_HINT, block.format));
      return;
    case "structured_data":
      fields.varint(1, enumValue(DATA_FORMAT, block.format));
      if (block.schema !== undefined) fields.text(2, block.schema);
      fields.bytes(3, block.content);
      return;
    case "diff":
      fields.text(1, block.path);
      for (const hunk of block.hunks) {
        const starts = 4 + varintLength(hunk.oldStart) + varintLength(hunk.newStart);
        fields.nested(2, starts + bytesFieldSize(hunk.lines.length));
        fields.varint(1, hunk.oldStart);
        fields.varint(2, hunk.newStart);
        fields.bytes(3, hunk.lines);
      }
      return;
    case "annotation":
      fields.varint(1, block.target);
      fields.varint(2, enumValue(ANNOTATION_KIND, block.annotation));
      fields.bytes(3, block.value);
      return;
    case "embedding_ref":
      fields.bytes(1, block.vectorId);
      fields.bytes(2, block.sourceHash);
      fields.text(3, block.model);
      return;
    case "image":
      fields.varint(1, enumValue(MEDIA_TYPE, block.media));
      fields.text(2, block.alt);
      fields.bytes(3, block.content);
      return;
    case "extension":
      fields.text(1, block.namespace);
      fields.text(2, block.typeName);
      fields.bytes(3, block.content);
      return;
  }
}

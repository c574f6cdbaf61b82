/**
 * Blocks → bytes, identical to the reference encoder's. Per block: body, size limit, content address,
 * compression, frame; then END; then, if asked, compression of everything after the header.
 */
import type { AnnotationBlock, Block } from "./block.ts";
import { contentBytes } from "./block_text.ts";
import { blockType } from "./block_type.ts";
import { encodeBody } from "./encode_body.ts";
import { BcpEncodeError } from "./error.ts";
import { COMPRESSED, encodeFrame, END_TYPE, HAS_SUMMARY, IS_REFERENCE } from "./frame.ts";
import { encodeHeader, HEADER_BYTES, PAYLOAD_COMPRESSED } from "./header.ts";
import { enumValue, PRIORITY, type PriorityName } from "./names.ts";
import { type ContentStore, hashBody } from "./store.ts";
import { ByteWriter } from "./writer.ts";
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

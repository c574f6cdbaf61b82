/**
 * Bytes → blocks. Per frame, in this order: reference, inflation, summary, fields; each block is
 * finished before the next frame is looked at, so the first problem in the payload is the one reported.
 */
import type { Block } from "./block.ts";
import { decodeBody } from "./decode_body.ts";
import { BcpSyntaxError, truncated } from "./error.ts";
import { RecordCount } from "./fields.ts";
import {
  COMPRESSED,
  decodeFrame,
  decodeHeader,
  type Frame,
  HAS_SUMMARY,
  type Header,
  HEADER_BYTES,
  IS_REFERENCE,
  PAYLOAD_COMPRESSED,
} from "./frame.ts";
import { type ContentStore, HASH_BYTES } from "./store.ts";
import { ByteReader, toLossyText } from "./bytes.ts";
import { BodyInflater, inflatePayload } from "./zstd.ts";

/** How a payload was packed: given back to `encodePayload`, with the store, it packs it so again. */
export interface Packing {
  readonly compressPayload: boolean;
  /** Indices of the blocks whose bodies are zstd. */
  readonly compressBlocks: ReadonlySet<number>;
  /** Indices of the blocks that are references. */
  readonly dedup: ReadonlySet<number>;
}

/** A decoded payload. Block contents are views into the bytes it came from. */
export interface Payload {
  readonly header: Header;
  readonly blocks: readonly Block[];
  readonly packing: Packing;
}

/** Options of {@linkcode decodePayload}. */
export interface DecodeOptions {
  /** Where references are looked up; without one they are an error. */
  readonly store?: ContentStore;
}

/**
 * Decodes a whole payload.
 *
 * @throws {BcpSyntaxError} when it is not one; nothing else is ever thrown for bad bytes.
 */
export async function decodePayload(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<Payload> {
  const header = decodeHeader(bytes);
  const compressPayload = (header.flags & PAYLOAD_COMPRESSED) !== 0;
  const start = compressPayload ? 0 : HEADER_BYTES;
  const frames = compressPayload
    ? await inflatePayload(bytes.subarray(HEADER_BYTES)).catch(placeAt(HEADER_BYTES))
    : bytes;
  const { blocks, compressBlocks, dedup } = await decodeFrames(frames, start, options);
  return { header, blocks, packing: { compressPayload, compressBlocks, dedup } };
}

type DecodedFrames = Pick<Payload, "blocks"> & Pick<Packing, "compressBlocks" | "dedup">;

async function decodeFrames(
  bytes: Uint8Array,
  start: number,
  options: DecodeOptions,
): Promise<DecodedFrames> {
  const blocks: Block[] = [];
  const compressBlocks = new Set<number>();
  const dedup = new Set<number>();
  const records = new RecordCount();
  const inflater = new BodyInflater();
  let isCounted = false;
  let at = start;
  while (at < bytes.length) {
    const frame = decodeFrame(bytes, at);
    if (frame.kind === "end") {
      checkNothingFollows(bytes, frame.bodyEnd);
      return { blocks, compressBlocks, dedup };
    }
    records.add(at);
    if ((frame.flags & COMPRESSED) !== 0) compressBlocks.add(blocks.length);
    if ((frame.flags & IS_REFERENCE) !== 0) dedup.add(blocks.length);
    if ((frame.flags & (IS_REFERENCE | COMPRESSED)) === 0) {
      const body = new ByteReader(bytes, frame.bodyStart, frame.bodyEnd);
      blocks.push(decodeBlock(frame, body, records));
    } else {
      try {
        const body = new ByteReader(await openBody(bytes, frame, { ...options, inflater }));
        blocks.push(decodeBlock(frame, body, records));
      } catch (error) {
        placeAt(at)(error);
      }
    }
    at = frame.bodyEnd;
    if (inflater.isLarge && !isCounted) {
      await inflater.count(compressedBodies(bytes, at)).catch(placeAt(at));
      isCounted = true;
    }
  }
  throw new BcpSyntaxError("payload does not end with END sentinel", {
    code: "no_end",
    offset: bytes.length,
    validation: "missing END sentinel",
  });
}

/** The zstd bodies of the frames from `start` on. */
function* compressedBodies(bytes: Uint8Array, start: number): Generator<Uint8Array> {
  for (let at = start; at < bytes.length;) {
    const frame = decodeFrame(bytes, at);
    if (frame.kind === "end") return;
    const isInline = (frame.flags & IS_REFERENCE) === 0;
    if (isInline && (frame.flags & COMPRESSED) !== 0) {
      yield bytes.subarray(frame.bodyStart, frame.bodyEnd);
    }
    at = frame.bodyEnd;
  }
}

/** The body a frame stands for, when that is not the frame's own bytes. */
async function openBody(
  bytes: Uint8Array,
  frame: Frame,
  options: DecodeOptions & { readonly inflater: BodyInflater },
): Promise<Uint8Array> {
  let body = bytes.subarray(frame.bodyStart, frame.bodyEnd);
  if ((frame.flags & IS_REFERENCE) !== 0) body = resolveReference(body, options.store);
  return (frame.flags & COMPRESSED) === 0 ? body : await options.inflater.inflate(body);
}

function resolveReference(hash: Uint8Array, store: ContentStore | undefined): Uint8Array {
  if (store === undefined) {
    throw new BcpSyntaxError("block has IS_REFERENCE flag but no content store was provided", {
      code: "no_store",
      offset: 0,
      validation: "content-addressed reference block found but no content store available",
    });
  }
  if (hash.length !== HASH_BYTES) throw truncated(hash.length, 0);
  const body = store.find(hash);
  if (body !== undefined) return body;
  throw new BcpSyntaxError("unresolved reference: BLAKE3 hash not found in content store", {
    code: "unresolved",
    offset: 0,
    validation: `unresolved BLAKE3 reference ${hash.subarray(0, 8).toHex()}…`,
  });
}

function decodeBlock(frame: Frame, body: ByteReader, records: RecordCount): Block {
  if ((frame.flags & HAS_SUMMARY) === 0) return decodeBody(frame.type, body, records);
  const lengthAt = body.position;
  const length = body.varint();
  if (length > body.remaining) throw truncated(body.position - lengthAt, body.position);
  const textEnd = body.position + Number(length);
  const summary = toLossyText(body.bytes.subarray(body.position, textEnd));
  body.position = textEnd;
  return { ...decodeBody(frame.type, body, records), summary };
}

function checkNothingFollows(bytes: Uint8Array, end: number): void {
  const extra = bytes.length - end;
  if (extra === 0) return;
  throw new BcpSyntaxError(`unexpected data after END sentinel (${extra} bytes)`, {
    code: "trailing",
    offset: end,
    validation: `trailing data after END (${extra} unexpected bytes)`,
  });
}

/** Rethrows with the offset of the frame, for bodies whose bytes are not in the payload. */
function placeAt(offset: number): (error: unknown) => never {
  return (error) => {
    throw error instanceof BcpSyntaxError ? error.at(offset) : error;
  };
}

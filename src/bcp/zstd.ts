/**
 * zstd for bodies and payloads, with limits that hold *while* inflating. A body has room in memory up
 * to its limit; a payload's limit is larger than what a refusal may cost, so a payload that may be
 * large is first inflated into nothing, to count it. Streams are used even for small bodies: the synchronous calls of
 * `node:zlib` do not free the native decoder when the data is corrupt.
 */
import { constants, createZstdDecompress, zstdCompressSync } from "node:zlib";
import { BcpSyntaxError } from "./error.ts";
import { findZstdFrame } from "./zstd_frame.ts";

/** Most a compressed block body may inflate to. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Most a compressed payload may inflate to. */
export const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024;

/** A payload that cannot exceed this is inflated at once; any other is counted first. */
const DIRECT_BYTES = 32 * 1024 * 1024;
const MIN_CHUNK_BYTES = 4 * 1024;

/** How a frame is inflated: by chunks of up to this size, with windows up to 2^windowLog. */
interface InflationOptions {
  readonly maxChunkBytes: number;
  readonly windowLog: number;
}

/** As fast as it gets, with every window the reference accepts. */
const KEEPING: InflationOptions = { maxChunkBytes: 64 * 1024, windowLog: 27 };
/** Little garbage and a small window; the reference encoder's is 2^21. */
const COUNTING: InflationOptions = { maxChunkBytes: 16 * 1024, windowLog: 24 };

/** Compresses as the reference does: level 3, no content size, no checksum. */
export function compress(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = zstdCompressSync(bytes);
  // Not the `Buffer` itself: that differs from a `Uint8Array` in `slice` and in equality.
  return new Uint8Array(buffer, byteOffset, length);
}

/**
 * Inflates the block bodies of one payload, which together must stay within the payload's limit.
 * Once `isLarge`, the bodies still to come must be counted before any of them is kept, so that a
 * thousand small bombs cost no more than one.
 */
export class BodyInflater {
  #total = 0;

  /** Whether enough was inflated that the rest has to be counted first. */
  get isLarge(): boolean {
    return this.#total >= MAX_BODY_BYTES;
  }

  /**
   * Inflates one body.
   *
   * @throws {BcpSyntaxError} when it is not whole, sound zstd or too large; its offset is 0.
   */
  async inflate(bytes: Uint8Array): Promise<Uint8Array> {
    const stream = findFrames(bytes, MAX_BODY_BYTES);
    const body = await inflateFrames(stream, MAX_BODY_BYTES, MAX_BODY_BYTES);
    this.#total = checkTotal(this.#total + body.length);
    return body;
  }

  /**
   * Counts what further bodies would inflate to, keeping nothing.
   *
   * @throws {BcpSyntaxError} when all bodies together are too large, or one is not sound zstd.
   */
  async count(bodies: Iterable<Uint8Array>): Promise<void> {
    let total = this.#total;
    for (const body of bodies) {
      total = checkTotal(
        total + await countFrames(findFrames(body, MAX_BODY_BYTES), MAX_BODY_BYTES),
      );
    }
  }
}

function checkTotal(total: number): number {
  if (total > MAX_PAYLOAD_BYTES) throw tooLarge(total, MAX_PAYLOAD_BYTES);
  return total;
}

/**
 * Inflates what follows the header of a compressed payload. Refusing costs little memory whatever the
 * payload would inflate to.
 *
 * @throws {BcpSyntaxError} when it is not whole, sound zstd or exceeds `limit`; its offset is 0.
 */
export async function inflatePayload(
  bytes: Uint8Array,
  limit = MAX_PAYLOAD_BYTES,
): Promise<Uint8Array> {
  const stream = findFrames(bytes, limit);
  const room = stream.maxBytes > DIRECT_BYTES ? await countFrames(stream, limit) : limit;
  return await inflateFrames(stream, room, limit);
}

/** A zstd stream that consists of whole frames only. */
interface ZstdStream {
  readonly frames: readonly Uint8Array[];
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** Finds the frames; a stream that is certain to exceed the limit is refused without inflating it. */
function findFrames(bytes: Uint8Array, limit: number): ZstdStream {
  const frames: Uint8Array[] = [];
  let minBytes = 0;
  let maxBytes = 0;
  let at = 0;
  do {
    const step = findZstdFrame(bytes, at);
    switch (step.kind) {
      case "incomplete":
        throw zstdError("incomplete frame");
      case "unknown":
        throw zstdError("Unknown frame descriptor");
      case "corrupt":
        throw zstdError("Data corruption detected");
      case "frame":
        minBytes += step.minBytes;
        maxBytes += step.maxBytes;
        if (minBytes > limit) throw tooLarge(minBytes, limit);
        frames.push(bytes.subarray(at, step.end));
    }
    at = step.end;
  } while (at < bytes.length);
  return { frames, minBytes, maxBytes };
}

/** Inflates all frames into at most `room` bytes; `limit` is what an error names. */
async function inflateFrames(
  { frames }: ZstdStream,
  room: number,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (const frame of frames) {
    for await (const chunk of inflateFrame(frame, KEEPING)) {
      total += chunk.length;
      if (total > room) throw tooLarge(limit + 1, limit);
      chunks.push(chunk);
    }
  }
  const inflated = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    inflated.set(chunk, at);
    at += chunk.length;
  }
  return inflated;
}

/** How many bytes frames inflate to, keeping none of them and stopping beyond `limit`. */
async function countFrames(stream: ZstdStream, limit: number): Promise<number> {
  // Without compressed blocks there is nothing to find out.
  if (stream.minBytes === stream.maxBytes) return stream.minBytes;
  let total = 0;
  for (const frame of stream.frames) {
    for await (const chunk of inflateFrame(frame, COUNTING)) {
      total += chunk.length;
      if (total > limit) throw tooLarge(limit + 1, limit);
    }
  }
  return total;
}

/** The content of one frame, chunk by chunk; whoever stops early frees the decoder too. */
async function* inflateFrame(
  frame: Uint8Array,
  { maxChunkBytes, windowLog }: InflationOptions,
): AsyncGenerator<Uint8Array> {
  const wanted = Math.min(frame.length * 4, maxChunkBytes);
  const stream = createZstdDecompress({
    chunkSize: Math.max(wanted, MIN_CHUNK_BYTES),
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  });
  stream.end(frame);
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw zstdError(libraryText(error), error);
  } finally {
    stream.destroy();
  }
}

/** libzstd's own words, without the prefix the runtime puts before them. */
function libraryText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^Zstd decompress error: /, "");
}

function zstdError(inner: string, cause?: unknown): BcpSyntaxError {
  const message = `zstd decompression failed: ${inner}`;
  return new BcpSyntaxError(message, { code: "zstd", offset: 0, cause });
}

/** `actual` is what is known: the size the frames give away, or where inflation stopped. */
function tooLarge(actual: number, limit: number): BcpSyntaxError {
  const message = `decompressed size ${actual} exceeds limit ${limit}`;
  return new BcpSyntaxError(message, { code: "inflated_size", offset: 0 });
}

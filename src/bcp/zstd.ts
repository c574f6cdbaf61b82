/**
 * zstd for bodies and payloads, with limits that hold *while* inflating. A body has room in memory up
 * to its limit; a payload's limit is larger than what a refusal may cost, so a large payload is first
 * inflated into nothing, to count it.
 */
import { constants, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { BcpSyntaxError } from "./error.ts";
import { findZstdFrame } from "./zstd_frame.ts";

/** Most a compressed block body may inflate to. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Most a compressed payload may inflate to. */
export const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024;

/** A payload up to this size is inflated at once; a larger one is counted first. */
const DIRECT_BYTES = 20 * 1024 * 1024;
/** Largest window (2^24) while counting; the reference encoder's is 2^21. */
const COUNTING_WINDOW_LOG = 24;
const COUNTING_CHUNK_BYTES = 32 * 1024;
const MIN_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 256 * 1024;

/** Compresses as the reference does: level 3, no content size, no checksum. */
export function compress(bytes: Uint8Array): Uint8Array {
  return toPlain(zstdCompressSync(bytes));
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
    return this.#total > DIRECT_BYTES;
  }

  /**
   * Inflates one body.
   *
   * @throws {BcpSyntaxError} when it is not whole, sound zstd or too large; its offset is 0.
   */
  inflate(bytes: Uint8Array): Uint8Array {
    const body = inflateFrames(findFrames(bytes, MAX_BODY_BYTES), MAX_BODY_BYTES, MAX_BODY_BYTES);
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
      for (const frame of findFrames(body, MAX_BODY_BYTES)) {
        total = checkTotal(total + await countInflated(frame, MAX_BODY_BYTES, MAX_BODY_BYTES));
      }
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
  const frames = findFrames(bytes, limit);
  const direct = Math.min(limit, DIRECT_BYTES);
  try {
    return inflateFrames(frames, direct, limit);
  } catch (error) {
    const isLarge = error instanceof BcpSyntaxError && error.code === "inflated_size";
    if (!isLarge || direct === limit) throw error;
  }
  let total = 0;
  for (const frame of frames) total += await countInflated(frame, limit - total, limit);
  return inflateFrames(frames, total, limit);
}

/** The zstd frames of a stream that consists of whole frames only. */
function findFrames(bytes: Uint8Array, limit: number): readonly Uint8Array[] {
  const frames: Uint8Array[] = [];
  let declared = 0n;
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
        declared += step.contentBytes ?? 0n;
        if (declared > limit) throw tooLarge(declared, limit);
        frames.push(bytes.subarray(at, step.end));
    }
    at = step.end;
  } while (at < bytes.length);
  return frames;
}

/** Inflates all frames into at most `room` bytes; `limit` is what an error names. */
function inflateFrames(frames: readonly Uint8Array[], room: number, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (const frame of frames) {
    const part = inflateFrame(frame, room - total, limit);
    total += part.length;
    parts.push(part);
  }
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function inflateFrame(frame: Uint8Array, room: number, limit: number): Uint8Array {
  const wanted = Math.min(frame.length * 4, room, MAX_CHUNK_BYTES);
  try {
    // A zero maximum would mean "none"; one byte too many is caught by the check below.
    const inflated = zstdDecompressSync(frame, {
      maxOutputLength: Math.max(room, 1),
      chunkSize: Math.max(wanted, MIN_CHUNK_BYTES),
    });
    if (inflated.length <= room) return toPlain(inflated);
  } catch (error) {
    if (!isBufferTooLarge(error)) throw zstdError(libraryText(error), error);
  }
  throw tooLarge(limit + 1, limit);
}

/** How many bytes a frame inflates to, keeping none of them and stopping beyond `room`. */
async function countInflated(frame: Uint8Array, room: number, limit: number): Promise<number> {
  const stream = createZstdDecompress({
    chunkSize: COUNTING_CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: COUNTING_WINDOW_LOG },
  });
  stream.end(frame);
  let total = 0;
  try {
    for await (const chunk of stream) {
      total += (chunk as Uint8Array).length;
      if (total > room) break;
    }
  } catch (error) {
    throw zstdError(libraryText(error), error);
  } finally {
    stream.destroy();
  }
  if (total > room) throw tooLarge(limit + 1, limit);
  return total;
}

function isBufferTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
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

/** `actual` is exact when declared; otherwise inflation stopped there. */
function tooLarge(actual: number | bigint, limit: number): BcpSyntaxError {
  const message = `decompressed size ${actual} exceeds limit ${limit}`;
  return new BcpSyntaxError(message, { code: "inflated_size", offset: 0 });
}

/** A `Uint8Array` that is not a `Buffer`: the two differ in `slice` and in equality. */
function toPlain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

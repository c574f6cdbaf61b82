/**
 * The envelope of a block: type, flags, length, body. Reading yields bounds into the payload, never a
 * copy. Numbers in the end-of-input texts count from the frame's own start, as in the reference.
 */
import { BcpSyntaxError, truncated } from "./error.ts";
import { ByteReader } from "./varint.ts";
import type { ByteWriter } from "./writer.ts";

/** Body begins with a summary. */
export const HAS_SUMMARY = 0x01;
/** Body is zstd. */
export const COMPRESSED = 0x02;
/** Body is the BLAKE3 hash of a body kept elsewhere. */
export const IS_REFERENCE = 0x04;

/** Type of the frame that closes every payload. */
export const END_TYPE = 0xff;

/** One frame, as bounds into the bytes it was read from. */
export interface Frame {
  readonly kind: "block" | "end";
  readonly type: number;
  readonly flags: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/**
 * Reads the frame at `start`. The END frame's flags and length must be there but mean nothing: no body
 * follows it.
 *
 * @throws {BcpSyntaxError} when it is cut short or its type does not fit a byte.
 */
export function decodeFrame(bytes: Uint8Array, start: number): Frame {
  const reader = new ByteReader(bytes, start);
  const type = reader.varint();
  if (type > END_TYPE) {
    const message = `invalid block type: varint value ${type} exceeds u8 range`;
    throw new BcpSyntaxError(message, { code: "block_type", offset: start });
  }
  const flagsAt = reader.position;
  if (reader.remaining === 0) throw truncated(flagsAt - start, flagsAt);
  const flags = bytes[flagsAt]!;
  reader.position = flagsAt + 1;
  if (type === END_TYPE) {
    if (reader.remaining === 0) throw truncated(reader.position - start, reader.position);
    reader.varint();
    const at = reader.position;
    return { kind: "end", type, flags, bodyStart: at, bodyEnd: at };
  }
  const length = reader.varint();
  if (length > reader.remaining) throw truncated(bytes.length - start, bytes.length);
  const bodyStart = reader.position;
  return {
    kind: "block",
    type: Number(type),
    flags,
    bodyStart,
    bodyEnd: bodyStart + Number(length),
  };
}

/** Writes one frame around `body`. */
export function encodeFrame(
  writer: ByteWriter,
  frame: { readonly type: number; readonly flags: number; readonly body: Uint8Array },
): void {
  writer.varint(frame.type);
  writer.byte(frame.flags);
  writer.prefixed(frame.body);
}

/** What is around the blocks of a payload: the header in front of all, the envelope of each. */

import { ByteReader, type ByteWriter } from "./bytes.ts";
import { BcpSyntaxError, truncated } from "./error.ts";

// The eight bytes that open every payload: magic, version, flags, a zero.

/** Size of the header; frames begin here. */
export const HEADER_BYTES = 8;
/** Header flag: everything after the header is one zstd stream. */
export const PAYLOAD_COMPRESSED = 0x01;

const MAGIC = [0x42, 0x43, 0x50, 0x00] as const;
const MAJOR = 1;
const RESERVED_AT = 7;

/** The header's free fields. Any minor version and any flag bit is accepted, as in the reference. */
export interface Header {
  readonly major: number;
  readonly minor: number;
  readonly flags: number;
}

/**
 * Reads and checks the header.
 *
 * @throws {BcpSyntaxError} for the first of: too short, magic, version, reserved byte.
 */
export function decodeHeader(bytes: Uint8Array): Header {
  if (bytes.length < HEADER_BYTES) {
    throw headerError(`unexpected end of input at offset ${bytes.length}`, bytes.length);
  }
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    // The reference prints the four bytes it read as a little-endian number.
    const got = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    throw headerError(`invalid magic number: expected 0x42435000, got 0x${hex(got, 8)}`, 0);
  }
  const [major, minor, flags, reserved] = bytes.subarray(MAGIC.length, HEADER_BYTES);
  if (major !== MAJOR) throw headerError(`unsupported version ${major}.${minor}`, MAGIC.length);
  if (reserved !== 0) {
    const message = `reserved field at offset 7 was 0x${hex(reserved!, 2)}, expected 0x00`;
    throw headerError(message, RESERVED_AT);
  }
  return { major, minor: minor!, flags: flags! };
}

/** The header this codec writes: version 1.0. */
export function encodeHeader(flags: number): Uint8Array {
  return Uint8Array.of(...MAGIC, MAJOR, 0, flags, 0);
}

/** `v1.0, flags=0x00` as the views print it. */
export function formatHeader(header: Header): string {
  return `BCP v${header.major}.${header.minor}, flags=0x${hex(header.flags, 2)}`;
}

/** Upper-case hexadecimal, zero-padded. */
export function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}

function headerError(inner: string, offset: number): BcpSyntaxError {
  return new BcpSyntaxError(`invalid header: ${inner}`, {
    code: "header",
    offset,
    validation: `invalid header — ${inner}`,
  });
}

// The envelope of a block: type, flags, length, body. Reading yields bounds into the payload, never a
// copy. Numbers in the end-of-input texts count from the frame's own start, as in the reference.

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

/** The eight bytes that open every payload: magic, version, flags, a zero. */
import { BcpSyntaxError } from "./error.ts";

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

/**
 * Unsigned LEB128 of up to 64 bits: the only number on the BCP wire. Values up to 2^53-1 are plain
 * numbers; larger ones are bigints, so that nothing is rounded and the usual case stays cheap.
 */
import { BcpSyntaxError, truncated } from "./error.ts";

/** Longest encoding of a 64-bit value. */
const MAX_VARINT_BYTES = 10;
/** A 7-byte varint holds 49 bits, which a number holds exactly. */
const NUMBER_VARINT_BYTES = 7;

/** A decoded varint: a bigint only above `Number.MAX_SAFE_INTEGER`. */
export type Varint = number | bigint;

/** A position in a bounded stretch of bytes; reading moves it forward and never past `end`. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  position: number;

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.end - this.position;
  }

  /**
   * Reads one varint. Overlong forms are accepted and the tenth byte gives only its lowest bit, as in
   * the reference.
   *
   * @throws {BcpSyntaxError} when the bytes end first, or an eleventh byte would be needed.
   */
  varint(): Varint {
    const { bytes, end } = this;
    const start = this.position;
    const first = start < end ? bytes[start]! : -1;
    if (first >= 0 && first < 0x80) {
      this.position = start + 1;
      return first;
    }
    let value = 0;
    let scale = 1;
    const fastEnd = Math.min(end, start + NUMBER_VARINT_BYTES);
    for (let i = start; i < fastEnd; i++) {
      const byte = bytes[i]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        this.position = i + 1;
        return value;
      }
      scale *= 0x80;
    }
    return this.#longVarint(start);
  }

  #longVarint(start: number): Varint {
    let value = 0n;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (start + i >= this.end) throw truncated(this.end - start, this.end);
      const byte = this.bytes[start + i]!;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        this.position = start + i + 1;
        value = BigInt.asUintN(64, value);
        return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
      }
    }
    if (start + MAX_VARINT_BYTES >= this.end) throw truncated(this.end - start, this.end);
    const message = `varint too long: exceeded ${MAX_VARINT_BYTES}-byte limit`;
    throw new BcpSyntaxError(message, { code: "varint", offset: start });
  }
}

/** The low 8 bits, as the reference narrows enum values. */
export function toUint8(value: Varint): number {
  return typeof value === "bigint" ? Number(value & 0xffn) : value % 0x100;
}

/** The low 32 bits, as the reference narrows line numbers and indices. */
export function toUint32(value: Varint): number {
  return typeof value === "bigint" ? Number(value & 0xffff_ffffn) : value % 0x1_0000_0000;
}

/** How many bytes the shortest encoding of `value` takes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

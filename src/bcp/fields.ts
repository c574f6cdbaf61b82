/**
 * Tag-length-value fields inside a block body. Known fields are read as the schema says whatever wire
 * type they carry; unknown ones are skipped by their wire type (spec of the format, section 1.6).
 */
import { BcpSyntaxError, truncated } from "./error.ts";
import { toLossyText } from "./text.ts";
import { ByteReader, type Varint, varintLength } from "./varint.ts";
import type { ByteWriter } from "./writer.ts";

const WIRE_VARINT = 0;
const WIRE_BYTES = 1;
const WIRE_NESTED = 2;

/** Blocks, file entries and hunks in one payload; each costs memory far beyond its few bytes. */
export const MAX_RECORDS = 250_000;

/** Counts the records of one payload, so that small bytes cannot become unbounded objects. */
export class RecordCount {
  #left = MAX_RECORDS;

  /**
   * Counts one more record.
   *
   * @throws {BcpSyntaxError} when the payload has too many.
   */
  add(offset: number): void {
    if (this.#left-- > 0) return;
    const message = `payload has more than ${MAX_RECORDS} blocks and nested records`;
    throw new BcpSyntaxError(message, { code: "limit", offset });
  }
}

/** Walks the fields of one body or nested record. */
export class FieldReader {
  readonly #reader: ByteReader;
  readonly #records: RecordCount;
  #wireType = WIRE_VARINT;

  constructor(reader: ByteReader, records: RecordCount) {
    this.#reader = reader;
    this.#records = records;
  }

  /**
   * Moves to the next field and returns its id, or undefined at the end.
   *
   * @throws {BcpSyntaxError} when the tag is cut short or the wire type does not exist.
   */
  next(): Varint | undefined {
    if (this.#reader.remaining === 0) return undefined;
    const id = this.#reader.varint();
    const wireTypeAt = this.#reader.position;
    const wireType = this.#reader.varint();
    if (wireType > WIRE_NESTED) {
      const message = `unknown field wire type: ${wireType}`;
      throw new BcpSyntaxError(message, { code: "wire_type", offset: wireTypeAt });
    }
    this.#wireType = Number(wireType);
    return id;
  }

  varint(): Varint {
    return this.#reader.varint();
  }

  /** The field's bytes: a view into the payload, not a copy. */
  bytes(): Uint8Array {
    const { start, end } = this.#extent();
    return this.#reader.bytes.subarray(start, end);
  }

  text(): string {
    return toLossyText(this.bytes());
  }

  /** The fields of a nested record. */
  nested(): FieldReader {
    const { start, end } = this.#extent();
    this.#records.add(start);
    return new FieldReader(new ByteReader(this.#reader.bytes, start, end), this.#records);
  }

  /** Passes over a field nobody knows. */
  skip(): void {
    if (this.#wireType === WIRE_VARINT) this.#reader.varint();
    else this.#extent();
  }

  /** Where in the payload the reader stands. */
  get offset(): number {
    return this.#reader.position;
  }

  #extent(): { readonly start: number; readonly end: number } {
    const reader = this.#reader;
    const lengthAt = reader.position;
    const length = reader.varint();
    const start = reader.position;
    if (length > reader.remaining) throw truncated(start - lengthAt, start);
    reader.position = start + Number(length);
    return { start, end: reader.position };
  }
}

/** Writes fields in the order of the calls. */
export class FieldWriter {
  readonly #writer: ByteWriter;

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  varint(id: number, value: Varint): void {
    this.#tag(id, WIRE_VARINT);
    this.#writer.varint(value);
  }

  bytes(id: number, value: Uint8Array): void {
    this.#tag(id, WIRE_BYTES);
    this.#writer.prefixed(value);
  }

  text(id: number, value: string): void {
    this.#tag(id, WIRE_BYTES);
    this.#writer.prefixedText(value);
  }

  /** Opens a nested record whose encoded size is already known; its fields follow. */
  nested(id: number, size: number): void {
    this.#tag(id, WIRE_NESTED);
    this.#writer.varint(size);
  }

  #tag(id: number, wireType: number): void {
    this.#writer.byte(id);
    this.#writer.byte(wireType);
  }
}

/** Encoded size of a bytes or text field with a one-byte id. */
export function bytesFieldSize(length: number): number {
  return 2 + varintLength(length) + length;
}

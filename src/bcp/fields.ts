/**
 * Tag-length-value fields inside a block body. Known fields are read as the schema says whatever wire
 * type they carry; unknown ones are skipped by their wire type (spec of the format, section 1.6).
 */

import type { FileEntry } from "./block.ts";
import {
  ByteReader,
  type ByteWriter,
  toLossyText,
  toUint8,
  toUtf8,
  type Varint,
  varintLength,
} from "./bytes.ts";
import { BcpSyntaxError, truncated } from "./error.ts";
import { hex } from "./frame.ts";
import { findEnumName, type WireEnum } from "./names.ts";

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

// What every record decoder shares: the error for an absent field, and closed enums.

/**
 * The value of a required field.
 *
 * @throws {BcpSyntaxError} naming the field when the record did not have it.
 */
export function required<T>(value: T | undefined, name: string, fields: FieldReader): T {
  if (value !== undefined) return value;
  const message = `missing required field: ${name}`;
  throw new BcpSyntaxError(message, { code: "missing_field", offset: fields.offset });
}

/**
 * Reads an enum field; only the low byte counts, as in the reference.
 *
 * @throws {BcpSyntaxError} when that byte has no name.
 */
export function decodeEnum<Name extends string>(
  fields: FieldReader,
  wireEnum: WireEnum<Name>,
): Name {
  const at = fields.offset;
  const value = toUint8(fields.varint());
  const name = findEnumName(wireEnum, value);
  if (name !== undefined) return name;
  const message = `invalid ${wireEnum.title} value: 0x${hex(value, 2)}`;
  throw new BcpSyntaxError(message, { code: "enum", offset: at });
}

// File entries on the wire: the one recursive record of BCP, with a limit the reference lacks.

/** Deeper than real directory trees go, shallow enough for any stack. */
export const MAX_TREE_DEPTH = 256;

const KINDS = ["file", "directory"] as const;
const NAME = 1;
const KIND = 2;
const SIZE = 3;
const CHILDREN = 4;

/**
 * Reads one entry and everything below it.
 *
 * @throws {BcpSyntaxError} for malformed fields and for trees deeper than {@linkcode MAX_TREE_DEPTH}.
 */
export function decodeFileEntry(fields: FieldReader, depth = 1): FileEntry {
  if (depth > MAX_TREE_DEPTH) {
    const message = `file tree nesting exceeds limit ${MAX_TREE_DEPTH}`;
    throw new BcpSyntaxError(message, { code: "limit", offset: fields.offset });
  }
  const children: FileEntry[] = [];
  let name: string | undefined;
  let kind: FileEntry["kind"] | undefined;
  let size = 0n;
  for (let id = fields.next(); id !== undefined; id = fields.next()) {
    if (id === NAME) name = fields.text();
    else if (id === KIND) kind = decodeKind(fields);
    else if (id === SIZE) size = BigInt(fields.varint());
    else if (id === CHILDREN) children.push(decodeFileEntry(fields.nested(), depth + 1));
    else fields.skip();
  }
  return {
    name: required(name, "name", fields),
    kind: required(kind, "kind", fields),
    size,
    children,
  };
}

/** Writes entries as nested fields with the given id. */
export function encodeFileEntries(
  fields: FieldWriter,
  id: number,
  entries: readonly FileEntry[],
): void {
  for (const entry of entries) writeEntry(fields, id, toSized(entry));
}

function decodeKind(fields: FieldReader): FileEntry["kind"] {
  const at = fields.offset;
  const value = fields.varint();
  const kind = typeof value === "number" ? KINDS[value] : undefined;
  if (kind !== undefined) return kind;
  const message = `invalid FileEntryKind value: 0x${hex(toUint8(value), 2)}`;
  throw new BcpSyntaxError(message, { code: "enum", offset: at });
}

/** An entry whose encoded size is known, so that nested lengths are written without copying. */
interface SizedEntry {
  readonly entry: FileEntry;
  readonly name: Uint8Array;
  readonly bytes: number;
  readonly children: readonly SizedEntry[];
}

function toSized(entry: FileEntry): SizedEntry {
  const name = toUtf8(entry.name);
  const children = entry.children.map(toSized);
  const varintFields = 2 + 1 + 2 + bigVarintLength(entry.size);
  const nested = children.reduce((sum, child) => sum + bytesFieldSize(child.bytes), 0);
  return { entry, name, bytes: bytesFieldSize(name.length) + varintFields + nested, children };
}

function writeEntry(fields: FieldWriter, id: number, sized: SizedEntry): void {
  fields.nested(id, sized.bytes);
  fields.bytes(NAME, sized.name);
  fields.varint(KIND, KINDS.indexOf(sized.entry.kind));
  fields.varint(SIZE, sized.entry.size);
  for (const child of sized.children) writeEntry(fields, CHILDREN, child);
}

function bigVarintLength(value: bigint): number {
  if (value <= Number.MAX_SAFE_INTEGER) return varintLength(Number(value));
  return Math.ceil(value.toString(2).length / 7);
}

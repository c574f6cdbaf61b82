/** File entries on the wire: the one recursive record of BCP, with a limit the reference lacks. */
import type { FileEntry } from "./block.ts";
import { BcpSyntaxError } from "./error.ts";
import { bytesFieldSize, type FieldReader, type FieldWriter } from "./fields.ts";
import { hex } from "./header.ts";
import { required } from "./record.ts";
import { toUtf8 } from "./text.ts";
import { toUint8, varintLength } from "./varint.ts";

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

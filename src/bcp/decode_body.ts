/**
 * Fields → block, one function a block type. Fields come in any order, the last of a repeated scalar
 * wins, and missing fields are reported only after the whole body was walked.
 */
import { type Block, BLOCK_TYPES, type DiffHunk, type FileEntry } from "./block.ts";
import { decodeEnum, decodeFileEntry, FieldReader, type RecordCount, required } from "./fields.ts";
import { ANNOTATION_KIND, DATA_FORMAT, FORMAT_HINT, MEDIA_TYPE, ROLE, STATUS } from "./names.ts";
import { type ByteReader, toUint32, toUint8 } from "./bytes.ts";

/**
 * Decodes the body of a block whose summary, compression and reference are already dealt with.
 *
 * @throws {BcpSyntaxError} at the first malformed field.
 */
export function decodeBody(type: number, reader: ByteReader, records: RecordCount): Block {
  const decoder = DECODERS.get(type);
  if (decoder !== undefined) return decoder(new FieldReader(reader, records));
  const content = reader.bytes.subarray(reader.position, reader.end);
  return { kind: "unknown", type, content };
}

type BodyDecoder = (fields: FieldReader) => Block;

/** One scalar field: its id and how its payload is read. */
type FieldTable<T> = {
  readonly [Name in keyof T]-?: readonly [number, (f: FieldReader) => T[Name]];
};

const DECODERS: ReadonlyMap<number, BodyDecoder> = new Map<number, BodyDecoder>([
  [BLOCK_TYPES.code, decodeCode],
  [BLOCK_TYPES.conversation, decodeConversation],
  [BLOCK_TYPES.file_tree, decodeFileTree],
  [BLOCK_TYPES.tool_result, decodeToolResult],
  [BLOCK_TYPES.document, decodeDocument],
  [BLOCK_TYPES.structured_data, decodeStructuredData],
  [BLOCK_TYPES.diff, decodeDiff],
  [BLOCK_TYPES.annotation, decodeAnnotation],
  [BLOCK_TYPES.embedding_ref, decodeEmbeddingRef],
  [BLOCK_TYPES.image, decodeImage],
  [BLOCK_TYPES.extension, decodeExtension],
]);

/** Walks all fields; those of the table are kept, others skipped. */
function readFields<T>(fields: FieldReader, table: FieldTable<T>): Partial<T> {
  const found: Partial<T> = {};
  for (let id = fields.next(); id !== undefined; id = fields.next()) {
    let isKnown = false;
    for (const name in table) {
      if (table[name][0] !== id) continue;
      found[name] = table[name][1](fields);
      isKnown = true;
      break;
    }
    if (!isKnown) fields.skip();
  }
  return found;
}

function bytes(fields: FieldReader): Uint8Array {
  return fields.bytes();
}

function text(fields: FieldReader): string {
  return fields.text();
}

function uint32(fields: FieldReader): number {
  return toUint32(fields.varint());
}

interface CodeFields {
  lang: number;
  path: string;
  content: Uint8Array;
  start: number;
  end: number;
}
const CODE_FIELDS: FieldTable<CodeFields> = {
  lang: [1, (fields) => toUint8(fields.varint())],
  path: [2, text],
  content: [3, bytes],
  start: [4, uint32],
  end: [5, uint32],
};

function decodeCode(fields: FieldReader): Block {
  const { start, end, ...found } = readFields(fields, CODE_FIELDS);
  return {
    kind: "code",
    lang: required(found.lang, "lang", fields),
    path: required(found.path, "path", fields),
    content: required(found.content, "content", fields),
    // Half a range is no range.
    ...(start === undefined || end === undefined ? {} : { lines: { start, end } }),
  };
}

function decodeConversation(fields: FieldReader): Block {
  const found = readFields(fields, {
    role: [1, (f: FieldReader) => decodeEnum(f, ROLE)] as const,
    content: [2, bytes] as const,
    toolCallId: [3, text] as const,
  });
  return {
    kind: "conversation",
    role: required(found.role, "role", fields),
    content: required(found.content, "content", fields),
    ...(found.toolCallId === undefined ? {} : { toolCallId: found.toolCallId }),
  };
}

function decodeFileTree(fields: FieldReader): Block {
  const entries: FileEntry[] = [];
  const found = readFields(fields, {
    root: [1, text] as const,
    entries: [2, (f: FieldReader) => entries.push(decodeFileEntry(f.nested()))] as const,
  });
  return { kind: "file_tree", root: required(found.root, "root_path", fields), entries };
}

function decodeToolResult(fields: FieldReader): Block {
  const found = readFields(fields, {
    name: [1, text] as const,
    status: [2, (f: FieldReader) => decodeEnum(f, STATUS)] as const,
    content: [3, bytes] as const,
    schemaHint: [4, text] as const,
  });
  return {
    kind: "tool_result",
    name: required(found.name, "tool_name", fields),
    status: required(found.status, "status", fields),
    content: required(found.content, "content", fields),
    ...(found.schemaHint === undefined ? {} : { schemaHint: found.schemaHint }),
  };
}

function decodeDocument(fields: FieldReader): Block {
  const found = readFields(fields, {
    title: [1, text] as const,
    content: [2, bytes] as const,
    format: [3, (f: FieldReader) => decodeEnum(f, FORMAT_HINT)] as const,
  });
  return {
    kind: "document",
    title: required(found.title, "title", fields),
    content: required(found.content, "content", fields),
    format: required(found.format, "format_hint", fields),
  };
}

function decodeStructuredData(fields: FieldReader): Block {
  const found = readFields(fields, {
    format: [1, (f: FieldReader) => decodeEnum(f, DATA_FORMAT)] as const,
    schema: [2, text] as const,
    content: [3, bytes] as const,
  });
  return {
    kind: "structured_data",
    format: required(found.format, "format", fields),
    ...(found.schema === undefined ? {} : { schema: found.schema }),
    content: required(found.content, "content", fields),
  };
}

function decodeDiff(fields: FieldReader): Block {
  const hunks: DiffHunk[] = [];
  const found = readFields(fields, {
    path: [1, text] as const,
    hunks: [2, (f: FieldReader) => hunks.push(decodeHunk(f.nested()))] as const,
  });
  return { kind: "diff", path: required(found.path, "path", fields), hunks };
}

function decodeHunk(fields: FieldReader): DiffHunk {
  const found = readFields(fields, {
    oldStart: [1, uint32] as const,
    newStart: [2, uint32] as const,
    lines: [3, bytes] as const,
  });
  return {
    oldStart: required(found.oldStart, "old_start", fields),
    newStart: required(found.newStart, "new_start", fields),
    lines: required(found.lines, "lines", fields),
  };
}

function decodeAnnotation(fields: FieldReader): Block {
  const found = readFields(fields, {
    target: [1, uint32] as const,
    annotation: [2, (f: FieldReader) => decodeEnum(f, ANNOTATION_KIND)] as const,
    value: [3, bytes] as const,
  });
  return {
    kind: "annotation",
    target: required(found.target, "target_block_id", fields),
    annotation: required(found.annotation, "kind", fields),
    value: required(found.value, "value", fields),
  };
}

function decodeEmbeddingRef(fields: FieldReader): Block {
  const found = readFields(fields, {
    vectorId: [1, bytes] as const,
    sourceHash: [2, bytes] as const,
    model: [3, text] as const,
  });
  return {
    kind: "embedding_ref",
    vectorId: required(found.vectorId, "vector_id", fields),
    sourceHash: required(found.sourceHash, "source_hash", fields),
    model: required(found.model, "model", fields),
  };
}

function decodeImage(fields: FieldReader): Block {
  const found = readFields(fields, {
    media: [1, (f: FieldReader) => decodeEnum(f, MEDIA_TYPE)] as const,
    alt: [2, text] as const,
    content: [3, bytes] as const,
  });
  return {
    kind: "image",
    media: required(found.media, "media_type", fields),
    alt: required(found.alt, "alt_text", fields),
    content: required(found.content, "data", fields),
  };
}

function decodeExtension(fields: FieldReader): Block {
  const found = readFields(fields, {
    namespace: [1, text] as const,
    typeName: [2, text] as const,
    content: [3, bytes] as const,
  });
  return {
    kind: "extension",
    namespace: required(found.namespace, "namespace", fields),
    typeName: required(found.typeName, "type_name", fields),
    content: required(found.content, "content", fields),
  };
}

/** Block → fields, in the reference's order; required fields are written even when empty. */
import type { Block, KnownBlockKind } from "./block.ts";
import { bytesFieldSize, FieldWriter } from "./fields.ts";
import { encodeFileEntries } from "./file_tree.ts";
import {
  ANNOTATION_KIND,
  DATA_FORMAT,
  enumValue,
  FORMAT_HINT,
  MEDIA_TYPE,
  ROLE,
  STATUS,
} from "./names.ts";
import { varintLength } from "./varint.ts";
import type { ByteWriter } from "./writer.ts";

/** Appends the summary prefix, if there is one, and the fields of `block`. */
export function encodeBody(writer: ByteWriter, block: Block): void {
  if (block.summary !== undefined) writer.prefixedText(block.summary);
  if (block.kind === "unknown") writer.raw(block.content);
  else encodeFields(new FieldWriter(writer), block);
}

function encodeFields(fields: FieldWriter, block: Extract<Block, { kind: KnownBlockKind }>): void {
  switch (block.kind) {
    case "code":
      fields.varint(1, block.lang);
      fields.text(2, block.path);
      fields.bytes(3, block.content);
      if (block.lines !== undefined) {
        fields.varint(4, block.lines.start);
        fields.varint(5, block.lines.end);
      }
      return;
    case "conversation":
      fields.varint(1, enumValue(ROLE, block.role));
      fields.bytes(2, block.content);
      if (block.toolCallId !== undefined) fields.text(3, block.toolCallId);
      return;
    case "file_tree":
      fields.text(1, block.root);
      encodeFileEntries(fields, 2, block.entries);
      return;
    case "tool_result":
      fields.text(1, block.name);
      fields.varint(2, enumValue(STATUS, block.status));
      fields.bytes(3, block.content);
      if (block.schemaHint !== undefined) fields.text(4, block.schemaHint);
      return;
    case "document":
      fields.text(1, block.title);
      fields.bytes(2, block.content);
      fields.varint(3, enumValue(FORMAT_HINT, block.format));
      return;
    case "structured_data":
      fields.varint(1, enumValue(DATA_FORMAT, block.format));
      if (block.schema !== undefined) fields.text(2, block.schema);
      fields.bytes(3, block.content);
      return;
    case "diff":
      fields.text(1, block.path);
      for (const hunk of block.hunks) {
        const starts = 4 + varintLength(hunk.oldStart) + varintLength(hunk.newStart);
        fields.nested(2, starts + bytesFieldSize(hunk.lines.length));
        fields.varint(1, hunk.oldStart);
        fields.varint(2, hunk.newStart);
        fields.bytes(3, hunk.lines);
      }
      return;
    case "annotation":
      fields.varint(1, block.target);
      fields.varint(2, enumValue(ANNOTATION_KIND, block.annotation));
      fields.bytes(3, block.value);
      return;
    case "embedding_ref":
      fields.bytes(1, block.vectorId);
      fields.bytes(2, block.sourceHash);
      fields.text(3, block.model);
      return;
    case "image":
      fields.varint(1, enumValue(MEDIA_TYPE, block.media));
      fields.text(2, block.alt);
      fields.bytes(3, block.content);
      return;
    case "extension":
      fields.text(1, block.namespace);
      fields.text(2, block.typeName);
      fields.bytes(3, block.content);
      return;
  }
}

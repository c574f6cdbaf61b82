/** The payloads the command tests read: every kind of block, compressed, cut short, unreadable as text. */
import type { Block } from "../../../src/bcp/block.ts";
import { encodePayload, toPriorityAnnotation } from "../../../src/bcp/encode.ts";
import { LANG_UNKNOWN } from "../../../src/bcp/names.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";

const CODE: Block = {
  kind: "code",
  lang: 1,
  path: "src/a.rs",
  content: toUtf8("fn a() {}"),
  summary: 'one\t"a"',
};
const TURN: Block = { kind: "conversation", role: "user", content: toUtf8("hi there") };
const EVERY_KIND: readonly Block[] = [
  CODE,
  TURN,
  {
    kind: "file_tree",
    root: "src",
    entries: [{ name: "a.rs", kind: "file", size: 9n, children: [] }],
  },
  { kind: "tool_result", name: "ls", status: "timeout", content: toUtf8("a.rs") },
  { kind: "document", title: "T\u0301", content: toUtf8("# T"), format: "html" },
  { kind: "structured_data", format: "toml", content: toUtf8("a=1") },
  { kind: "diff", path: "a.rs", hunks: [{ oldStart: 1, newStart: 1, lines: toUtf8("+x\n") }] },
  toPriorityAnnotation(0, "high"),
  { kind: "annotation", target: 0, annotation: "tag", value: toUtf8("entry") },
  { kind: "annotation", target: 0, annotation: "priority", value: Uint8Array.of(9) },
  { kind: "embedding_ref", vectorId: toUtf8("v"), sourceHash: toUtf8("h"), model: "m" },
  { kind: "image", media: "png", alt: "Logo", content: Uint8Array.of(0x89, 0x50, 0x20, 0x7f) },
  { kind: "extension", namespace: "com.x", typeName: "y", content: toUtf8("z") },
  { kind: "unknown", type: 0x42, content: toUtf8("hello") },
  { kind: "code", lang: LANG_UNKNOWN, path: "", content: toUtf8("") },
  { kind: "code", lang: 66, path: "", content: toUtf8("") },
];
const TWO = encodePayload([CODE, TURN]);
/** Files by name. */
export const FILES = {
  "all.bcp": encodePayload(EVERY_KIND),
  "two.bcp": TWO,
  "one.bcp": encodePayload([TURN]),
  "big.bcp": encodePayload([{ ...TURN, content: toUtf8("word ".repeat(100)) }], {
    compressPayload: true,
  }),
  "cut.bcp": TWO.subarray(0, 20),
  "notes.bcp": encodePayload([toPriorityAnnotation(0, "low")]),
  "bytes.bcp": encodePayload([{ ...TURN, content: Uint8Array.of(0xff) }]),
  "tree.bcp": encodePayload([{ kind: "diff", path: "a", hunks: [] }]),
};

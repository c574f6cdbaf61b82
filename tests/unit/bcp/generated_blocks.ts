/** Seeded random blocks of every kind, for the property tests. The same seed gives the same blocks. */
import type { Block, FileEntry } from "../../../src/bcp/block.ts";
import {
  ANNOTATION_KIND,
  DATA_FORMAT,
  FORMAT_HINT,
  MEDIA_TYPE,
  ROLE,
  STATUS,
} from "../../../src/bcp/names.ts";
import type { Dice } from "../../harness/dice.ts";

const TEXTS = [
  "",
  "a.rs",
  "src/main.rs",
  "naïve",
  "日本語",
  "🦀",
  '"&<>',
  "line\nline",
  "\ufeffmark",
];
const MAX_UINT32 = 0xffff_ffff;

/** One block of the `index`-th kind, with content of about `size` bytes. */
export function generateBlock(random: Dice, index: number, size: number): Block {
  const block = generateKind(random, index % 12, size);
  return random.isOneIn(3) ? { ...block, summary: random.pick(TEXTS) } : block;
}

/** Bytes that compress half of the time. */
export function generateBytes(random: Dice, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const spread = random.isOneIn(2) ? 256 : 4;
  const seedLength = Math.min(size, 4096);
  for (let i = 0; i < seedLength; i++) bytes[i] = random.below(spread);
  for (let at = seedLength; at > 0 && at < size; at *= 2) bytes.copyWithin(at, 0, at);
  return bytes;
}

function generateKind(random: Dice, kind: number, size: number): Block {
  const content = generateBytes(random, size);
  const text = random.pick(TEXTS);
  switch (kind) {
    case 0: {
      const lines = { start: random.below(MAX_UINT32), end: random.below(MAX_UINT32) };
      const code: Block = { kind: "code", lang: random.below(256), path: text, content };
      return random.isOneIn(2) ? { ...code, lines } : code;
    }
    case 1: {
      const turn: Block = { kind: "conversation", role: random.pick(ROLE.names), content };
      return random.isOneIn(2) ? { ...turn, toolCallId: text } : turn;
    }
    case 2:
      return { kind: "file_tree", root: text, entries: generateEntries(random, 3) };
    case 3: {
      const status = random.pick(STATUS.names);
      const result: Block = { kind: "tool_result", name: text, status, content };
      return random.isOneIn(2) ? { ...result, schemaHint: text } : result;
    }
    case 4:
      return { kind: "document", title: text, content, format: random.pick(FORMAT_HINT.names) };
    case 5: {
      const format = random.pick(DATA_FORMAT.names);
      const data: Block = { kind: "structured_data", format, content };
      return random.isOneIn(2) ? { ...data, schema: text } : data;
    }
    case 6: {
      const hunks = Array.from({ length: random.below(4) }, () => ({
        oldStart: random.below(MAX_UINT32),
        newStart: random.below(300),
        lines: generateBytes(random, random.below(200)),
      }));
      return { kind: "diff", path: text, hunks };
    }
    case 7: {
      const annotation = random.pick(ANNOTATION_KIND.names);
      return { kind: "annotation", target: random.below(20), annotation, value: content };
    }
    case 8:
      return {
        kind: "embedding_ref",
        vectorId: content,
        sourceHash: generateBytes(random, 32),
        model: text,
      };
    case 9:
      return { kind: "image", media: random.pick(MEDIA_TYPE.names), alt: text, content };
    case 10:
      return { kind: "extension", namespace: text, typeName: random.pick(TEXTS), content };
    default:
      return { kind: "unknown", type: 0x0b + random.below(0xfe - 0x0b), content };
  }
}

function generateEntries(random: Dice, depth: number): readonly FileEntry[] {
  return Array.from({ length: random.below(4) }, () => ({
    name: random.pick(TEXTS),
    kind: random.pick(["file", "directory"] as const),
    size: BigInt(random.below(MAX_UINT32)) << BigInt(random.below(33)),
    children: depth === 0 ? [] : generateEntries(random, depth - 1),
  }));
}

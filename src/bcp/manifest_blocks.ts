/**
 * What a bcp manifest asks for → blocks. Names are looked up, content is fetched through a function the
 * caller gives, and the first problem stops everything, worded as the reference words it.
 */
import type { Block, FileEntry } from "./block.ts";
import { toPriorityAnnotation } from "./encode.ts";
import type { ContentSource, ManifestBlock, ManifestFileEntry } from "./manifest.ts";
import {
  ANNOTATION_KIND,
  DATA_FORMAT,
  FORMAT_HINT,
  MEDIA_TYPE,
  PRIORITY,
  type PriorityName,
  ROLE,
  STATUS,
  toLang,
  type WireEnum,
} from "./names.ts";
import { quote, toUtf8 } from "./bytes.ts";

/** How reading a `content_file` ended; `path` is the path as it was resolved. */
export type ContentFile =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | { readonly kind: "failed"; readonly path: string; readonly reason: string };

/** Reads a `content_file` as the manifest spells it. */
export type ContentReader = (file: string) => Promise<ContentFile>;

/** A manifest block that cannot become a block. */
export class ManifestBlockError extends RangeError {
  override readonly name = "ManifestBlockError";
}

/**
 * Builds the blocks of a manifest. A priority becomes an annotation right after its block, so later
 * blocks move up by one.
 *
 * @throws {ManifestBlockError} naming the first block that cannot be built.
 */
export async function buildBlocks(
  manifest: readonly ManifestBlock[],
  read: ContentReader,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const [index, entry] of manifest.entries()) {
    try {
      const block = await buildBlock(entry, read);
      blocks.push(entry.summary === undefined ? block : { ...block, summary: entry.summary });
      if (entry.priority !== undefined) {
        const priority = lookUp<PriorityName>(PRIORITY, entry.priority, "priority");
        blocks.push(toPriorityAnnotation(blocks.length - 1, priority));
      }
    } catch (error) {
      if (!(error instanceof ManifestBlockError)) throw error;
      const message = `block ${index}: failed to apply: ${error.message}`;
      throw new ManifestBlockError(message, { cause: error });
    }
  }
  return blocks;
}

async function buildBlock(entry: ManifestBlock, read: ContentReader): Promise<Block> {
  const { kind } = entry;
  switch (kind) {
    case "file_tree":
      return { kind, root: entry.root, entries: entry.entries.map(buildFileEntry) };
    case "diff":
      return {
        kind,
        path: entry.path,
        hunks: entry.hunks.map((hunk) => ({ ...hunk, lines: toUtf8(hunk.lines) })),
      };
    case "annotation":
      return buildAnnotation(entry);
    case "embedding_ref":
      return {
        kind,
        vectorId: toUtf8(entry.vectorId),
        sourceHash: isHash(entry.sourceHash)
          ? Uint8Array.fromHex(entry.sourceHash)
          : toUtf8(entry.sourceHash),
        model: entry.model,
      };
  }
  // Content comes before enum names: the reference reports a missing file first.
  const content = await fetchContent(entry.source, kind, read);
  switch (kind) {
    case "code":
      return { kind, lang: toLang(entry.lang), path: entry.path, content };
    case "conversation":
      return { kind, role: lookUp(ROLE, entry.role, "role"), content };
    case "tool_result": {
      const status = lookUp(STATUS, entry.status ?? "ok", "status", { err: "error" });
      return { kind, name: entry.name, status, content };
    }
    case "document": {
      const format = entry.format ?? "markdown";
      const aliases = { md: "markdown", text: "plain", txt: "plain" } as const;
      return {
        kind,
        title: entry.title,
        content,
        format: lookUp(FORMAT_HINT, format, "document format", aliases),
      };
    }
    case "structured_data": {
      const format = lookUp(DATA_FORMAT, entry.format, "data format", { yml: "yaml" });
      return { kind, format, content };
    }
    case "image":
      return {
        kind,
        media: lookUp(MEDIA_TYPE, entry.media, "media type"),
        alt: entry.alt,
        content,
      };
    case "extension":
      return { kind, namespace: entry.namespace, typeName: entry.typeName, content };
  }
}

function buildAnnotation(entry: Extract<ManifestBlock, { kind: "annotation" }>): Block {
  const annotation = lookUp(ANNOTATION_KIND, entry.annotation, "annotation kind");
  if (annotation === "priority") {
    return toPriorityAnnotation(entry.target, lookUp(PRIORITY, entry.value, "priority"));
  }
  return { kind: "annotation", target: entry.target, annotation, value: toUtf8(entry.value) };
}

function buildFileEntry(entry: ManifestFileEntry): FileEntry {
  const kind = entry.kind === "dir" ? "directory" : entry.kind;
  if (kind !== "file" && kind !== "directory") {
    throw new ManifestBlockError(`unknown entry kind ${quote(kind)} — expected file|directory`);
  }
  const children = entry.children.map(buildFileEntry);
  return { name: entry.name, kind, size: BigInt(entry.size), children };
}

async function fetchContent(
  source: ContentSource,
  type: string,
  read: ContentReader,
): Promise<Uint8Array> {
  if (source.content !== undefined) return toUtf8(source.content);
  if (source.contentFile === undefined) {
    const key = type === "image" ? "data" : "content";
    throw new ManifestBlockError(`${type} block requires either "${key}" or "content_file"`);
  }
  const file = await read(source.contentFile);
  if (file.kind === "read") return file.bytes;
  throw new ManifestBlockError(`cannot read content_file ${file.path}: ${file.reason}`);
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** Finds an enum name in any case, also by alias. */
function lookUp<Name extends string>(
  wireEnum: WireEnum<Name>,
  text: string,
  what: string,
  aliases: Readonly<Record<string, Name>> = {},
): Name {
  const lower = text.toLowerCase();
  const wanted = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  const name = wireEnum.names.find((candidate) => candidate === wanted);
  if (name !== undefined) return name;
  const expected = wireEnum.names.join("|");
  throw new ManifestBlockError(`unknown ${what} ${quote(text)} — expected ${expected}`);
}

/**
 * bcp manifest text → what it asks for. Everything here is decided by the text alone; names that must
 * be looked up and files that must be read come later. Accepts all the reference accepts, and more.
 */
import { type ManifestObject, parseManifestObject } from "./manifest_object.ts";

/** Where a block's content comes from; inline content wins. */
export interface ContentSource {
  readonly content?: string;
  readonly contentFile?: string;
}

/** A block as a manifest words it: enum names are still free text. */
export type ManifestBlock =
  & (
    | { readonly kind: "code"; readonly lang: string; readonly path: string }
    | { readonly kind: "conversation"; readonly role: string }
    | { readonly kind: "tool_result"; readonly name: string; readonly status?: string }
    | { readonly kind: "document"; readonly title: string; readonly format?: string }
    | { readonly kind: "structured_data"; readonly format: string }
    | {
      readonly kind: "file_tree";
      readonly root: string;
      readonly entries: readonly ManifestFileEntry[];
    }
    | { readonly kind: "diff"; readonly path: string; readonly hunks: readonly ManifestHunk[] }
    | {
      readonly kind: "annotation";
      readonly target: number;
      readonly annotation: string;
      readonly value: string;
    }
    | {
      readonly kind: "embedding_ref";
      readonly vectorId: string;
      readonly sourceHash: string;
      readonly model: string;
    }
    | { readonly kind: "image"; readonly media: string; readonly alt: string }
    | { readonly kind: "extension"; readonly namespace: string; readonly typeName: string }
  )
  & {
    readonly source: ContentSource;
    readonly summary?: string;
    readonly priority?: string;
  };

/** A file or directory of a `file_tree` block. */
export interface ManifestFileEntry {
  readonly name: string;
  readonly kind: string;
  readonly size: number;
  readonly children: readonly ManifestFileEntry[];
}

/** A hunk of a `diff` block. */
export interface ManifestHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: string;
}

/**
 * Parses a bcp manifest.
 *
 * @throws {ManifestSyntaxError} when the text is not one; nothing of it is used then.
 */
export function parseManifest(text: string): readonly ManifestBlock[] {
  return parseManifestObject(text).objects("blocks").map(parseBlock);
}

function parseBlock(object: ManifestObject): ManifestBlock {
  const type = object.text("type");
  switch (type) {
    case "code":
      return {
        kind: type,
        lang: object.text("lang"),
        path: object.text("path"),
        ...parseExtras(object),
      };
    case "conversation":
      return { kind: type, role: object.text("role"), ...parseExtras(object) };
    case "tool_result":
      return parseToolResult(object);
    case "document":
      return {
        kind: type,
        title: object.text("title"),
        ...optional("format", object.findText("format") ?? object.findText("format_hint")),
        ...parseExtras(object),
      };
    case "structured_data":
      // The reference has no summary or priority here and ignores both keys.
      return { kind: type, format: object.text("format"), source: parseSource(object) };
    case "file_tree":
      return {
        kind: type,
        root: object.textOf("root", "root_path"),
        entries: object.objects("entries").map(parseFileEntry),
        ...parseExtras(object),
      };
    case "diff":
      return {
        kind: type,
        path: object.text("path"),
        hunks: object.objects("hunks").map(parseHunk),
        ...parseExtras(object),
      };
    case "annotation":
      return {
        kind: type,
        target: object.count("target_block_id"),
        annotation: object.text("kind"),
        value: object.text("value"),
        source: {},
      };
    case "embedding_ref":
      return {
        kind: type,
        vectorId: object.text("vector_id"),
        sourceHash: object.text("source_hash"),
        model: object.text("model"),
        ...parseExtras(object),
      };
    case "image":
      return {
        kind: type,
        media: object.text("media_type"),
        alt: object.text("alt_text"),
        ...parseExtras(object),
        source: parseSource(object, "data"),
      };
    case "extension":
      return {
        kind: type,
        namespace: object.text("namespace"),
        typeName: object.text("type_name"),
        ...parseExtras(object),
      };
    default:
      throw object.error(`unknown variant \`${type}\`, expected one of ${TYPES.join(", ")}`);
  }
}

const TYPES = [
  "`code`",
  "`conversation`",
  "`tool_result`",
  "`document`",
  "`structured_data`",
  "`file_tree`",
  "`diff`",
  "`annotation`",
  "`embedding_ref`",
  "`image`",
  "`extension`",
] as const;

/**
 * With `name` the block is the reference's own, which ignores summary and priority; with `tool_name`,
 * which the reference refuses, both count.
 */
function parseToolResult(object: ManifestObject): ManifestBlock {
  const status = optional("status", object.findText("status"));
  const name = object.findText("name");
  if (name !== undefined) {
    return { kind: "tool_result", name, ...status, source: parseSource(object) };
  }
  const toolName = object.textOf("name", "tool_name");
  return { kind: "tool_result", name: toolName, ...status, ...parseExtras(object) };
}

function parseExtras(
  object: ManifestObject,
): Pick<ManifestBlock, "source" | "summary" | "priority"> {
  return {
    source: parseSource(object),
    ...optional("summary", object.findText("summary")),
    ...optional("priority", object.findText("priority")),
  };
}

function parseSource(object: ManifestObject, contentKey = "content"): ContentSource {
  return {
    ...optional("content", object.findText(contentKey)),
    ...optional("contentFile", object.findText("content_file")),
  };
}

function parseFileEntry(object: ManifestObject): ManifestFileEntry {
  return {
    name: object.text("name"),
    kind: object.text("kind"),
    size: object.findCount("size", Number.MAX_SAFE_INTEGER) ?? 0,
    children: object.findObjects("children")?.map(parseFileEntry) ?? [],
  };
}

function parseHunk(object: ManifestObject): ManifestHunk {
  return {
    oldStart: object.count("old_start"),
    newStart: object.count("new_start"),
    lines: object.text("lines"),
  };
}

function optional<Key extends string>(
  key: Key,
  value: string | undefined,
): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: string };
}

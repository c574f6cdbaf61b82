/** Wire values and their names: languages and the closed enums. */

/** A closed enum: what it is called in error texts, and the name of each wire value. */
export interface WireEnum<Name extends string> {
  readonly title: string;
  /** Index 0 has wire value 1. */
  readonly names: readonly Name[];
}

/** Who speaks. */
export type RoleName = "system" | "user" | "assistant" | "tool";
/** Wire values of roles. */
export const ROLE: WireEnum<RoleName> = {
  title: "Role",
  names: ["system", "user", "assistant", "tool"],
};

/** How a tool ended. */
export type StatusName = "ok" | "error" | "timeout";
/** Wire values of statuses. */
export const STATUS: WireEnum<StatusName> = {
  title: "Status",
  names: ["ok", "error", "timeout"],
};

/** How much a block matters under a budget. */
export type PriorityName = "critical" | "high" | "normal" | "low" | "background";
/** Wire values of priorities. */
export const PRIORITY: WireEnum<PriorityName> = {
  title: "Priority",
  names: ["critical", "high", "normal", "low", "background"],
};

/** Markup of a document. */
export type FormatHintName = "markdown" | "plain" | "html";
/** Wire values of markups. */
export const FORMAT_HINT: WireEnum<FormatHintName> = {
  title: "FormatHint",
  names: ["markdown", "plain", "html"],
};

/** Syntax of structured data. */
export type DataFormatName = "json" | "yaml" | "toml" | "csv";
/** Wire values of syntaxes. */
export const DATA_FORMAT: WireEnum<DataFormatName> = {
  title: "DataFormat",
  names: ["json", "yaml", "toml", "csv"],
};

/** What an annotation says. */
export type AnnotationKindName = "priority" | "summary" | "tag";
/** Wire values of kinds of annotations. */
export const ANNOTATION_KIND: WireEnum<AnnotationKindName> = {
  title: "AnnotationKind",
  names: ["priority", "summary", "tag"],
};

/** Format of an image. */
export type MediaTypeName = "png" | "jpeg" | "gif" | "svg" | "webp";
/** Wire values of image formats. */
export const MEDIA_TYPE: WireEnum<MediaTypeName> = {
  title: "MediaType",
  names: ["png", "jpeg", "gif", "svg", "webp"],
};

/** The wire value of an enum name. */
export function enumValue<Name extends string>(wireEnum: WireEnum<Name>, name: Name): number {
  return wireEnum.names.indexOf(name) + 1;
}

/** The name of a wire value, or undefined. */
export function findEnumName<Name extends string>(
  wireEnum: WireEnum<Name>,
  value: number,
): Name | undefined {
  return wireEnum.names[value - 1];
}

/** "No language known": what an unrecognised name in a bcp manifest becomes. */
export const LANG_UNKNOWN = 255;

const LANGS = [
  "rust",
  "typescript",
  "javascript",
  "python",
  "go",
  "java",
  "c",
  "cpp",
  "ruby",
  "shell",
  "sql",
  "html",
  "css",
  "json",
  "yaml",
  "toml",
  "markdown",
] as const;

const LANG_ALIASES: Readonly<Record<string, string>> = {
  ts: "typescript",
  js: "javascript",
  py: "python",
  "c++": "cpp",
  rb: "ruby",
  sh: "shell",
  bash: "shell",
  yml: "yaml",
  md: "markdown",
};

/** The language of a wire value, or undefined for 255 and for values without a name. */
export function findLangName(value: number): string | undefined {
  return LANGS[value - 1];
}

/** The wire value of a language name or alias, in any case; 255 if it is neither. */
export function toLang(name: string): number {
  const lower = name.toLowerCase();
  const known = Object.hasOwn(LANG_ALIASES, lower) ? LANG_ALIASES[lower]! : lower;
  const index = (LANGS as readonly string[]).indexOf(known);
  return index < 0 ? LANG_UNKNOWN : index + 1;
}

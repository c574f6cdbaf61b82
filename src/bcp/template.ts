/** The contract of the three renderers: how each words a block, a summary, a placeholder, the whole. */
import type { CodeBlock, RenderedBlock } from "./block.ts";
import { findLangName } from "./names.ts";
import type { Placeholder } from "./placeholder.ts";

/** One output mode. */
export interface Template {
  /** A block in full; `text` is its extracted text. */
  block(block: RenderedBlock, text: string): string;
  /** Code of which only the summary is shown. */
  summary(block: CodeBlock, summary: string): string;
  placeholder(placeholder: Placeholder): string;
  /** The finished output, from all pieces joined. */
  wrap(joined: string): string;
}

/** The language tag of code; anything without a name is `text`. */
export function langTag(block: CodeBlock): string {
  return findLangName(block.lang) ?? "text";
}

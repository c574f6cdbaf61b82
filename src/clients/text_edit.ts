// Edits of a text by position, and what the text tells of its own habits: line ends and indentation.

/** Replaces `length` characters at `offset`; positions are those of the text before any edit. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/** What became of a text. A refusal is one clause that follows the name of the file. */
export type ConfigEdit =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string };

/** Which entry of a file. */
export interface EntryPlace {
  readonly container: string;
  readonly name: string;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset)) {
    parts.push(text.slice(at, offset), content);
    at = offset + length;
  }
  return parts.join("") + text.slice(at);
}

/** The line end that a text uses first. */
export function findLineEnd(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** Spaces and tabs at the start of the line that holds a position. */
export function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, position))?.[0] ?? "";
}

/** Where the line that holds a position ends, before its line end. */
export function lineEndAfter(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  if (end === -1) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

/** One-based line of a position, for people. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** The end of what is not white space before a position. */
export function trimmedEnd(text: string, position: number): number {
  let end = position;
  while (end > 0 && " \t\r\n".includes(text[end - 1] ?? "x")) end--;
  return end;
}

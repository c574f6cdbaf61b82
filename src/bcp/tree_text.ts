/** A file tree as indented lines: what renderers print and the budget engine counts. */
import type { FileEntry } from "./block.ts";

const INDENT = "  ";

/** One line an entry. A directory's size and a file's children are not shown, as in the reference. */
export function toTreeText(entries: readonly FileEntry[]): string {
  const lines: string[] = [];
  appendEntries(lines, entries, "");
  return lines.join("");
}

function appendEntries(lines: string[], entries: readonly FileEntry[], indent: string): void {
  for (const entry of entries) {
    if (entry.kind === "file") {
      lines.push(`${indent}${entry.name} (${entry.size} bytes)\n`);
    } else {
      lines.push(`${indent}${entry.name}/\n`);
      appendEntries(lines, entry.children, indent + INDENT);
    }
  }
}

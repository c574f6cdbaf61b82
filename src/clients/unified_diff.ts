// The difference of two texts for people, in the unified format. Our edits lie close together, so that one hunk from
// the first changed line to the last says it, however long the file is.

const CONTEXT = 3;

/** One hunk with three lines of context; empty when the texts are equal. */
export function toUnifiedDiff(path: string, before: string | undefined, after: string): string {
  const old = splitLines(before ?? "");
  const lines = splitLines(after);
  let start = 0;
  while (start < old.length && start < lines.length && old[start] === lines[start]) start++;
  let tail = 0;
  const most = Math.min(old.length, lines.length) - start;
  while (tail < most && old[old.length - 1 - tail] === lines[lines.length - 1 - tail]) tail++;
  if (start === old.length && start === lines.length) return "";
  const first = Math.max(0, start - CONTEXT);
  const oldEnd = old.length - tail;
  const newEnd = lines.length - tail;
  const context = Math.min(CONTEXT, tail);
  const body = [
    ...old.slice(first, start).map((line) => ` ${line}`),
    ...old.slice(start, oldEnd).map((line) => `-${line}`),
    ...lines.slice(start, newEnd).map((line) => `+${line}`),
    ...lines.slice(newEnd, newEnd + context).map((line) => ` ${line}`),
  ].map((line) => line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`);
  const head = `@@ -${range(first, oldEnd + context)} +${range(first, newEnd + context)} @@\n`;
  const from = before === undefined ? "/dev/null" : path;
  return `--- ${from}\n+++ ${path}\n${head}${body.join("")}`;
}

function range(start: number, end: number): string {
  const count = end - start;
  return `${count === 0 ? start : start + 1},${count}`;
}

/** Lines with their ends. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

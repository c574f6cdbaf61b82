// Stands in for `@std/jsonc`, so that everything installs from an npm registry alone.
// `import_map.jsr.json` puts the original in its place; both behave the same. Importing npm
// `jsonc-parser` would double the time of a start (a CommonJS bundle, 31 ms), so comments and
// trailing commas are blanked out here and `JSON.parse` judges the rest.

/** Any value that JSON text can hold. */
export type JsonValue =
  | { [key: string]: JsonValue | undefined }
  | JsonValue[]
  | string
  | number
  | boolean
  | null;

/**
 * Parses JSON with comments and trailing commas; the last of two equal keys wins.
 *
 * @throws {SyntaxError} If the text is anything else, empty text included.
 */
export function parse(text: string): JsonValue {
  try {
    return JSON.parse(toJson(text));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new SyntaxError(`Cannot parse JSONC: ${cause.message}`, { cause });
  }
}

/** The text with spaces for comments and trailing commas, so that positions stay. */
function toJson(text: string): string {
  const pieces: string[] = [];
  let previous = "";
  let comma: { piece: number; follows: string } | undefined;
  let start = 0;
  while (start < text.length) {
    const token = text.slice(start, findTokenEnd(text, start));
    start += token.length;
    const isComment = token.startsWith("//") || token.startsWith("/*");
    pieces.push(isComment ? " ".repeat(token.length) : token);
    if (isComment || " \t\r\n".includes(token)) continue;
    // A comma is trailing only if a value stands before it: "[,]" stays malformed.
    const closes = token === "]" || token === "}";
    if (closes && comma !== undefined && !"[{,:".includes(comma.follows)) pieces[comma.piece] = " ";
    comma = token === "," ? { piece: pieces.length - 1, follows: previous } : undefined;
    previous = token;
  }
  return pieces.join("");
}

/** The end of the string, comment or single character at `start`, in time linear in its length. */
function findTokenEnd(text: string, start: number): number {
  let end = start + 1;
  if (text[start] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    return end + 1;
  }
  if (text.startsWith("//", start)) {
    while (end < text.length && text[end] !== "\n" && text[end] !== "\r") end++;
    return end;
  }
  if (!text.startsWith("/*", start)) return end;
  const close = text.indexOf("*/", start + 2);
  if (close === -1) throw new SyntaxError(`Comment at position ${start} is not closed`);
  return close + 2;
}

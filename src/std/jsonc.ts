// Stands in for `@std/jsonc`, over npm `jsonc-parser`, so that everything installs from an npm
// registry alone. `import_map.jsr.json` puts the original in its place; both behave the same, and
// this file holds no cleverness.

import { parse as parseTolerant, type ParseError, printParseErrorCode } from "jsonc-parser";

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
  const errors: ParseError[] = [];
  const value: JsonValue = parseTolerant(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) {
    throw new SyntaxError(
      `Cannot parse JSONC: ${printParseErrorCode(first.error)} at position ${first.offset}`,
    );
  }
  return value;
}

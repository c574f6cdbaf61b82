/**
 * JSON as a bcp manifest must be: like `JSON.parse`, but it refuses a byte order mark and lone
 * surrogates, remembers repeated keys, bounds the nesting, and knows line and column.
 */

/** Any JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | JsonObject;

/** A place in a text, one-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A JSON object, with what a strict reader wants to know about it. */
export class JsonObject {
  readonly fields: ReadonlyMap<string, JsonValue>;
  /** Keys that occur more than once. */
  readonly repeated: ReadonlySet<string>;
  readonly #text: string;
  readonly #endOffset: number;

  constructor(
    fields: ReadonlyMap<string, JsonValue>,
    repeated: ReadonlySet<string>,
    place: { readonly text: string; readonly endOffset: number },
  ) {
    this.fields = fields;
    this.repeated = repeated;
    this.#text = place.text;
    this.#endOffset = place.endOffset;
  }

  /** Where the object ends; computed only for the error that needs it. */
  get end(): TextPosition {
    return toPosition(this.#text, this.#endOffset);
  }
}

/** As deep as the reference's parser goes. */
const MAX_DEPTH = 128;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ["null", null],
  ["true", true],
  ["false", false],
]);

/** Text that is not the bcp manifest it should be. */
export class ManifestSyntaxError extends SyntaxError {
  override readonly name = "ManifestSyntaxError";
  readonly line: number;
  readonly column: number;

  constructor(reason: string, position: TextPosition) {
    super(`${reason} at line ${position.line} column ${position.column}`);
    this.line = position.line;
    this.column = position.column;
  }
}

/**
 * Parses one JSON document.
 *
 * @throws {ManifestSyntaxError} where the text stops being strict JSON.
 */
export function parseJson(text: string): JsonValue {
  const parser = new JsonParser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

class JsonParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw this.#error("recursion limit exceeded");
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      case undefined:
        throw this.#error("EOF while parsing a value");
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#error("expected value");
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error("trailing characters");
  }

  #object(depth: number): JsonObject {
    const fields = new Map<string, JsonValue>();
    const repeated = new Set<string>();
    this.#at++;
    if (this.#take("}")) return this.#close(fields, repeated);
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#unexpected("key must be a string", "an object");
      const key = this.#string();
      if (fields.has(key)) repeated.add(key);
      if (!this.#take(":")) throw this.#unexpected("expected `:`", "an object");
      fields.set(key, this.value(depth + 1));
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#unexpected("expected `,` or `}`", "an object");
    return this.#close(fields, repeated);
  }

  #close(fields: Map<string, JsonValue>, repeated: Set<string>): JsonObject {
    return new JsonObject(fields, repeated, { text: this.#text, endOffset: this.#at });
  }

  #array(depth: number): readonly JsonValue[] {
    const values: JsonValue[] = [];
    this.#at++;
    if (this.#take("]")) return values;
    do values.push(this.value(depth + 1)); while (this.#take(","));
    if (!this.#take("]")) throw this.#unexpected("expected `,` or `]`", "a list");
    return values;
  }

  #string(): string {
    const start = this.#at;
    const end = this.#findStringEnd(start + 1);
    if (end < 0) throw this.#error("EOF while parsing a string");
    const text = parseStringLiteral(this.#text.slice(start, end));
    if (text === undefined) throw this.#error("invalid escape or control character in string");
    this.#at = end;
    if (!text.isWellFormed()) throw this.#error("lone surrogate in string");
    return text;
  }

  /** The index after the closing quote, or -1. */
  #findStringEnd(start: number): number {
    for (let quoteAt = this.#text.indexOf('"', start); quoteAt >= 0;) {
      let backslashes = 0;
      while (this.#text[quoteAt - 1 - backslashes] === "\\") backslashes++;
      if (backslashes % 2 === 0) return quoteAt + 1;
      quoteAt = this.#text.indexOf('"', quoteAt + 1);
    }
    return -1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #take(char: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #unexpected(reason: string, container: string): ManifestSyntaxError {
    const isEnd = this.#at >= this.#text.length;
    return this.#error(isEnd ? `EOF while parsing ${container}` : reason);
  }

  #error(reason: string): ManifestSyntaxError {
    return new ManifestSyntaxError(reason, toPosition(this.#text, this.#at));
  }
}

function toPosition(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function parseStringLiteral(source: string): string | undefined {
  try {
    return JSON.parse(source) as string;
  } catch {
    return undefined;
  }
}

// Text of one line → messages. Bounds nesting, so that nothing later meets a value it cannot walk.

import { classify, isDeeperThan, type JsonValue, type Message } from "./message.ts";

/** What one line of text holds. */
export type Parsed =
  | Message
  | { readonly kind: "batch"; readonly messages: readonly Message[] }
  | { readonly kind: "blank" }
  | { readonly kind: "malformed"; readonly reason: string };

/** Bounds on what is parsed. */
export interface ParseOptions {
  /** Deepest nesting of objects and arrays that is accepted. */
  readonly maxDepth: number;
  /** Most values in one message, members of objects and arrays counted each. */
  readonly maxValues: number;
}

const BOM = 0xfeff;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Longer lines are looked at before they are parsed: parsed, some need a hundred times the memory of their text. */
const MAX_UNSEEN_LENGTH = 64 * 1024;

/** Parses a line; tolerates a byte order mark, surrounding white space and a carriage return. Never throws. */
export function parseLine(line: string, options: ParseOptions): Parsed {
  const text = line.charCodeAt(0) === BOM ? line.slice(1) : line;
  if (text.length > MAX_UNSEEN_LENGTH) {
    const reason = findExcess(text, options);
    if (reason !== undefined) return { kind: "invalid", reason, id: undefined, reply: true };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === ""
      ? { kind: "blank" }
      : { kind: "malformed", reason: "The line is not valid JSON" };
  }
  // Each level costs at least two characters, so a short line cannot be too deep.
  if (text.length > 2 * options.maxDepth && isDeeperThan(value, options.maxDepth)) {
    return invalidDepth(value, options.maxDepth);
  }
  if (!Array.isArray(value)) return classify(value);
  if (value.length === 0) {
    return { kind: "invalid", reason: "A batch must not be empty", id: undefined, reply: true };
  }
  return { kind: "batch", messages: value.map(classify) };
}

/** Which bound the text breaks, if it is JSON at all; a text that is none is left to the parser. */
function findExcess(text: string, { maxDepth, maxValues }: ParseOptions): string | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = findStringEnd(text, index);
      if (index === -1) return undefined;
    } else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return tooDeep(maxDepth);
    } else if (CLOSING.has(code)) {
      depth -= 1;
    } else if (code === COMMA) {
      values += 1;
      if (values > maxValues) return `The message holds more than ${maxValues} values`;
    }
  }
  return undefined;
}

function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

function tooDeep(maxDepth: number): string {
  return `The message nests deeper than ${maxDepth} levels`;
}

function invalidDepth(value: JsonValue, maxDepth: number): Message {
  const message = classify(value);
  const id = message.kind === "request" || message.kind === "invalid" ? message.id : undefined;
  const reply = message.kind !== "response" && message.kind !== "notification";
  return { kind: "invalid", reason: tooDeep(maxDepth), id, reply };
}

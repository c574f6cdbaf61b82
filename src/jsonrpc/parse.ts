// Text of one line → messages. Bounds nesting, so that nothing later meets a value it cannot walk.

import { isDeeperThan, type JsonValue } from "./json.ts";
import { classify, type Message } from "./message.ts";

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
}

const BOM = 0xfeff;

/** Parses a line; tolerates a byte order mark, surrounding white space and a carriage return. Never throws. */
export function parseLine(line: string, options: ParseOptions): Parsed {
  const text = line.charCodeAt(0) === BOM ? line.slice(1) : line;
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

function invalidDepth(value: JsonValue, maxDepth: number): Message {
  const message = classify(value);
  const id = message.kind === "request" || message.kind === "invalid" ? message.id : undefined;
  const reply = message.kind !== "response" && message.kind !== "notification";
  return { kind: "invalid", reason: `The message nests deeper than ${maxDepth} levels`, id, reply };
}

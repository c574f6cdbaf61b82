// Edits of JSON with comments. Positions come from jsonc-parser's tree; the text around our entry is not touched, so
// comments, order, indentation and line ends stay as they are.

import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Entry, EntryValue } from "./client.ts";
import {
  formatFlat,
  formatMembers,
  formatObject,
  formatValue,
  type Members,
} from "./json_format.ts";
import {
  applyEdits,
  type ConfigEdit,
  type EntryPlace,
  findLineEnd,
  indentAt,
  lineOf,
  type TextEdit,
  trimmedEnd,
} from "./text_edit.ts";

/** Values of `SyntaxKind` and `ParseErrorCode`, which are const enums that isolated modules cannot import. */
const COMMA_TOKEN = 5;
const LINE_BREAK_TRIVIA = 14;
const TRIVIA: ReadonlySet<number> = new Set([12, 13, LINE_BREAK_TRIVIA, 15]);

/** Keys that make an entry a server somewhere else; beside a command they would contradict it. */
const REMOTE_KEYS: readonly string[] = ["url", "serverUrl", "httpUrl"];

type Found =
  | { readonly kind: "found"; readonly node: Node }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly reason: string };

/** Adds our entry, or brings the keys of it that are ours up to date; other keys in it stay. */
export function setJsonEntry(text: string, place: EntryPlace, entry: Entry): ConfigEdit {
  const lineEnd = findLineEnd(text);
  if (text.trim() === "") {
    const style = { lineEnd, unit: "  ", indent: "" };
    const value = formatObject({ [place.container]: { [place.name]: entry } }, style);
    return { kind: "changed", text: value + lineEnd };
  }
  const root = parseRoot(text);
  if (root.kind !== "found") return toRefusal(root);
  const unit = findUnit(text, root.node);
  const container = findObject(text, root.node, place.container);
  if (container.kind === "refused") return container;
  if (container.kind === "missing") {
    const members = { [place.container]: { [place.name]: entry } };
    return finish(text, insertMembers(text, root.node, members, unit), place, entry);
  }
  const old = findObject(text, container.node, place.name);
  if (old.kind === "refused") return old;
  const edits = old.kind === "missing"
    ? insertMembers(text, container.node, { [place.name]: entry }, unit)
    : updateMembers(text, old.node, entry, unit);
  if ("reason" in edits) return edits;
  return edits.length === 0 ? { kind: "unchanged" } : finish(text, edits, place, entry);
}

/** Takes our entry out, with the comma that it needed. */
export function removeJsonEntry(text: string, place: EntryPlace): ConfigEdit {
  if (text.trim() === "") return { kind: "unchanged" };
  const root = parseRoot(text);
  if (root.kind !== "found") return toRefusal(root);
  const container = findObject(text, root.node, place.container);
  if (container.kind === "refused") return container;
  if (container.kind === "missing") return { kind: "unchanged" };
  const members = container.node.children ?? [];
  const at = members.findIndex((member) => keyOf(member) === place.name);
  const member = members[at];
  if (member === undefined) return { kind: "unchanged" };
  if (members.some((other, index) => index > at && keyOf(other) === place.name)) {
    return refuse(`holds "${place.name}" twice; remove one of them`);
  }
  const end = endOf(member);
  const comma = findComma(text, end);
  const rest = text.slice(comma === undefined ? end : comma + 1);
  // What follows on the same line must not slip behind a comment that ends the line before.
  const start = /^[ \t]*\r?\n/.test(rest) ? trimmedEnd(text, member.offset) : member.offset;
  const edits: TextEdit[] = [
    { offset: start, length: (comma === undefined ? end : comma + 1) - start, content: "" },
  ];
  const before = members[at - 1];
  if (comma === undefined && before !== undefined) {
    const offset = findComma(text, endOf(before));
    // It may lie in what is removed already: a comma at the start of our own line.
    if (offset !== undefined && offset < start) edits.push({ offset, length: 1, content: "" });
  }
  const changed = applyEdits(text, edits);
  const check = parseRoot(changed);
  return check.kind === "found" ? { kind: "changed", text: changed } : toRefusal(check);
}

/** Reads our entry back; `undefined` when it is not there. */
export function readJsonEntry(text: string, place: EntryPlace): unknown {
  const root = parseRoot(text);
  if (root.kind !== "found") return undefined;
  const container = findObject(text, root.node, place.container);
  if (container.kind !== "found") return undefined;
  const entry = findMember(text, container.node, place.name);
  return entry.kind === "found" ? getNodeValue(entry.node) : undefined;
}

function parseRoot(text: string): Found {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse("nests too deep to be a configuration");
  }
  const [error] = errors;
  if (error !== undefined) {
    const what = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
    return refuse(
      `is not valid JSON (${what.toLowerCase()} at line ${
        lineOf(text, error.offset)
      }); mend it first`,
    );
  }
  if (root?.type !== "object") {
    return refuse(`holds ${toWords(root)} where an object belongs; mend it first`);
  }
  return { kind: "found", node: root };
}

function findMember(text: string, parent: Node, key: string): Found {
  const found = (parent.children ?? []).filter((member) => keyOf(member) === key);
  const [member, second] = found;
  if (member === undefined) return { kind: "missing" };
  if (second !== undefined) {
    const line = lineOf(text, second.offset);
    return refuse(`holds "${key}" twice (again at line ${line}); remove one of them`);
  }
  const node = member.children?.[1];
  return node === undefined ? { kind: "missing" } : { kind: "found", node };
}

function findObject(text: string, parent: Node, key: string): Found {
  const found = findMember(text, parent, key);
  if (found.kind !== "found" || found.node.type === "object") return found;
  const what = toWords(found.node);
  return refuse(`holds ${what} at "${key}" where an object belongs; mend it first`);
}

function updateMembers(
  text: string,
  node: Node,
  entry: Entry,
  unit: string,
): readonly TextEdit[] | { readonly kind: "refused"; readonly reason: string } {
  const remote = REMOTE_KEYS.find((key) => findMember(text, node, key).kind === "found");
  if (remote !== undefined) {
    return refuse(`has an entry of that name with "${remote}", a server elsewhere; give --name`);
  }
  const edits: TextEdit[] = [];
  const missing: Record<string, EntryValue> = {};
  for (const [key, value] of Object.entries(entry)) {
    const found = findMember(text, node, key);
    if (found.kind === "refused") return found;
    if (found.kind === "missing") {
      missing[key] = value;
      continue;
    }
    if (JSON.stringify(getNodeValue(found.node)) === JSON.stringify(value)) continue;
    const { offset, length } = found.node;
    const indent = indentAt(text, offset);
    const isFlat = !text.slice(offset, offset + length).includes("\n");
    const style = { lineEnd: findLineEnd(text), unit, indent };
    const content = isFlat ? formatFlat(value) : formatValue(value, style, 0);
    edits.push({ offset, length, content });
  }
  if (Object.keys(missing).length > 0) edits.push(...insertMembers(text, node, missing, unit));
  return edits;
}

function insertMembers(text: string, node: Node, members: Members, unit: string): TextEdit[] {
  const lineEnd = findLineEnd(text);
  const open = node.offset + 1;
  const close = endOf(node) - 1;
  const children = node.children ?? [];
  const [first] = children;
  const last = children.at(-1);
  if (first === undefined || last === undefined) {
    const indent = indentAt(text, node.offset);
    const start = Math.max(open, trimmedEnd(text, close));
    const inner = formatMembers(members, { lineEnd, unit, indent: indent + unit });
    const content = `${lineEnd}${indent}${unit}${inner}${lineEnd}${indent}`;
    return [{ offset: start, length: close - start, content }];
  }
  const comma = findComma(text, endOf(last));
  const edits: TextEdit[] = [];
  if (comma === undefined) edits.push({ offset: endOf(last), length: 0, content: "," });
  const end = comma === undefined ? endOf(last) : comma + 1;
  const tail = comma === undefined ? "" : ",";
  if (!text.slice(open, first.offset).includes("\n")) {
    const gap = text[open] === '"' ? "" : " ";
    const content = Object.entries(members)
      .map(([key, value]) => `${gap}${JSON.stringify(key)}:${gap}${formatFlat(value, gap)}`)
      .join(",");
    return [...edits, { offset: end, length: 0, content: content + tail }];
  }
  const indent = indentAt(text, first.offset);
  const content = `${lineEnd}${indent}${formatMembers(members, { lineEnd, unit, indent })}${tail}`;
  return [...edits, { offset: skipRemark(text, end), length: 0, content }];
}

/** A comment on the rest of the line belongs to what stands before it. */
function skipRemark(text: string, position: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(position);
  let end = position;
  for (let token: number = scanner.scan(); TRIVIA.has(token); token = scanner.scan()) {
    if (token === LINE_BREAK_TRIVIA) return Math.max(end, position);
    const stop = scanner.getTokenOffset() + scanner.getTokenLength();
    if (text.slice(scanner.getTokenOffset(), stop).includes("\n")) return position;
    if (token !== 15) end = stop;
  }
  // Something else stands on this line, such as the closing brace.
  return position;
}

function findComma(text: string, position: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(position);
  const token: number = scanner.scan();
  return token === COMMA_TOKEN ? scanner.getTokenOffset() : undefined;
}

function findUnit(text: string, root: Node): string {
  const [first] = root.children ?? [];
  if (first === undefined || !text.slice(root.offset, first.offset).includes("\n")) return "  ";
  const indent = indentAt(text, first.offset).slice(indentAt(text, root.offset).length);
  return indent === "" ? "  " : indent;
}

/** Parses what came out: an edit that does not say what it should is never written. */
function finish(
  text: string,
  edits: readonly TextEdit[],
  place: EntryPlace,
  entry: Entry,
): ConfigEdit {
  const changed = applyEdits(text, edits);
  const written = readJsonEntry(changed, place);
  const isRight = typeof written === "object" && written !== null &&
    Object.entries(entry).every(([key, value]) =>
      JSON.stringify(Object.entries(written).find(([name]) => name === key)?.[1]) ===
        JSON.stringify(value)
    );
  return isRight
    ? { kind: "changed", text: changed }
    : refuse("is laid out in a way that cannot be edited safely; add the entry by hand");
}

function toRefusal(found: Found): ConfigEdit {
  return found.kind === "refused" ? found : refuse("holds no object");
}

function refuse(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

function keyOf(member: Node): unknown {
  return member.children?.[0]?.value;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function toWords(node: Node | undefined): string {
  if (node === undefined) return "nothing";
  return node.type === "null" ? "null" : node.type === "array" ? "an array" : `a ${node.type}`;
}

// Edits of TOML that touch one table. Positions come from toml-eslint-parser's tree, which keeps the ranges that
// value-only parsers throw away; everything outside our table keeps its bytes.

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import type { Entry, EntryValue } from "./client.ts";
import {
  applyEdits,
  type ConfigEdit,
  type EntryPlace,
  findLineEnd,
  lineEndAfter,
  type TextEdit,
} from "./text_edit.ts";

type Parsed =
  | { readonly kind: "parsed"; readonly root: AST.TOMLTopLevelTable; readonly value: unknown }
  | { readonly kind: "refused"; readonly reason: string };

/** Adds our table at the end, or brings the keys of it that are ours up to date; other keys in it stay. */
export function setTomlEntry(text: string, place: EntryPlace, entry: Entry): ConfigEdit {
  const parsed = parse(text);
  if (parsed.kind === "refused") return parsed;
  const container = memberOf(parsed.value, place.container);
  if (container !== undefined && !isTable(container)) {
    return refuse(`holds no table at "${place.container}"; mend it first`);
  }
  const old = memberOf(container, place.name);
  if (old === undefined) {
    const changed = appendTable(text, place, entry);
    return finish(changed, place, entry, `writes "${place.container}" inline`);
  }
  const table = findTable(parsed.root, place);
  if (table === undefined || !isTable(old)) {
    return refuse(`does not write "${place.container}.${place.name}" as a table; write it as one`);
  }
  if (memberOf(old, "url") !== undefined) {
    return refuse('has an entry of that name with "url", a server elsewhere; give --name');
  }
  const edits = updateTable(text, table, old, entry);
  if (edits.length === 0) return { kind: "unchanged" };
  return finish(applyEdits(text, edits), place, entry, "is laid out in an unusual way");
}

/** Takes our table and the tables below it out, with the blank line that came before. */
export function removeTomlEntry(text: string, place: EntryPlace): ConfigEdit {
  const parsed = parse(text);
  if (parsed.kind === "refused") return parsed;
  if (memberOf(memberOf(parsed.value, place.container), place.name) === undefined) {
    return { kind: "unchanged" };
  }
  const edits: TextEdit[] = [];
  for (const node of parsed.root.body) {
    if (node.type !== "TOMLTable" || !isBelow(node, place)) continue;
    const end = lineEndAfter(text, node.range[1]);
    const stop = text.startsWith("\r\n", end) ? end + 2 : Math.min(end + 1, text.length);
    const start = skipBlankLine(text, node.range[0]);
    edits.push({ offset: start, length: stop - start, content: "" });
  }
  const changed = applyEdits(text, edits);
  const after = parse(changed);
  if (after.kind === "refused") return after;
  return memberOf(memberOf(after.value, place.container), place.name) === undefined
    ? { kind: "changed", text: changed }
    : refuse(`does not write "${place.container}.${place.name}" as a table; remove it by hand`);
}

/** Reads our entry back; `undefined` when it is not there. */
export function readTomlEntry(text: string, place: EntryPlace): unknown {
  const parsed = parse(text);
  if (parsed.kind === "refused") return undefined;
  return memberOf(memberOf(parsed.value, place.container), place.name);
}

function parse(text: string): Parsed {
  try {
    const program = parseTOML(text, { tomlVersion: "1.0" });
    return { kind: "parsed", root: program.body[0], value: getStaticTOMLValue(program) };
  } catch (error) {
    if (error instanceof RangeError) return refuse("nests too deep to be a configuration");
    if (!(error instanceof ParseError)) throw error;
    const what = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    return refuse(`is not valid TOML (${what} at line ${error.lineNumber}); mend it first`);
  }
}

function findTable(root: AST.TOMLTopLevelTable, place: EntryPlace): AST.TOMLTable | undefined {
  return root.body.find((node): node is AST.TOMLTable =>
    node.type === "TOMLTable" && node.kind === "standard" && node.resolvedKey.length === 2 &&
    isBelow(node, place)
  );
}

function isBelow({ resolvedKey }: AST.TOMLTable, { container, name }: EntryPlace): boolean {
  return resolvedKey[0] === container && resolvedKey[1] === name;
}

function appendTable(text: string, place: EntryPlace, entry: Entry): string {
  const lineEnd = findLineEnd(text);
  const lines = [
    `[${toKey(place.container)}.${toKey(place.name)}]`,
    ...Object.entries(entry).map(([key, value]) => `${toKey(key)} = ${toValue(value)}`),
  ];
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
  return text + gap + lines.join(lineEnd) + lineEnd;
}

function updateTable(
  text: string,
  table: AST.TOMLTable,
  old: object,
  entry: Entry,
): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  const missing: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const current = memberOf(old, key);
    if (JSON.stringify(current) === JSON.stringify(value)) continue;
    const node = table.body.find((pair) => pair.key.keys.length === 1 && nameOf(pair) === key);
    if (node === undefined) missing.push(`${toKey(key)} = ${toValue(value)}`);
    else {
      const [offset, end] = node.value.range;
      edits.push({ offset, length: end - offset, content: toValue(value) });
    }
  }
  if (missing.length > 0) {
    const lineEnd = findLineEnd(text);
    const offset = lineEndAfter(text, table.range[1]);
    const content = missing.map((line) => lineEnd + line).join("");
    edits.push({ offset, length: 0, content });
  }
  return edits;
}

/** Parses what came out: an edit that does not say what it should is never written. */
function finish(text: string, place: EntryPlace, entry: Entry, obstacle: string): ConfigEdit {
  const written = readTomlEntry(text, place);
  const isRight = Object.entries(entry).every(([key, value]) =>
    JSON.stringify(memberOf(written, key)) === JSON.stringify(value)
  );
  return isRight ? { kind: "changed", text } : refuse(`${obstacle}; add the entry by hand`);
}

function skipBlankLine(text: string, start: number): number {
  const blank = /(?:^|(?<=\n))\r?\n$/.exec(text.slice(Math.max(0, start - 3), start));
  return blank === null ? start : start - blank[0].length;
}

function nameOf(pair: AST.TOMLKeyValue): string | undefined {
  const [key] = pair.key.keys;
  if (key === undefined) return undefined;
  return key.type === "TOMLBare" ? key.name : key.value;
}

function memberOf(value: unknown, key: string): unknown {
  if (!isTable(value)) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}

function toKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : toText(key);
}

function toValue(value: EntryValue): string {
  return typeof value === "string" ? toText(value) : `[${value.map(toText).join(", ")}]`;
}

/** A basic string; JSON's escapes are TOML's, but for DEL, which TOML wants escaped. */
function toText(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007F");
}

function refuse(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

// Our own entry as JSON text, in the style of the file that it goes into.

import type { EntryValue } from "./client.ts";

/** Longest line that a list is kept on. */
const MAX_LINE = 100;

/** How a text lays out its objects. */
export interface Style {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Indentation of the line that the value begins on. */
  readonly indent: string;
}

/** Keys and values, as deep as an entry in its container goes. */
export type Members = { readonly [key: string]: EntryValue | Members };

/** An object over several lines. */
export function formatObject(members: Members, style: Style): string {
  const inner = { ...style, indent: style.indent + style.unit };
  const body = formatMembers(members, inner);
  return `{${style.lineEnd}${inner.indent}${body}${style.lineEnd}${style.indent}}`;
}

/** The inside of an object, one member a line, without its first indentation. */
export function formatMembers(members: Members, style: Style): string {
  return Object.entries(members).map(([key, value]) => {
    const head = `${JSON.stringify(key)}: `;
    return head + formatValue(value, style, head.length);
  }).join(`,${style.lineEnd}${style.indent}`);
}

/** A value; a list stays on its line where that is not too long. */
export function formatValue(value: EntryValue | Members, style: Style, headLength: number): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (!isList(value)) return formatObject(value, style);
  const flat = formatFlat(value);
  if (style.indent.length + headLength + flat.length < MAX_LINE) return flat;
  const inner = style.lineEnd + style.indent + style.unit;
  return `[${inner}${
    value.map((item) => JSON.stringify(item)).join(`,${inner}`)
  }${style.lineEnd}${style.indent}]`;
}

/** A value on one line; without gaps in a file that has none. */
export function formatFlat(value: EntryValue | Members, gap = " "): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => JSON.stringify(item)).join(`,${gap}`)}]`;
  const members = Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${gap}${formatFlat(member, gap)}`);
  return `{${gap}${members.join(`,${gap}`)}${gap}}`;
}

function isList(value: EntryValue | Members): value is readonly string[] {
  return Array.isArray(value);
}

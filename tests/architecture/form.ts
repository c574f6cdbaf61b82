// How a file looks: its length, its head, its words, what it says about its exports.

import { isEntry, isProduct } from "./layers.ts";
import { findExports, maskLiterals, type Sources, type Violation } from "./source.ts";

const MAX_LINES = 300;
const MAX_HEAD_LINES = 5;

/** Words that name nothing. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "util utils utility utilities helper helpers common shared misc manager service impl base data info"
    .split(" "),
);

/** Words of which the glossary has another for the same thing, and that mean nothing else. */
const WRONG_WORDS: ReadonlySet<string> = new Set(
  "packet serializer upstream consumer plugin driver registry dispatcher executor jail backend preferences settings"
    .split(" "),
);

/** Names that end in a digit by right. */
const NUMBERED = /(?:utf8|utf16|u?int\d+|float\d+|base64|blake3|crc32|sha256)$/i;

const FORBIDDEN = [
  { rule: "default export", pattern: /\bexport\s+default\b|\bas\s+default\b/g },
  { rule: "private keyword", pattern: /\b(?:private|protected|public)\s+[\w#[]+/g },
  { rule: "enum", pattern: /\benum\s+\w+/g },
  { rule: "double cast", pattern: /\bas\s+unknown\s+as\b/g },
  {
    rule: "arrow function",
    pattern:
      /^(?:export\s+)?const\s+\w+[^=;]*=\s*(?:async\s*)?(?:\w+|\([^;]*?\))\s*(?::[^=;]+)?=>/gm,
  },
] as const;

/** Syntax that this code base does without. */
export function findForbiddenSyntax(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    const masked = maskLiterals(text);
    for (const { rule, pattern } of FORBIDDEN) {
      for (const [found] of masked.matchAll(pattern)) {
        violations.push({ rule, path, message: `has "${found.split("\n")[0]}"` });
      }
    }
  }
  return violations;
}

/** Files that are too long or do not begin by saying what they are for. */
export function findMisshapen(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    const lines = text.trimEnd().split("\n");
    if (lines.length > MAX_LINES) {
      violations.push({ rule: "length", path, message: `has ${lines.length} lines` });
    }
    if (isEntry(path) ? !text.startsWith("/**") : !isHead(lines)) {
      violations.push({
        rule: "head",
        path,
        message: `needs a head comment of one to ${MAX_HEAD_LINES} lines`,
      });
    }
  }
  return violations;
}

/** Exports without JSDoc. */
export function findUndocumented(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    for (const { name, isDocumented } of findExports(text)) {
      if (!isDocumented) violations.push({ rule: "doc", path, message: `${name} has no JSDoc` });
    }
  }
  return violations;
}

/** Names of files and exports that say nothing, or say it in a word that the glossary replaces. */
export function findBadNames(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    const file = path.replace(/\.ts$/, "");
    if (!/^[a-z\d_/]+$/.test(file)) {
      violations.push({ rule: "name", path, message: "is not in snake_case" });
    }
    for (const word of file.split(/[/_]/)) {
      const message = judgeWord(word);
      if (message !== undefined) violations.push({ rule: "name", path, message });
    }
    for (const { name } of findExports(text)) {
      const message = judgeName(name);
      if (message !== undefined) {
        violations.push({ rule: "name", path, message: `${name} ${message}` });
      }
    }
  }
  return violations;
}

/** Line comments and a blank line, or one JSDoc block. */
function isHead(lines: readonly string[]): boolean {
  if (lines[0]?.startsWith("/**") === true) {
    const end = lines.findIndex((line) => line.endsWith("*/"));
    return end !== -1 && end <= MAX_HEAD_LINES + 1;
  }
  const count = lines.findIndex((line) => !line.startsWith("//"));
  return count >= 1 && count <= MAX_HEAD_LINES && lines[count] === "";
}

function judgeName(name: string): string | undefined {
  if (/^I[A-Z][a-z]/.test(name)) return 'has the prefix "I"';
  if (/^handle[A-Z]/.test(name)) return 'says "handle" where a real verb exists';
  if (/[a-z]\d$/.test(name) && !NUMBERED.test(name)) return "ends in a number";
  for (const word of splitWords(name)) {
    const message = judgeWord(word);
    if (message !== undefined) return message;
  }
  return undefined;
}

function judgeWord(word: string): string | undefined {
  if (EMPTY_WORDS.has(word)) return `says "${word}", which names nothing`;
  if (WRONG_WORDS.has(word)) return `says "${word}", for which the glossary has another word`;
  return undefined;
}

/** The words of a name in any case: `camelCase`, `PascalCase` or `UPPER_CASE`. */
function splitWords(name: string): string[] {
  return name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase().split("_");
}

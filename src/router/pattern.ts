// Regular expressions of schemas, matched in bounded time, so that no pattern can hang the server: by RE2, whose time is
// linear in the text, and by the built-in engine only what RE2 cannot express and what cannot take long.

import { RE2JS } from "re2js";

/** Most text times pattern for RE2; about a second of work. */
const MAX_LINEAR_WORK = 50_000_000;

/** Most ways in which the built-in engine may try to match; about a second of work. */
const MAX_ATTEMPTS = 100_000_000;

/** Longest text that the built-in engine is given, however simple the pattern. */
const MAX_NATIVE_LENGTH = 4096;

/** A pattern that could not be tried on texts of this length is of no use. */
const MIN_NATIVE_LENGTH = 16;

/** The part of `RegExp` that a validator uses. */
export interface Pattern {
  /** Whether the text matches; a text that is too long to be tried does not. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern of a schema. What RE2 cannot express (look-around, back references) is left to the built-in
 * engine if no repetition is nested, and only on texts short enough.
 *
 * @throws SyntaxError when the pattern is malformed or could take too long.
 */
export function compilePattern(source: string): Pattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return compileNative(source);
  }
  const maxLength = MAX_LINEAR_WORK / compiled.programSize();
  return { test: (text) => text.length <= maxLength && compiled.test(text) };
}

function compileNative(source: string): Pattern {
  const maxLength = findMaxLength(source);
  if (maxLength < MIN_NATIVE_LENGTH) {
    throw new SyntaxError(`Cannot use pattern "${source}": it may take too long`);
  }
  const compiled = new RegExp(source, "u");
  return { test: (text) => text.length <= maxLength && compiled.test(text) };
}

/** What a group, or the whole pattern, may cost: `choices` ways times the text's length to the power of `loops`. */
interface Group {
  readonly isLookaround: boolean;
  loops: number;
  /** Loops of the costliest look-around inside, which may be tried anew at every step of the loops around it. */
  innerLoops: number;
  choices: number;
  alternatives: number;
}

/** The longest text that a backtracking engine can try in time; 0 when there is none. */
function findMaxLength(source: string): number {
  const open: Group[] = [openGroup(false)];
  for (let index = 0; index < source.length; index++) {
    const group = open.at(-1) ?? openGroup(false);
    const rest = source.slice(index, index + 12);
    if (rest[0] === "\\") {
      index += 1;
      // A back reference compares up to the whole text once more.
      if (/[1-9k]/.test(rest[1] ?? "")) group.loops += 1;
    } else if (rest[0] === "[") index = skipClass(source, index);
    else if (rest[0] === "|") group.alternatives += 1;
    else if (rest[0] === "(") {
      open.push(openGroup(/^\(\?<?[=!]/.test(rest)));
      if (rest[1] === "?") index += 1;
    } else if (rest[0] === ")") {
      open.pop();
      const parent = open.at(-1);
      if (parent === undefined) return 0;
      if (isBranching(group) && /[*+{]/.test(source[index + 1] ?? "")) return 0;
      parent.choices *= group.choices * group.alternatives;
      // A look-around is left for good once it has matched: its loops do not multiply with those of another.
      const innerLoops = group.innerLoops + (group.isLookaround ? group.loops : 0);
      parent.innerLoops = Math.max(parent.innerLoops, innerLoops);
      if (!group.isLookaround) parent.loops += group.loops;
    } else {
      const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(rest) ?? [];
      if (quantifier === undefined) continue;
      if (quantifier.startsWith("?")) group.choices *= 2;
      else if (!/^\{\d+\}/.test(quantifier)) group.loops += 1;
      index += quantifier.length - 1;
    }
  }
  const [whole] = open;
  if (whole === undefined) return 0;
  const attempts = MAX_ATTEMPTS / (whole.choices * whole.alternatives);
  // Unless all of it is held to the start, the search begins anew at every place of the text.
  const isHeld = source.startsWith("^") && whole.alternatives === 1;
  const loops = whole.loops + whole.innerLoops + (isHeld ? 0 : 1);
  return Math.min(MAX_NATIVE_LENGTH, Math.floor(attempts ** (1 / loops)));
}

function openGroup(isLookaround: boolean): Group {
  return { isLookaround, loops: 0, innerLoops: 0, choices: 1, alternatives: 1 };
}

/** Whether a group can match the same text in several ways; repeated, they multiply without end. */
function isBranching(group: Group): boolean {
  return group.loops > 0 || group.choices > 1 || group.alternatives > 1;
}

function skipClass(source: string, start: number): number {
  let index = start + 1;
  while (index < source.length && source[index] !== "]") index += source[index] === "\\" ? 2 : 1;
  return index;
}

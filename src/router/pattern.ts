// Regular expressions of schemas, matched in time linear in the text (RE2), so that no pattern can hang the server.

import { RE2JS } from "re2js";

/** Longest text that a pattern beyond RE2 is tried on. */
const MAX_NATIVE_LENGTH = 4096;

/** The part of `RegExp` that a validator uses. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Compiles a pattern of a schema. What RE2 cannot express (look-around, back references) is left to the built-in
 * engine if no repetition is nested, and only on short texts.
 *
 * @throws SyntaxError when the pattern is malformed or could take exponential time.
 */
export function compilePattern(source: string): Pattern {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return { test: (text) => compiled.test(text) };
  } catch {
    return compileNative(source);
  }
}

function compileNative(source: string): Pattern {
  if (hasNestedRepetition(source)) {
    throw new SyntaxError(`Cannot use pattern "${source}": it may take exponential time`);
  }
  const compiled = new RegExp(source, "u");
  return { test: (text) => text.length <= MAX_NATIVE_LENGTH && compiled.test(text) };
}

/** Whether a repeated group itself holds a repetition or a choice. */
function hasNestedRepetition(source: string): boolean {
  const open: boolean[] = [];
  let branching = false;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character === "\\") index += 1;
    else if (character === "[") index = skipClass(source, index);
    else if (character === "(") {
      open.push(branching);
      branching = false;
    } else if (character === ")") {
      const inner: boolean = branching;
      if (inner && isRepeat(source[index + 1])) return true;
      branching = (open.pop() ?? false) || inner;
    } else if (isRepeat(character) || character === "|") branching = true;
  }
  return false;
}

function isRepeat(character: string | undefined): boolean {
  return character === "*" || character === "+" || character === "{";
}

function skipClass(source: string, start: number): number {
  let index = start + 1;
  while (index < source.length && source[index] !== "]") index += source[index] === "\\" ? 2 : 1;
  return index;
}

// Reading TypeScript without a compiler: what is code, what a file imports, what it exports.

/** Text of files by their path from the root of the repository. */
export type Sources = ReadonlyMap<string, string>;

/** What breaks a rule, and where. */
export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** One import, static or dynamic, types included; `undefined` when the specifier is computed. */
export interface Import {
  readonly specifier: string | undefined;
}

/** One exported declaration. */
export interface Export {
  readonly name: string;
  readonly isDocumented: boolean;
}

const BEFORE_REGEXP = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase)\s*$/;

/** The text with comments and the insides of literals blanked; every character keeps its place. */
export function maskLiterals(text: string): string {
  const out: string[] = [];
  /** Depths of braces at which an interpolation of a template ends. */
  const templates: number[] = [];
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const two = text.slice(index, index + 2);
    const one = text.charAt(index);
    if (two === "//") blankTo(endOf("\n"));
    else if (two === "/*") blankTo(endOf("*/") + 2);
    else if (one === '"' || one === "'") quoted(one);
    else if (one === "`") template();
    else if (one === "/" && BEFORE_REGEXP.test(out.join("").slice(-40))) regexp();
    else if (one === "}" && templates.at(-1) === depth) {
      templates.pop();
      template();
    } else {
      if (one === "{") depth += 1;
      if (one === "}") depth -= 1;
      out.push(one);
      index += 1;
    }
  }
  return out.join("");

  function endOf(mark: string): number {
    const found = text.indexOf(mark, index + 2);
    return found === -1 ? text.length : found;
  }

  function blankTo(end: number): void {
    for (; index < Math.min(end, text.length); index++) {
      out.push(text[index] === "\n" ? "\n" : " ");
    }
  }

  function keep(): void {
    out.push(text.charAt(index));
    index += 1;
  }

  function skipTo(isEnd: (character: string) => boolean): void {
    let end = index;
    while (end < text.length && !isEnd(text.charAt(end))) end += text[end] === "\\" ? 2 : 1;
    blankTo(end);
  }

  function quoted(mark: string): void {
    keep();
    skipTo((character) => character === mark || character === "\n");
    if (index < text.length) keep();
  }

  function template(): void {
    keep();
    let end = index;
    while (end < text.length && text[end] !== "`" && text.slice(end, end + 2) !== "${") {
      end += text[end] === "\\" ? 2 : 1;
    }
    blankTo(end);
    if (text[index] === "$") {
      blankTo(index + 1);
      templates.push(depth);
    }
    if (index < text.length) keep();
  }

  function regexp(): void {
    keep();
    let inClass = false;
    skipTo((character) => {
      if (character === "[") inClass = true;
      if (character === "]") inClass = false;
      return character === "\n" || (character === "/" && !inClass);
    });
    if (index < text.length) keep();
  }
}

const STATIC_IMPORT = /^\s*(?:import|export)\b[^;"'`()=]*?\bfrom\s*(["'])|^\s*import\s*(["'])/gm;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*(["']?)/g;

/** All imports and re-exports of a file. */
export function findImports(text: string): Import[] {
  const masked = maskLiterals(text);
  const found: Import[] = [];
  for (const match of masked.matchAll(STATIC_IMPORT)) {
    found.push({ specifier: literalAt(match.index + match[0].length, match[1] ?? match[2] ?? "") });
  }
  for (const match of masked.matchAll(DYNAMIC_IMPORT)) {
    const quote = match[1] ?? "";
    found.push({
      specifier: quote === "" ? undefined : literalAt(match.index + match[0].length, quote),
    });
  }
  return found;

  function literalAt(start: number, quote: string): string {
    return text.slice(start, text.indexOf(quote, start));
  }
}

const EXPORT =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|const|let|var|enum|namespace)\s+(\w+)/gm;

/** All declarations that a file exports; an overload counts as documented where its first form is. */
export function findExports(text: string): Export[] {
  const documented = new Set<string>();
  return [...maskLiterals(text).matchAll(EXPORT)].map((match) => {
    const name = match[1] ?? "";
    const before = text.slice(0, match.index).trimEnd();
    const comment = before.slice(before.lastIndexOf("/*"));
    if (before.endsWith("*/") && comment.startsWith("/**")) documented.add(name);
    return { name, isDocumented: documented.has(name) };
  });
}

/** The path that a relative specifier leads to. */
export function resolvePath(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

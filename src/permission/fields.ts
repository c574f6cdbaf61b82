// Typed access to the members of an untrusted JSON object. Every reader names the JSON pointer of what it refuses,
// and `rejectUnknown` makes sure that nothing in the object was left unread.

import { ManifestSyntaxError } from "./manifest_syntax_error.ts";

/** Most entries a list in a manifest may have. */
const MAX_ENTRIES = 256;

/** One JSON object under inspection and the members a caller has asked for so far. */
export class Fields {
  readonly pointer: string;
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #read = new Set<string>();

  /** @throws {ManifestSyntaxError} when the value is not a plain object. */
  constructor(value: unknown, pointer: string) {
    if (!isPlainObject(value)) throw new ManifestSyntaxError(pointer, "Expected an object");
    this.pointer = pointer;
    this.#members = new Map(Object.entries(value));
  }

  /** Pointer of a member, escaped as RFC 6901 asks. */
  at(name: string): string {
    return toPointer(this.pointer, name);
  }

  /** The raw member, or undefined when it is absent. */
  find(name: string): unknown {
    this.#read.add(name);
    return this.#members.get(name);
  }

  /** The member names, in document order. */
  names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** An object below this one; absent means empty, null does not. */
  section(name: string): Fields {
    const value = this.find(name);
    return new Fields(value === undefined ? {} : value, this.at(name));
  }

  text(name: string, fallback?: string): string {
    const value = this.find(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value !== "string") this.#fail(name, "Expected a string");
    return value;
  }

  choice<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.find(name);
    if (value === undefined) return fallback;
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) {
      this.#fail(name, `Expected one of ${values.map((word) => `"${word}"`).join(", ")}`);
    }
    return found;
  }

  flag(name: string): boolean {
    const value = this.find(name);
    if (value !== undefined && typeof value !== "boolean") {
      this.#fail(name, "Expected true or false");
    }
    return value === true;
  }

  integer(name: string, range: readonly [number, number], fallback: number): number {
    const value = this.find(name);
    if (value === undefined) return fallback;
    if (typeof value !== "number" || !Number.isSafeInteger(value)) {
      this.#fail(name, "Expected an integer");
    }
    if (value < range[0] || value > range[1]) {
      this.#fail(name, `Expected ${range[0]} to ${range[1]}, got ${value}`);
    }
    return value;
  }

  /** A list of distinct strings, each without a problem according to `findProblem`; absent means empty. */
  texts(name: string, findProblem: (text: string) => string | undefined): readonly string[] {
    const value = this.find(name);
    if (value === undefined) return Object.freeze([]);
    if (!Array.isArray(value)) this.#fail(name, "Expected a list of strings");
    if (value.length > MAX_ENTRIES) this.#fail(name, `Expected at most ${MAX_ENTRIES} entries`);
    const texts: string[] = [];
    for (const [index, entry] of value.entries()) {
      const pointer = toPointer(this.at(name), String(index));
      if (typeof entry !== "string") throw new ManifestSyntaxError(pointer, "Expected a string");
      const problem = findProblem(entry);
      if (problem !== undefined) throw new ManifestSyntaxError(pointer, problem);
      if (texts.includes(entry)) {
        throw new ManifestSyntaxError(pointer, "Entry is there twice; remove one");
      }
      texts.push(entry);
    }
    return Object.freeze(texts);
  }

  /** @throws {ManifestSyntaxError} for the first member nobody asked for. */
  rejectUnknown(): void {
    for (const name of this.#members.keys()) {
      if (!this.#read.has(name)) {
        const known = [...this.#read].map((word) => `"${word}"`).join(", ");
        this.#fail(name, `Unknown key; use one of ${known}, or remove it`);
      }
    }
  }

  #fail(name: string, problem: string): never {
    throw new ManifestSyntaxError(this.at(name), problem);
  }
}

/** Appends one reference token to a JSON pointer. */
export function toPointer(parent: string, name: string): string {
  return `${parent}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  // A "__proto__" member could otherwise lend members that no reader sees.
  return Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Typed access to the objects of a bcp manifest. Keys nobody asks for are ignored; null means absent;
 * whatever is asked for must have the right type and occur once.
 */
import { JsonObject, type JsonValue, ManifestSyntaxError, parseJson } from "./json.ts";

/** Largest unsigned 32-bit number. */
const MAX_UINT32 = 0xffff_ffff;

/** One object of a manifest. Every accessor throws {@linkcode ManifestSyntaxError} on a bad value. */
export class ManifestObject {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  findText(key: string): string | undefined {
    const value = this.#find(key);
    if (value === undefined || typeof value === "string") return value;
    throw this.#wrongType(value, "a string");
  }

  text(key: string): string {
    return this.findText(key) ?? this.#missing(key);
  }

  /** The first of two spellings that is there. */
  textOf(key: string, alias: string): string {
    return this.findText(key) ?? this.findText(alias) ?? this.#missing(key);
  }

  /** A whole number from 0 up to `max`. */
  findCount(key: string, max = MAX_UINT32): number | undefined {
    const value = this.#find(key);
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw this.#wrongType(value, "a number");
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    throw this.error(`invalid value: ${value}, expected an integer from 0 to ${max}`);
  }

  count(key: string): number {
    return this.findCount(key) ?? this.#missing(key);
  }

  findObjects(key: string): readonly ManifestObject[] | undefined {
    const value = this.#find(key);
    if (value === undefined) return undefined;
    if (!isList(value)) throw this.#wrongType(value, "a sequence");
    return value.map((item) => {
      if (item instanceof JsonObject) return new ManifestObject(item);
      throw this.#wrongType(item, "an object");
    });
  }

  objects(key: string): readonly ManifestObject[] {
    return this.findObjects(key) ?? this.#missing(key);
  }

  /** An error placed at the end of this object. */
  error(reason: string): ManifestSyntaxError {
    return new ManifestSyntaxError(reason, this.#object.end);
  }

  #find(key: string): JsonValue | undefined {
    if (this.#object.repeated.has(key)) throw this.error(`duplicate field \`${key}\``);
    return this.#object.fields.get(key) ?? undefined;
  }

  #missing(key: string): never {
    throw this.error(`missing field \`${key}\``);
  }

  #wrongType(value: JsonValue, expected: string): ManifestSyntaxError {
    return this.error(`invalid type: ${typeName(value)}, expected ${expected}`);
  }
}

/**
 * Parses text that must be one JSON object.
 *
 * @throws {ManifestSyntaxError} when it is not.
 */
export function parseManifestObject(text: string): ManifestObject {
  const value = parseJson(text);
  if (value instanceof JsonObject) return new ManifestObject(value);
  const reason = `invalid type: ${typeName(value)}, expected an object`;
  throw new ManifestSyntaxError(reason, { line: 1, column: 1 });
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (isList(value)) return "sequence";
  return typeof value === "object" ? "map" : typeof value;
}

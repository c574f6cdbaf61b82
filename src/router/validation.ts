// Values against schemas. Each schema is judged by its cost, then compiled once; the engine behind it is loaded when the
// first is needed.

import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import type { SchemaEngine } from "./schema_engine.ts";

/** What is wrong with a value: nothing, the value itself, or the schema it should fit. */
export type Verdict =
  | { readonly kind: "fits" }
  | { readonly kind: "misfit"; readonly reason: string }
  | { readonly kind: "bad_schema"; readonly reason: string };

type Judge = (value: JsonValue) => Verdict;

const FITS: Verdict = { kind: "fits" };

/** Judges values; keeps what it compiled for as long as the schema itself is kept. */
export class SchemaValidator {
  readonly #judges = new WeakMap<JsonObject, Judge>();
  #engine: Promise<SchemaEngine> | undefined;
  #loading: Promise<void> | undefined;

  /** While the engine is being loaded, once a process: resolves when that is over, even if it failed. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** Judges at once when the schema was seen before, else after compiling it. */
  judge(schema: JsonObject, value: JsonValue): Verdict | Promise<Verdict> {
    const judge = this.#judges.get(schema);
    return judge === undefined ? this.#compile(schema, value) : judge(value);
  }

  async #compile(schema: JsonObject, value: JsonValue): Promise<Verdict> {
    const reason = refuseSchema(schema);
    const judge = reason === undefined ? createJudge(schema, await this.#load()) : refusing(reason);
    this.#judges.set(schema, judge);
    return judge(value);
  }

  #load(): Promise<SchemaEngine> {
    if (this.#engine === undefined) {
      this.#engine = import("./schema_engine.ts").then(({ SchemaEngine }) => new SchemaEngine());
      const end = () => this.#loading = undefined;
      this.#loading = this.#engine.then(end, end);
    }
    return this.#engine;
  }
}

function createJudge(schema: JsonObject, engine: SchemaEngine): Judge {
  try {
    const validate = engine.compile(schema);
    return (value) => {
      const reason = validate(value);
      return reason === undefined ? FITS : { kind: "misfit", reason };
    };
  } catch (error) {
    return refusing(error instanceof Error ? error.message : String(error));
  }
}

function refusing(reason: string): Judge {
  return () => ({ kind: "bad_schema", reason });
}

// How much work a JSON Schema may cause per value, judged before it is ever used. Keywords that apply to the same value
// can multiply through references; a few hundred bytes can ask for years.

const MAX_SCHEMA_LENGTH = 256 * 1024;
const MAX_STEPS = 10_000;

/** Why a schema is refused, or nothing. */
export function refuseSchema(schema: JsonObject): string | undefined {
  const size = JSON.stringify(schema).length;
  if (size > MAX_SCHEMA_LENGTH) return `it has ${size} characters; at most ${MAX_SCHEMA_LENGTH}`;
  const steps = new StepCounter(schema);
  return steps.exceeds()
    ? `it asks for more than ${MAX_STEPS} steps on one value, or refers to itself without end`
    : undefined;
}

/** Counts the subschemas that apply to one and the same value, following local references. */
class StepCounter {
  readonly #root: JsonObject;
  readonly #known = new Map<JsonObject, number>();
  readonly #open = new Set<JsonObject>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Whether any subschema, wherever it stands, costs too much. */
  exceeds(): boolean {
    const pending: JsonValue[] = [this.#root];
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      if (typeof value !== "object" || value === null) continue;
      if (isObject(value) && this.#steps(value) > MAX_STEPS) return true;
      for (const member of Object.values(value)) if (member !== undefined) pending.push(member);
    }
    return false;
  }

  #steps(schema: JsonObject): number {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (this.#open.has(schema)) return Infinity;
    this.#open.add(schema);
    let steps = 1;
    for (const part of this.#parts(schema)) steps += this.#steps(part);
    this.#open.delete(schema);
    this.#known.set(schema, steps);
    return steps;
  }

  *#parts(schema: JsonObject): Generator<JsonObject> {
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const list = schema[keyword];
      if (Array.isArray(list)) { for (const part of list) if (isObject(part)) yield part; }
    }
    for (const keyword of ["not", "if", "then", "else"]) {
      const part = schema[keyword];
      if (isObject(part)) yield part;
    }
    if (isObject(schema.dependentSchemas)) {
      for (const part of Object.values(schema.dependentSchemas)) if (isObject(part)) yield part;
    }
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const target = this.#resolve(schema[keyword]);
      if (target !== undefined) yield target;
    }
  }

  #resolve(reference: JsonValue | undefined): JsonObject | undefined {
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    if (reference === "#") return this.#root;
    if (!reference.startsWith("#/")) return this.#findAnchor(reference.slice(1));
    let value: JsonValue | undefined = this.#root;
    for (const part of reference.slice(2).split("/")) {
      if (typeof value !== "object" || value === null) return undefined;
      const key = unescapePointer(part);
      value = Array.isArray(value) ? value[Number(key)] : (value as JsonObject)[key];
    }
    return isObject(value) ? value : undefined;
  }

  #findAnchor(name: string): JsonObject | undefined {
    const pending: JsonValue[] = [this.#root];
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      if (typeof value !== "object" || value === null) continue;
      if (isObject(value) && (value.$anchor === name || value.$dynamicAnchor === name)) {
        return value;
      }
      for (const member of Object.values(value)) if (member !== undefined) pending.push(member);
    }
    return undefined;
  }
}

function unescapePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

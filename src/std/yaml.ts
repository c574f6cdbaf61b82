// Stands in for `@std/yaml`, over npm `js-yaml`, so that everything installs from an npm registry
// alone. `import_map.jsr.json` puts the original in its place; the numbers of `yaml_number.ts` make
// both read the same values. Unlike the original it refuses aliases that multiply a document
// ("billion laughs"), cycles, and nesting deeper than 100.

import {
  binaryTag,
  CORE_SCHEMA,
  dump,
  FAILSAFE_SCHEMA,
  loadAll,
  mergeTag,
  omapTag,
  pairsTag,
  type Schema,
  timestampTag,
  YAMLException,
} from "js-yaml";
import { floatTag, intTag } from "./yaml_number.ts";

/** Which types plain values can have; `default` adds dates, binary and merge keys to `core`. */
export type SchemaType = "failsafe" | "json" | "core" | "default";

/** Options of {@linkcode parse}. */
export interface ParseOptions {
  /** By default `default`. */
  schema?: SchemaType;
  /** Lets the last of two equal keys win instead of refusing them. */
  allowDuplicateKeys?: boolean;
}

/** Options of {@linkcode stringify}. */
export type StringifyOptions = {
  /** Spaces a level; 2 by default. */
  indent?: number;
  /** Indents the items of a sequence under their key; true by default. */
  arrayIndent?: boolean;
  /** Leaves out what YAML cannot hold instead of throwing. */
  skipInvalid?: boolean;
  /** The nesting level from which on collections are written in flow style; -1 for none. */
  flowLevel?: number;
  /** Sorts the keys, by code unit or by the function. */
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** Where long text is folded; 80 by default. */
  lineWidth?: number;
  /** Writes an object that occurs twice once, as an anchor; true by default. */
  useAnchors?: boolean;
};

const CORE = CORE_SCHEMA.withTags(intTag, floatTag);
const SCHEMAS: Readonly<Record<SchemaType, Schema>> = {
  failsafe: FAILSAFE_SCHEMA,
  json: CORE,
  core: CORE,
  default: CORE.withTags(mergeTag, timestampTag, binaryTag, omapTag, pairsTag),
};

/** What aliases may add: far more than a person repeats, far less than a bomb needs. */
const MAX_ALIASED_NODES = 10_000;

/**
 * Parses one YAML 1.2 document; an empty one is null. Equal keys in one mapping are refused.
 *
 * @throws {SyntaxError} If the text is not YAML, holds several documents, or its aliases multiply it.
 */
export function parse(content: string, options: ParseOptions = {}): unknown {
  const documents = load(content, options);
  if (documents.length > 1) {
    throw new SyntaxError("Found more than 1 document in the stream: expected a single document");
  }
  const document = documents[0] ?? null;
  // Without aliases every node takes at least one character of the text.
  if (!hasAtMostNodes(document, content.length + MAX_ALIASED_NODES)) {
    throw new SyntaxError(
      `Cannot parse YAML: aliases multiply the document beyond ${MAX_ALIASED_NODES} more nodes`,
    );
  }
  return document;
}

function load(content: string, options: ParseOptions): unknown[] {
  try {
    return loadAll(content, {
      schema: SCHEMAS[options.schema ?? "default"],
      json: options.allowDuplicateKeys ?? false,
    });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { mark } = cause;
    const where = mark ? ` at line ${mark.line + 1}, column ${mark.column + 1}` : "";
    throw new SyntaxError(`Cannot parse YAML: ${cause.reason}${where}`, { cause });
  }
}

/** Counts every use of a shared node anew, as whoever walks the value would. */
function hasAtMostNodes(root: unknown, maxNodes: number): boolean {
  const open = [root];
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > maxNodes) return false;
    const node = open.pop();
    if (typeof node !== "object" || node === null || ArrayBuffer.isView(node)) continue;
    for (const child of Object.values(node)) open.push(child);
  }
  return true;
}

/**
 * Writes a value as a YAML document that ends with a line end; words that YAML 1.1 took for
 * booleans are quoted.
 *
 * @throws {TypeError} If the value holds what YAML cannot hold, such as a function.
 */
export function stringify(data: unknown, options: StringifyOptions = {}): string {
  if (!options.skipInvalid) refuseUndefined(data, new Set());
  try {
    return dump(data, {
      indent: options.indent ?? 2,
      seqNoIndent: !(options.arrayIndent ?? true),
      skipInvalid: options.skipInvalid ?? false,
      flowLevel: options.flowLevel ?? -1,
      sortKeys: options.sortKeys ?? false,
      lineWidth: options.lineWidth ?? 80,
      noRefs: !(options.useAnchors ?? true),
    });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw new TypeError(`Cannot stringify YAML: ${cause.reason}`, { cause });
  }
}

/** js-yaml leaves undefined out without a word; the original refuses it. */
function refuseUndefined(value: unknown, seen: Set<object>): void {
  if (value === undefined) throw new TypeError("Cannot stringify undefined");
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  if (ArrayBuffer.isView(value)) return;
  seen.add(value);
  for (const child of Object.values(value)) refuseUndefined(child, seen);
}

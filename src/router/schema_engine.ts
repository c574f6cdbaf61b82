// The JSON Schema validator (ajv, dialect 2020-12, and draft-07 where a schema says so). Loaded on first use only.
// References are never fetched: one that leads outside the schema is a refusal.

import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import { compilePattern } from "./pattern.ts";

const OPTIONS: Options = {
  strict: false,
  // A value is judged up to its first fault; collecting all of them is unbounded work.
  allErrors: false,
  verbose: true,
  validateFormats: false,
  // What every object inherits ("constructor", "toString") is no argument.
  ownProperties: true,
  // The schema's own form is judged by compiling it; the meta-schema would cost 60 ms at the first call.
  meta: false,
  validateSchema: false,
  logger: false,
  code: {
    regExp: Object.assign(compilePattern, { code: "compilePattern" }),
    process: meterCode,
  },
};

/** Judges a value: the first fault in words, or nothing. */
export type Validate = (value: JsonValue) => string | undefined;

/** Compiles schemas; holds one validator a dialect, each made when first wanted. */
export class SchemaEngine {
  readonly #meter = new SchemaMeter();
  #latest: Ajv | undefined;
  #draft7: Ajv | undefined;

  /**
   * Compiles a schema.
   *
   * @throws An error whose message says why the schema cannot be used.
   */
  compile(schema: JsonObject): Validate {
    const dialect = this.#dialectOf(schema);
    const validate = dialect.compile(schema);
    // The compiled function stands alone; the validator would otherwise keep every schema it ever saw.
    dialect.removeSchema(schema);
    return (value) => {
      this.#meter.refill();
      return judge(validate, value);
    };
  }

  #dialectOf(schema: JsonObject): Ajv {
    if (typeof schema.$schema === "string" && /draft-0[4-7]/.test(schema.$schema)) {
      return this.#draft7 ??= this.#equip(new Ajv(OPTIONS));
    }
    return this.#latest ??= this.#equip(new Ajv2020(OPTIONS));
  }

  /** Gives a validator its meter, and a check for equal items that does not compare each with each. */
  #equip(ajv: Ajv): Ajv {
    ajv.removeKeyword("uniqueItems");
    ajv.addKeyword({
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      error: { message: "must not have equal items" },
      validate: (wanted: boolean, items: readonly JsonValue[]) => !wanted || areUnique(items),
    });
    return Object.assign(ajv, { meter: this.#meter });
  }
}

function areUnique(items: readonly JsonValue[]): boolean {
  return new Set(items.map(toCanonicalText)).size === items.length;
}

/** Equal values have equal texts: the order of members does not count. */
function toCanonicalText(value: JsonValue): string {
  return JSON.stringify(
    value,
    (_key, member: JsonValue) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1))
        : member,
  );
}

function judge(validate: ValidateFunction, value: JsonValue): string | undefined {
  try {
    if (validate(value)) return undefined;
  } catch (error) {
    if (error instanceof OverBudgetError) return error.message;
    throw error;
  }
  const fault = validate.errors?.[0];
  return fault === undefined ? "does not fit the schema" : describe(fault);
}

/** A sentence that names the field, what is wrong, and what would be right. */
function describe(fault: ErrorObject): string {
  const where = fault.instancePath === ""
    ? "the arguments"
    : `"${fault.instancePath.slice(1).replaceAll("/", ".")}"`;
  const { params } = fault;
  switch (fault.keyword) {
    case "required":
      return `${where} must have "${listMissing(fault)}"`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${where} must not have "${params.additionalProperty ?? params.unevaluatedProperty}"` +
        allowed(fault);
    case "type":
      return `${where} must be ${[params.type].flat().join(" or ")}, not ${typeName(fault.data)}`;
    case "enum":
      return `${where} must be one of ${JSON.stringify(params.allowedValues)}`;
    case "const":
      return `${where} must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return `${where} ${fault.message ?? "does not fit the schema"}`;
  }
}

function listMissing(fault: ErrorObject): string {
  const data = fault.data;
  const required: unknown = fault.parentSchema?.required;
  if (!Array.isArray(required) || typeof data !== "object" || data === null) {
    return String(fault.params.missingProperty);
  }
  return required.filter((name) => !Object.hasOwn(data, name)).join('", "');
}

function allowed(fault: ErrorObject): string {
  const properties: unknown = fault.parentSchema?.properties;
  if (typeof properties !== "object" || properties === null) return "";
  const names = Object.keys(properties);
  return names.length === 0 ? "; it takes none" : `; it takes "${names.join('", "')}"`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// A bound on the work of one validation. Compiled validators call each other for references and loop over members;
// each such step is paid from a budget, so that no schema and no value together can hang the server.

/** Characters of compiled code per unit of work: a step of a longer function does more. */
const CODE_PER_UNIT = 256;

/** Units that one judgement may take; about a second. */
const BUDGET = 100_000_000;

/** The head of every compiled function ends with this. */
const FUNCTION_HEAD = "}={}){";

/** A string literal, which stays as it is, or the head of a loop. */
const LITERAL_OR_LOOP = /"(?:[^"\\]|\\.)*"|\bfor\([^"{}]*\)\{/g;

/** The value would take too much work to judge. */
export class OverBudgetError extends RangeError {
  override readonly name = "OverBudgetError";
}

/** Counts the work of compiled validators. */
export class SchemaMeter {
  #left = BUDGET;

  /** Starts a judgement with the whole budget. */
  refill(): void {
    this.#left = BUDGET;
  }

  /**
   * Pays for one step.
   *
   * @throws OverBudgetError when nothing is left.
   */
  pay(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new OverBudgetError("takes too much work to check");
  }
}

/**
 * Puts payments into compiled code: `self.meter` must be a `SchemaMeter` where it runs.
 *
 * @throws TypeError when the code does not look as expected; unmetered code must not run.
 */
export function meterCode(code: string): string {
  const head = code.indexOf(FUNCTION_HEAD);
  if (head === -1) throw new TypeError("Cannot meter the compiled schema");
  const start = head + FUNCTION_HEAD.length;
  const payment = `self.meter.pay(${Math.ceil((code.length - start) / CODE_PER_UNIT)});`;
  const body = code.slice(start).replaceAll(
    LITERAL_OR_LOOP,
    (found) => found.startsWith('"') ? found : found + payment,
  );
  return code.slice(0, start) + payment + body;
}

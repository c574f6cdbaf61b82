// Values against schemas. Each schema is compiled once; the engine behind it is loaded when the first is needed.

import type { JsonObject, JsonValue } from "../jsonrpc/json.ts";
import { refuseSchema } from "./schema_cost.ts";
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

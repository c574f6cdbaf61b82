// Arguments of `read_bcp_file` → options of an engine. The schema has checked types and enums; numbers that `bcp` could
// not take are refused here.

import type { KnownBlockKind } from "../../bcp/block.ts";
import { findBlockKind } from "../../bcp/block_type.ts";
import type { Verbosity } from "../../bcp/budget.ts";
import { RENDER_MODES, type RenderMode } from "../../bcp/render.ts";
import type { JsonObject, JsonValue } from "../../jsonrpc/json.ts";
import type { ReadOptions } from "./engine.ts";
import type { Refusal } from "./file_access.ts";

const MAX_BUDGET = 0xffff_ffff;
const VERBOSITIES: readonly Verbosity[] = ["full", "summary", "adaptive"];

/** The options, or what is wrong with the arguments. */
export function parseReadOptions(
  given: JsonObject,
  defaultMode: RenderMode,
): ReadOptions & { readonly kind: "options" } | Refusal {
  const { budget } = given;
  if (budget !== undefined && !isBudget(budget)) {
    const reason = `"budget" must be a whole number from 0 to ${MAX_BUDGET}`;
    return { kind: "refused", reason: `Cannot read: ${reason}; correct it and call again` };
  }
  const verbosity = VERBOSITIES.find((name) => name === given.verbosity) ??
    (budget === undefined ? undefined : "adaptive");
  const include = findKinds(given.include);
  const blocks = findIndices(given.blocks);
  return {
    kind: "options",
    mode: RENDER_MODES.find((name) => name === given.mode) ?? defaultMode,
    ...(budget === undefined ? {} : { budget }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(include === undefined ? {} : { include }),
    ...(blocks === undefined ? {} : { blocks }),
  };
}

function isBudget(value: JsonValue): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_BUDGET;
}

/** An empty list is no choice: clients that fill in every argument send one. */
function findKinds(value: JsonValue | undefined): readonly KnownBlockKind[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((name) => findBlockKind(String(name))).filter((kind) => kind !== undefined);
}

function findIndices(value: JsonValue | undefined): readonly number[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(Number) : undefined;
}

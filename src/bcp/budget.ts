/**
 * Decides how much of each block is shown. Priorities come from annotations; under a budget the most
 * important blocks choose first, and what no longer fits becomes a summary, a placeholder or nothing.
 */
import type { Block } from "./block.ts";
import { estimateBlockTokens, estimateCodeTokens } from "./block_text.ts";
import { findEnumName, PRIORITY, type PriorityName } from "./names.ts";

/** What a placeholder for a background block costs. */
const PLACEHOLDER_TOKENS = 10;

/** How a block appears. */
export type Decision =
  | { readonly kind: "full" }
  | { readonly kind: "summary" }
  | { readonly kind: "omit" }
  | { readonly kind: "placeholder"; readonly tokens: number };

/** How eagerly summaries are used; only `adaptive` looks at the budget. */
export type Verbosity = "full" | "summary" | "adaptive";

/** A block together with its index in the payload. */
export interface PlacedBlock {
  readonly index: number;
  readonly block: Block;
}

const FULL: Decision = { kind: "full" };
const SUMMARY: Decision = { kind: "summary" };
const OMIT: Decision = { kind: "omit" };

/** Priority of every block that an annotation gives one; the last valid annotation wins. */
export function findPriorities(blocks: readonly Block[]): ReadonlyMap<number, PriorityName> {
  const priorities = new Map<number, PriorityName>();
  for (const block of blocks) {
    if (block.kind !== "annotation" || block.annotation !== "priority") continue;
    const name = findEnumName(PRIORITY, block.value[0] ?? 0);
    if (name !== undefined) priorities.set(block.target, name);
  }
  return priorities;
}

/** Options of {@linkcode planDecisions}. */
export interface DecisionOptions {
  readonly verbosity: Verbosity;
  /** Tokens to stay near; without one nothing is left out. */
  readonly budget?: number;
  readonly priorities: ReadonlyMap<number, PriorityName>;
}

/** One decision a block, in the order of `placed`. */
export function planDecisions(
  placed: readonly PlacedBlock[],
  options: DecisionOptions,
): readonly Decision[] {
  const { verbosity, budget } = options;
  if (verbosity === "summary") {
    return placed.map(({ block }) => block.summary === undefined ? FULL : SUMMARY);
  }
  if (verbosity === "full" || budget === undefined) return placed.map(() => FULL);
  return spendBudget(placed, budget, options.priorities);
}

function spendBudget(
  placed: readonly PlacedBlock[],
  budget: number,
  priorities: ReadonlyMap<number, PriorityName>,
): readonly Decision[] {
  const decisions = new Array<Decision>(placed.length).fill(OMIT);
  let left = budget;
  for (const priority of PRIORITY.names) {
    for (const [i, { index, block }] of placed.entries()) {
      if ((priorities.get(index) ?? "normal") !== priority) continue;
      const choice = decide(block, priority, left);
      decisions[i] = choice.decision;
      left = Math.max(0, left - choice.cost);
    }
  }
  return decisions;
}

interface Choice {
  readonly decision: Decision;
  readonly cost: number;
}

function decide(block: Block, priority: PriorityName, left: number): Choice {
  const full = estimateBlockTokens(block);
  const summary = block.summary === undefined
    ? Number.POSITIVE_INFINITY
    : estimateCodeTokens(block.summary);
  const asFull: Choice = { decision: FULL, cost: full };
  const asSummary: Choice = { decision: SUMMARY, cost: summary };
  const asPlaceholder: Choice = { decision: { kind: "placeholder", tokens: full }, cost: 0 };
  switch (priority) {
    case "critical":
      return asFull;
    case "high":
      // Important enough to overspend: the cost beyond what is left is forgiven.
      return full > left && summary <= left ? asSummary : asFull;
    case "normal":
      if (full <= left) return asFull;
      return summary <= left ? asSummary : asPlaceholder;
    case "low":
      return summary <= left ? asSummary : asPlaceholder;
    case "background":
      return left >= PLACEHOLDER_TOKENS
        ? { ...asPlaceholder, cost: PLACEHOLDER_TOKENS }
        : { decision: OMIT, cost: 0 };
  }
}

/**
 * Blocks → text for a model: select, decide how much of each, render, join. A payload that cannot be
 * shown is an outcome, not an exception.
 */
import type { Block, KnownBlockKind, RenderedBlock } from "./block.ts";
import { findBlockText } from "./block_text.ts";
import {
  type Decision,
  findPriorities,
  type PlacedBlock,
  planDecisions,
  type Verbosity,
} from "./budget.ts";
import { MARKDOWN, MINIMAL, type Template, toPlaceholder, XML } from "./templates.ts";

const SEPARATOR = "\n\n";

/** Output mode. */
export type RenderMode = "xml" | "markdown" | "minimal";

const TEMPLATES: Readonly<Record<RenderMode, Template>> = {
  xml: XML,
  markdown: MARKDOWN,
  minimal: MINIMAL,
};

/** All modes, the default first. */
export const RENDER_MODES: readonly RenderMode[] = ["xml", "markdown", "minimal"];

/** Options of {@linkcode renderBlocks}. */
export interface RenderOptions {
  readonly mode?: RenderMode;
  readonly verbosity?: Verbosity;
  /** Tokens to stay near. */
  readonly budget?: number;
  /** Only these kinds; an empty set selects nothing, and unknown blocks are never in one. */
  readonly include?: ReadonlySet<KnownBlockKind>;
  /** Only the blocks at these indices of the payload. */
  readonly indices?: ReadonlySet<number>;
}

/** How rendering ended. */
export type RenderOutcome =
  | { readonly kind: "rendered"; readonly text: string }
  | { readonly kind: "empty" }
  | {
    readonly kind: "invalid_utf8";
    /** Index among the selected blocks, annotations not counted. */
    readonly index: number;
  };

/** Renders what the options select; annotations steer but never appear. */
export function renderBlocks(
  blocks: readonly Block[],
  options: RenderOptions = {},
): RenderOutcome {
  const template = TEMPLATES[options.mode ?? "xml"];
  const placed = selectBlocks(blocks, options);
  const decisions = planDecisions(placed, {
    verbosity: options.verbosity ?? "adaptive",
    priorities: findPriorities(blocks),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  });
  // Appending keeps a rope that is copied once, by whoever reads it; joining would copy it twice.
  let joined: string | undefined;
  for (const [index, { block }] of placed.entries()) {
    const decision = decisions[index]!;
    if (decision.kind === "omit") continue;
    const piece = renderPiece(block, decision, template);
    if (piece === undefined) return { kind: "invalid_utf8", index };
    joined = joined === undefined ? piece : joined + SEPARATOR + piece;
  }
  if (joined === undefined) return { kind: "empty" };
  return { kind: "rendered", text: template.wrap(joined) };
}

/** One block as it was decided, or undefined if its content is not text. */
function renderPiece(
  block: RenderedBlock,
  decision: Exclude<Decision, { kind: "omit" }>,
  template: Template,
): string | undefined {
  if (decision.kind === "placeholder") {
    return template.placeholder(toPlaceholder(block, decision.tokens));
  }
  // Only code is shortened: the reference shows every other kind in full here.
  if (decision.kind === "summary" && block.kind === "code" && block.summary !== undefined) {
    return template.summary(block, block.summary);
  }
  const text = findBlockText(block);
  return text === undefined ? undefined : template.block(block, text);
}

/** The reference's words for a render that produced no text. */
export function describeRenderFailure(
  outcome: Exclude<RenderOutcome, { kind: "rendered" }>,
): string {
  return outcome.kind === "empty"
    ? "no blocks to render"
    : `invalid UTF-8 in block content at index ${outcome.index}`;
}

interface PlacedRendered extends PlacedBlock {
  readonly block: RenderedBlock;
}

function selectBlocks(
  blocks: readonly Block[],
  options: RenderOptions,
): readonly PlacedRendered[] {
  const { include, indices } = options;
  const placed: PlacedRendered[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "annotation") continue;
    if (indices !== undefined && !indices.has(index)) continue;
    const isIncluded = include === undefined ||
      (block.kind !== "unknown" && include.has(block.kind));
    if (isIncluded) placed.push({ index, block });
  }
  return placed;
}

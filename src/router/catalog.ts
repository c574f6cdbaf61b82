// The immutable list of all tools at a moment. It is replaced whole when an activation's tools change, so that a list
// being paged and a call being routed see one state.

import type { Activation } from "../activation/activation.ts";
import { isDeeperThan } from "../jsonrpc/message.ts";
import type { Tool } from "../mcp/model.ts";
import { findToolHeaders, type ToolHeader, type ToolHeaders } from "../mcp/tool_header.ts";

/** Deepest nesting of a definition; also what ends a walk in circles. */
const MAX_DEPTH = 256;

/** A tool on offer and where its calls go. */
export interface CatalogEntry {
  /** The definition under its public name. */
  readonly tool: Tool;
  /** The name its activation knows it by. */
  readonly name: string;
  readonly activation: Activation;
  /** The arguments that travel as HTTP headers too. */
  readonly headers: readonly ToolHeader[];
}

/** All tools, ordered by public name. */
export interface Catalog {
  readonly tools: readonly Tool[];
  /** Differs whenever any definition does. */
  readonly hash: string;
  /** Tools that are not offered, with the reason for the log. */
  readonly refused: readonly string[];
  /** Activations that could not tell their tools. */
  readonly broken: readonly BrokenActivation[];
  /** The names by which each activation knows the tools that it offered last. */
  readonly known: ReadonlyMap<Activation, readonly string[]>;
  /** The entry of a public name. */
  find(name: string): CatalogEntry | undefined;
  /** Whether a person denied the tool of this public name. */
  isDenied(name: string): boolean;
}

/** An activation that threw, or told what is no list of tools. */
export interface BrokenActivation {
  readonly activation: Activation;
  readonly error: unknown;
}

/** A tool before it is named. */
interface Candidate extends NamedTool {
  /** Its definition and what goes with it; none for a tool of a broken activation, which only keeps its name. */
  readonly offer?: Omit<CatalogEntry, "name"> & { readonly text: string };
}

/**
 * Takes the tools of all activations together, but those whose name, public or its activation's, a person denied. A
 * broken activation has none, yet what it offered in the previous catalog still claims its names: others are called
 * what they were called before.
 */
export function buildCatalog(
  activations: readonly Activation[],
  denied: readonly string[] = [],
  previous?: Catalog,
): Catalog {
  const refused: string[] = [];
  const broken: BrokenActivation[] = [];
  const known = new Map<Activation, readonly string[]>();
  const candidates: Candidate[] = [];
  for (const activation of activations) {
    const { namespace } = activation;
    try {
      const offered = readTools(activation);
      for (const { name, reason } of offered.refused) {
        refused.push(`Cannot offer tool "${name}" of "${namespace}": ${reason}`);
      }
      candidates.push(...offered.candidates);
      known.set(activation, offered.candidates.map(({ name }) => name));
    } catch (error) {
      broken.push({ activation, error });
      const names = previous?.known.get(activation) ?? [];
      candidates.push(...names.map((name) => ({ namespace, name })));
      known.set(activation, names);
    }
  }
  const naming = nameTools(candidates);
  for (const { item, reason } of naming.refused) {
    if (item.offer === undefined) continue;
    refused.push(`Cannot offer tool "${item.name}" of "${item.namespace}": ${reason}`);
  }
  const entries = new Map<string, CatalogEntry>();
  const hidden = new Set(denied);
  const texts: string[] = [];
  for (const name of [...naming.named.keys()].sort()) {
    const item = naming.named.get(name);
    if (item === undefined) continue;
    if (denied.includes(item.name)) hidden.add(name);
    if (hidden.has(name) || item.offer === undefined) continue;
    const { tool, activation, headers, text } = item.offer;
    entries.set(name, { tool: { ...tool, name }, name: item.name, activation, headers });
    texts.push(name, text);
  }
  return {
    tools: [...entries.values()].map((entry) => entry.tool),
    hash: hashOf(texts),
    refused,
    broken,
    known,
    find: (name) => entries.get(name),
    isDenied: (name) => hidden.has(name),
  };
}

/** What an activation offers. Throws whatever it throws, and for what could not be sent to a client. */
function readTools(activation: Activation): {
  readonly candidates: readonly Candidate[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
} {
  const candidates: Candidate[] = [];
  const refused: { readonly name: string; readonly reason: string }[] = [];
  const tools = activation.tools();
  if (!Array.isArray(tools)) throw new TypeError("tools() returned no array");
  for (const tool of tools as readonly Tool[]) {
    const { name } = tool;
    const found = inspectTool(tool);
    if (found.kind === "refused") {
      refused.push({ name, reason: found.reason });
      continue;
    }
    const { headers } = found;
    const { namespace } = activation;
    const text = JSON.stringify(tool);
    candidates.push({ namespace, name, offer: { tool, activation, headers, text } });
  }
  return { candidates, refused };
}

/** A short fingerprint of a JSON value (FNV-1a, 64 bit): tells lists apart, protects nothing. */
export function hashOf(value: unknown): string {
  const text = JSON.stringify(value);
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let index = 0; index < text.length; index++) {
    low = (low ^ text.charCodeAt(index)) >>> 0;
    // Multiplies the 64-bit state by the prime 0x100000001b3 in 32-bit halves.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + (low << 8) + Math.floor(product / 0x100000000)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

function inspectTool(tool: Tool): ToolHeaders {
  const reason = tool.inputSchema.type !== "object"
    ? 'its input schema needs "type": "object"'
    : isDeeperThan(tool, MAX_DEPTH)
    ? `it nests deeper than ${MAX_DEPTH} levels`
    : undefined;
  return reason === undefined ? findToolHeaders(tool.inputSchema) : { kind: "refused", reason };
}

// Names of tools of several activations in one list: bare where they are unique, behind their namespace where not.

/** What a client may call a tool (MCP 2025-11-25 server/tools, tool names). */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const SEPARATOR = "_";

/** One activation's tool before it is named for clients. */
export interface NamedTool {
  readonly namespace: string;
  readonly name: string;
}

/** The public name of each tool, and which cannot be offered and why. */
export interface Naming<Item> {
  readonly named: ReadonlyMap<string, Item>;
  readonly refused: readonly { readonly item: Item; readonly reason: string }[];
}

/**
 * Names tools. The outcome depends on the set of tools alone, not on their order: a name that two activations use is
 * prefixed for both, and a name that would still be taken is refused rather than given to one of them.
 */
export function nameTools<Item extends NamedTool>(tools: readonly Item[]): Naming<Item> {
  const uses = count(tools.map((tool) => tool.name));
  const wanted = tools.map((item) => ({
    item,
    name: uses.get(item.name) === 1 ? item.name : `${item.namespace}${SEPARATOR}${item.name}`,
  }));
  const claims = count(wanted.map((claim) => claim.name));
  const named = new Map<string, Item>();
  const refused: { readonly item: Item; readonly reason: string }[] = [];
  for (const { item, name } of wanted) {
    if (!TOOL_NAME.test(name)) {
      refused.push({ item, reason: `Tool name "${name}" must match ${TOOL_NAME.source}` });
    } else if (claims.get(name) !== 1) {
      refused.push({ item, reason: `Tool name "${name}" is claimed twice; rename a namespace` });
    } else {
      named.set(name, item);
    }
  }
  return { named, refused };
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

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

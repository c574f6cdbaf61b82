// Server-sent events, read strictly: only what this server may write passes.

/** One event, or one comment. */
export interface ServerEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data?: string;
  readonly comment?: string;
}

/** The whole events that a text begins with, and what is left of it. */
export function splitEvents(
  text: string,
): { readonly events: ServerEvent[]; readonly rest: string } {
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.map(parseEvent), rest };
}

/** @throws SyntaxError for a line that no event of ours has, or a field that is there twice. */
function parseEvent(block: string): ServerEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^(event|id|retry|data|):(?: (.*))?$/.exec(line) ?? [];
    const known = /^(?:event|id|retry|data|):/.test(line) && !line.includes("\r");
    const key = name === "" ? "comment" : name;
    if (!known || fields.has(key)) throw new SyntaxError(`Not an event: ${JSON.stringify(block)}`);
    fields.set(key, value);
  }
  return Object.fromEntries(fields);
}

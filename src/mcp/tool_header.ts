// The rules for `x-mcp-header` in a tool's input schema (MCP 2026-07-28 server/tools): which argument a client repeats
// as an HTTP header. A tool that breaks them is never offered, because every HTTP client would have to drop it.

import { isObject, type JsonObject } from "../jsonrpc/message.ts";

const KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** An argument that travels as a header too. */
export interface ToolHeader {
  /** The name behind `Mcp-Param-`. */
  readonly name: string;
  /** Where the argument is, from the root. */
  readonly path: readonly string[];
}

/** What the schema declares, or why it may not. */
export type ToolHeaders =
  | { readonly kind: "headers"; readonly headers: readonly ToolHeader[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Finds the headers of an input schema and checks them. */
export function findToolHeaders(inputSchema: JsonObject): ToolHeaders {
  const headers: ToolHeader[] = [];
  const seen = new Set<string>();
  const reason = visit(inputSchema, [], true);
  return reason === undefined ? { kind: "headers", headers } : { kind: "refused", reason };

  function visit(schema: unknown, path: readonly string[], reachable: boolean): string | undefined {
    if (Array.isArray(schema)) return first(schema, (item) => visit(item, path, false));
    if (!isObject(schema)) return undefined;
    return declare(schema, path, reachable) ??
      first(Object.entries(schema), ([key, value]) => {
        if (key !== "properties" || !isObject(value)) return visit(value, path, false);
        return first(
          Object.entries(value),
          ([name, property]) => visit(property, [...path, name], reachable),
        );
      });
  }

  function declare(
    schema: JsonObject,
    path: readonly string[],
    reachable: boolean,
  ): string | undefined {
    const name = schema[KEYWORD];
    if (name === undefined) return undefined;
    const where = `"${KEYWORD}" of "${path.join(".")}"`;
    if (typeof name !== "string" || !TOKEN.test(name)) return `${where} must be a header token`;
    if (!reachable || path.length === 0) return `${where} is not reachable through "properties"`;
    if (!TYPES.has(schema.type)) return `${where} needs type string, integer or boolean`;
    if (seen.has(name.toLowerCase())) return `${where} repeats "${name}"`;
    seen.add(name.toLowerCase());
    headers.push({ name, path });
    return undefined;
  }
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Opaque, versioned cursors. A cursor names its collection, where to go on, and the list it was cut from; a cursor
// of another list or another making is refused, so that no page is skipped or served twice.

import { invalidParams, isObject, type JsonObject } from "../jsonrpc/message.ts";

const CURSOR_VERSION = 1;
/** Items on a page when the client names no limit. */
export const DEFAULT_PAGE_SIZE = 50;
/** Most items on a page, whatever limit the client names. */
export const MAX_PAGE_SIZE = 200;

/** A slice of a list, and where the next one starts. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** What a page is cut from. */
export interface Collection<Item> {
  readonly name: string;
  readonly items: readonly Item[];
  /** Identifies the exact list; differs whenever the list does. */
  readonly hash: string;
}

/**
 * Cuts the page that `params.cursor` and `params.limit` ask for.
 *
 * @throws RpcError -32602 for a cursor that is not one of ours or of an older list, and for a limit that is none.
 */
export function paginate<Item>(collection: Collection<Item>, params: JsonObject): Slice<Item> {
  const limit = parseLimit(params);
  const cursor = params.cursor ?? undefined;
  const start = cursor === undefined ? 0 : decodeCursor(cursor, collection);
  const end = start + limit;
  const items = collection.items.slice(start, end);
  if (end >= collection.items.length) return { items };
  return { items, nextCursor: encodeCursor(collection.name, end, collection.hash) };
}

function encodeCursor(collection: string, offset: number, hash: string): string {
  const text = JSON.stringify({ ver: CURSOR_VERSION, collection, offset, hash });
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decodeCursor<Item>(cursor: unknown, collection: Collection<Item>): number {
  const value = typeof cursor === "string" ? parseCursor(cursor) : undefined;
  if (value === undefined || value.ver !== CURSOR_VERSION) {
    throw invalidParams('Invalid params: "cursor" is not one that this server gave');
  }
  if (value.collection !== collection.name) {
    throw invalidParams(`Invalid params: "cursor" does not belong to ${collection.name}`);
  }
  const { offset } = value;
  const inside = typeof offset === "number" && Number.isInteger(offset) && offset > 0 &&
    offset < collection.items.length;
  // Compared as text, so that there is exactly one spelling of each cursor.
  if (!inside || encodeCursor(collection.name, offset, collection.hash) !== cursor) {
    throw invalidParams('Invalid params: "cursor" is stale; list again without a cursor');
  }
  return offset;
}

function parseCursor(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseLimit(params: JsonObject): number {
  const limit = params.limit ?? undefined;
  if (limit === undefined) return DEFAULT_PAGE_SIZE;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
    throw invalidParams('Invalid params: "limit" must be a whole number of at least 1');
  }
  return Math.min(limit, MAX_PAGE_SIZE);
}

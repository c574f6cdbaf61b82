// JSON values as types, and the few questions asked of them everywhere.

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; an `undefined` member is one that is left out when written. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** Whether a value is a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value nests objects and arrays deeper than `maxDepth`. Never recurses further than that itself. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth <= 0) return true;
  const members = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) {
    if (typeof member === "object" && member !== null && isDeeperThan(member, maxDepth - 1)) {
      return true;
    }
  }
  return false;
}

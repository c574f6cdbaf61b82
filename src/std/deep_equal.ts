// Deep equality and the subset of a value, for `assert.ts`, by the rules of the original: `0` equals `-0`, `NaN` equals
// itself, a missing property differs from an undefined one, classes must match.

/** Whether two values hold the same, deeply; cycles are followed once. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

/** The part of `value` that `shape` also has; nested objects lose their class. */
export function select(value: unknown, shape: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(shape)) {
    return value.slice(0, shape.length).map((item, index) => select(item, shape[index]));
  }
  if (!isRecord(value) || !isRecord(shape)) return value;
  const selected: Record<PropertyKey, unknown> = {};
  for (const key of Reflect.ownKeys(value)) {
    if (Object.hasOwn(shape, key)) selected[key] = select(value[key], shape[key]);
  }
  return selected;
}

function compare(a: unknown, b: unknown, seen: Map<object, object>): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (prototypeOf(a) !== prototypeOf(b)) return false;
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp || a instanceof URL) return String(a) === String(b);
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) {
    return compare(new Uint8Array(a), new Uint8Array(b), seen);
  }
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (a instanceof Map && b instanceof Map) return hasSameItems([...a], [...b], seen);
  if (a instanceof Set && b instanceof Set) return hasSameItems([...a], [...b], seen);
  // As in the original the stacks must match too, so only an error itself equals an error.
  if (a instanceof Error && b instanceof Error && a.stack !== b.stack) return false;
  return hasSameProperties(a, b, seen);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) ?? Object.prototype;
}

function hasSameItems(a: unknown[], b: unknown[], seen: Map<object, object>): boolean {
  if (a.length !== b.length) return false;
  const unmatched = [...b];
  for (const item of a) {
    const index = unmatched.findIndex((candidate) => compare(item, candidate, seen));
    if (index === -1) return false;
    unmatched.splice(index, 1);
  }
  return true;
}

function enumerableKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.getOwnPropertyDescriptor(value, key)?.enumerable
  );
}

function hasSameProperties(a: object, b: object, seen: Map<object, object>): boolean {
  const keys = enumerableKeys(a);
  if (keys.length !== enumerableKeys(b).length) return false;
  return keys.every((key) =>
    Object.hasOwn(b, key) && compare(Reflect.get(a, key), Reflect.get(b, key), seen)
  );
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return ![Date, RegExp, Map, Set, ArrayBuffer].some((type) => value instanceof type) &&
    !ArrayBuffer.isView(value);
}

// Stands in for the parts of `@std/assert` that the tests use, so that everything installs from an
// npm registry alone; `node:assert` writes the diffs. `import_map.jsr.json` puts the original in
// its place; both pass and fail on the same values, and this file holds no cleverness.

import { AssertionError as DiffError } from "node:assert";
import { isDeepEqual, select } from "./deep_equal.ts";

type Constructor<T> = abstract new (...args: never[]) => T;

/** All that counts as false. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

/** An array or anything like it, but no string. */
export type ArrayLikeArg<T> = ArrayLike<T> & object;

/** What a failed assertion throws. */
export class AssertionError extends Error {
  /** Takes the whole message; the assertions build it. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

function stop(sentence: string, msg: string | undefined, detail = ""): never {
  throw new AssertionError(sentence + (msg ? `: ${msg}` : ".") + detail);
}

function show(value: unknown): string {
  return Deno.inspect(value, { depth: 10, sorted: true, trailingComma: true, iterableLimit: 100 });
}

function diff(actual: unknown, expected: unknown, operator: string): string {
  return "\n" + new DiffError({ actual, expected, operator }).message;
}

/** Passes if `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Passes if `expr` is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** Passes if both are deeply equal; a failure shows the difference. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (isDeepEqual(actual, expected)) return;
  stop("Values are not equal", msg, diff(actual, expected, "deepStrictEqual"));
}

/** Passes if the two are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!isDeepEqual(actual, expected)) return;
  stop(`Expected actual: ${show(actual)} not to be: ${show(expected)}`, msg);
}

/** Passes if both are the same value by `Object.is`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const isOnlyEqual = isDeepEqual(actual, expected);
  const detail = isOnlyEqual ? `\n${show(actual)}` : diff(actual, expected, "strictEqual");
  const what = isOnlyEqual
    ? "Values have the same structure but are not reference-equal"
    : "Values are not strictly equal";
  stop(what, msg, detail);
}

/** Passes if the two are different values by `Object.is`. */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (Object.is(actual, expected)) {
    stop(`Expected "actual" to not be strictly equal to: ${show(actual)}`, msg);
  }
}

/** Passes if the value is neither null nor undefined. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === null || actual === undefined) {
    stop(`Expected actual: "${actual}" to not be null or undefined`, msg);
  }
}

/** Passes if `expected` occurs in `actual`. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    stop(`Expected actual: "${actual}" to contain: "${expected}"`, msg);
  }
}

/** Passes if the pattern is found in `actual`. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) stop(`Expected actual: "${actual}" to match: "${expected}"`, msg);
}

/** Passes if the pattern is not found in `actual`. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) stop(`Expected actual: "${actual}" to not match: "${expected}"`, msg);
}

/** Passes if every value of `expected` is somewhere in `actual`, deeply equal. */
export function assertArrayIncludes<T>(
  actual: ArrayLikeArg<T>,
  expected: ArrayLikeArg<NoInfer<T>>,
  msg?: string,
): void {
  const present = Array.from(actual);
  const missing = Array.from(expected).filter((item) =>
    !present.some((one) => isDeepEqual(item, one))
  );
  if (missing.length === 0) return;
  stop(
    `Expected actual: ${show(actual)} to include: ${show(expected)}`,
    msg,
    `\nmissing: ${show(missing)}`,
  );
}

/** Passes if `actual` holds all that `expected` holds, deeply; what it holds beyond is ignored. */
export function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(select(actual, expected), select(expected, expected), msg);
}

/** Passes if `actual` is an instance of the class. */
export function assertInstanceOf<T extends Constructor<unknown>>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  const found = typeof actual === "object" ? actual?.constructor?.name ?? "null" : typeof actual;
  stop(`Expected object to be an instance of "${expectedType.name}" but was "${found}"`, msg);
}

/** Passes if `error` is an Error, of the class and with the message text if they are given. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: Constructor<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) stop(`Expected "error" to be an Error object`, msg);
  if (ErrorClass !== undefined && !(error instanceof ErrorClass)) {
    stop(
      `Expected error to be instance of "${ErrorClass.name}", but was "${error.constructor.name}"`,
      msg,
      `\n${error.stack}`,
    );
  }
  if (!msgMatches) return;
  const isFound = typeof msgMatches === "string"
    ? error.message.includes(msgMatches)
    : msgMatches.test(error.message);
  if (!isFound) {
    stop(
      `Expected error message to include ${show(msgMatches)}, but got ${show(error.message)}`,
      msg,
    );
  }
}

/** Passes if the function throws; returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Passes if the function throws an error of the class, with the text in its message if given. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: Constructor<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  classOrMsg?: Constructor<Error> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  const suffix = typeof classOrMsg === "string" ? classOrMsg : msg;
  try {
    fn();
  } catch (error) {
    checkThrown(error, classOrMsg, msgIncludes, suffix);
    return error;
  }
  return stop("Expected function to throw", suffix);
}

/** Passes if the returned promise rejects; returns the reason. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Passes if the promise rejects with an error of the class, with the text in its message if given. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: Constructor<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: Constructor<Error> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const suffix = typeof classOrMsg === "string" ? classOrMsg : msg;
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (cause) {
    throw new AssertionError(
      `Function throws when expected to reject${suffix ? `: ${suffix}` : "."}`,
      { cause },
    );
  }
  if (typeof promise?.then !== "function") stop("Function throws when expected to reject", suffix);
  try {
    await promise;
  } catch (error) {
    checkThrown(error, classOrMsg, msgIncludes, suffix);
    return error;
  }
  return stop("Expected function to reject", suffix);
}

function checkThrown(
  error: unknown,
  type: Constructor<Error> | string | undefined,
  msgIncludes: string | undefined,
  msg: string | undefined,
): void {
  if (type === undefined || typeof type === "string") return;
  if (!(error instanceof Error)) stop("A non-Error object was thrown or rejected", msg);
  assertIsError(error, type, msgIncludes, msg);
}

/** Passes if `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) stop(`Expect ${show(actual)} > ${show(expected)}`, msg);
}

/** Passes if `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) stop(`Expect ${show(actual)} >= ${show(expected)}`, msg);
}

/** Passes if `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) stop(`Expect ${show(actual)} < ${show(expected)}`, msg);
}

/** Passes if `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) stop(`Expect ${show(actual)} <= ${show(expected)}`, msg);
}

/** Passes if the numbers differ by at most `tolerance`, by default a ten-millionth of `expected`. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void {
  if (Object.is(actual, expected)) return;
  const allowed = tolerance ?? (Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7);
  const delta = Math.abs(expected - actual);
  if (!(delta <= allowed)) {
    stop(
      `Expected actual: "${actual}" to be close to "${expected}": delta "${delta}" is greater than "${allowed}"`,
      msg,
    );
  }
}

/** Fails always. */
export function fail(msg?: string): never {
  stop("Failed assertion", msg);
}

/** Fails always: marks a place that no run may reach. */
export function unreachable(msg?: string): never {
  stop("Unreachable", msg);
}

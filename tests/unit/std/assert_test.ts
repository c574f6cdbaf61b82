// When the assertions of `@std/assert` pass and fail, true of the original and of the stand-in:
// a test suite stands on them, so each is seen to fail. They are judged by plain `throw`, not by
// themselves.

import * as assertions from "@std/assert";

const { AssertionError } = assertions;

/** The message of the AssertionError that the function throws; anything else is an error here. */
async function failureOf(fn: () => unknown): Promise<string> {
  try {
    await fn();
  } catch (error) {
    if (error instanceof AssertionError && error.name === "AssertionError") return error.message;
    throw error;
  }
  throw new Error("The assertion passed");
}

class Point {
  constructor(readonly x: number) {}
}

const cycle: unknown[] = [];
cycle.push(cycle);
const otherCycle: unknown[] = [];
otherCycle.push(otherCycle);

const EQUAL: ReadonlyArray<readonly [unknown, unknown]> = [
  [NaN, NaN],
  [0, -0],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }],
  [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  [new Date(5), new Date(5)],
  [/a/g, /a/g],
  [new URL("http://h/a"), new URL("http://h/a")],
  [Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
  [new Map([["a", { x: 1 }], ["b", { x: 2 }]]), new Map([["b", { x: 2 }], ["a", { x: 1 }]])],
  [new Set([1, 2]), new Set([2, 1])],
  [new Set([{ a: 1 }]), new Set([{ a: 1 }])],
  [new Point(1), new Point(1)],
  [cycle, otherCycle],
];

const UNEQUAL: ReadonlyArray<readonly [unknown, unknown]> = [
  [1, "1"],
  [1, 1n],
  [null, undefined],
  [{ a: undefined }, {}],
  [{ a: 1 }, { a: 1, b: 2 }],
  [[1, 2], [2, 1]],
  [[1], { 0: 1 }],
  [[], {}],
  [new Date(5), new Date(6)],
  [/a/g, /a/i],
  [new URL("http://h/a"), new URL("http://h/b")],
  [Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
  [Uint8Array.of(1), Uint16Array.of(1)],
  [new Map([["a", 1]]), new Map([["a", 2]])],
  [new Set([1]), new Set([2])],
  [new Point(1), { x: 1 }],
  [new Point(1), new Point(2)],
  [{ [Symbol.iterator]: 1 }, {}],
  [new Error("a"), new Error("b")],
  [new Error("a"), new Error("a")],
];

Deno.test("assertEquals() and assertNotEquals() compare deeply", async (t) => {
  for (const [a, b] of EQUAL) {
    await t.step(`${Deno.inspect(a)} equals`, async () => {
      assertions.assertEquals(a, b);
      await failureOf(() => assertions.assertNotEquals(a, b));
    });
  }
  for (const [a, b] of UNEQUAL) {
    await t.step(`${Deno.inspect(a)} differs`, async () => {
      assertions.assertNotEquals(a, b);
      await failureOf(() => assertions.assertEquals(a, b));
      await failureOf(() => assertions.assertEquals(b, a));
    });
  }
});

const boom = () => {
  throw new RangeError("out of range");
};
const word = (): string => "word";

const FAILING: Readonly<Record<string, () => unknown>> = {
  "assert() of false": () => assertions.assert(false),
  "assert() of empty text": () => assertions.assert(""),
  "assertFalse() of text": () => assertions.assertFalse("x"),
  "assertStrictEquals() of equal objects": () => assertions.assertStrictEquals({}, {}),
  "assertStrictEquals() of 0 and -0": () => assertions.assertStrictEquals(0, -0),
  "assertNotStrictEquals() of NaN": () => assertions.assertNotStrictEquals(NaN, NaN),
  "assertExists() of null": () => assertions.assertExists(null),
  "assertExists() of undefined": () => assertions.assertExists(undefined),
  "assertStringIncludes()": () => assertions.assertStringIncludes("abc", "d"),
  "assertMatch()": () => assertions.assertMatch("abc", /d/),
  "assertNotMatch()": () => assertions.assertNotMatch("abc", /b/),
  "assertArrayIncludes()": () => assertions.assertArrayIncludes([{ a: 1 }], [{ a: 2 }]),
  "assertObjectMatch() of a value": () => assertions.assertObjectMatch({ a: 1 }, { a: 2 }),
  "assertObjectMatch() of a missing key": () =>
    assertions.assertObjectMatch({ a: 1 }, { a: 1, b: 2 }),
  "assertObjectMatch() of only other keys": () => assertions.assertObjectMatch({ a: 1 }, { b: 1 }),
  "assertObjectMatch() of a short array": () =>
    assertions.assertObjectMatch({ a: [1] }, { a: [1, 2] }),
  "assertObjectMatch() of a nested value": () =>
    assertions.assertObjectMatch({ a: { b: 1, c: 2 } }, { a: { b: 2 } }),
  "assertObjectMatch() of another map": () =>
    assertions.assertObjectMatch({ a: [new Map([["k", 1]])] }, { a: [new Map([["k", 2]])] }),
  "assertInstanceOf()": () => assertions.assertInstanceOf(new Date(), RegExp),
  "assertInstanceOf() of null": () => assertions.assertInstanceOf(null, Object),
  "assertIsError() of text": () => assertions.assertIsError("error"),
  "assertIsError() of another class": () => assertions.assertIsError(new Error("a"), RangeError),
  "assertIsError() of another message": () => assertions.assertIsError(new Error("a"), Error, "b"),
  "assertIsError() of another pattern": () => assertions.assertIsError(new Error("a"), Error, /b/),
  "assertThrows() of a return": () => assertions.assertThrows(word),
  "assertThrows() of another class": () => assertions.assertThrows(boom, TypeError),
  "assertThrows() of another message": () => assertions.assertThrows(boom, RangeError, "in range"),
  "assertThrows() of a thrown text": () =>
    assertions.assertThrows(() => {
      throw "text";
    }, Error),
  "assertRejects() of a result": () => assertions.assertRejects(() => Promise.resolve(1)),
  "assertRejects() of a throw": () => assertions.assertRejects(boom),
  "assertRejects() of another class": () =>
    assertions.assertRejects(() => Promise.reject(new Error("a")), TypeError),
  "assertRejects() of another message": () =>
    assertions.assertRejects(() => Promise.reject(new Error("a")), Error, "b"),
  "assertGreater()": () => assertions.assertGreater(1, 1),
  "assertGreaterOrEqual()": () => assertions.assertGreaterOrEqual(0, 1),
  "assertGreaterOrEqual() of NaN": () => assertions.assertGreaterOrEqual(NaN, 1),
  "assertLess()": () => assertions.assertLess(1, 1),
  "assertLessOrEqual()": () => assertions.assertLessOrEqual(2, 1),
  "assertAlmostEquals()": () => assertions.assertAlmostEquals(1, 1.1),
  "assertAlmostEquals() beyond its tolerance": () => assertions.assertAlmostEquals(1, 2, 0.5),
  "assertAlmostEquals() of NaN": () => assertions.assertAlmostEquals(NaN, 1),
  "fail()": () => assertions.fail(),
  "unreachable()": () => assertions.unreachable(),
};

Deno.test("every assertion can fail with an AssertionError", async (t) => {
  for (const [name, fn] of Object.entries(FAILING)) {
    await t.step(name, async () => void await failureOf(fn));
  }
});

Deno.test("assertions pass silently and return what was thrown", async () => {
  assertions.assert(1);
  assertions.assertFalse(0);
  assertions.assertStrictEquals(NaN, NaN);
  assertions.assertNotStrictEquals({}, {});
  assertions.assertExists(0);
  assertions.assertStringIncludes("abc", "b");
  assertions.assertMatch("abc", /b/);
  assertions.assertNotMatch("abc", /d/);
  assertions.assertArrayIncludes([{ a: 1 }, { a: 2 }], [{ a: 2 }]);
  assertions.assertObjectMatch({ a: { b: [1, { c: 2, d: 3 }] }, e: 4 }, {
    a: { b: [1, { c: 2 }] },
  });
  assertions.assertObjectMatch({ p: new Point(1) }, { p: { x: 1 } });
  assertions.assertInstanceOf(new RangeError(), Error);
  assertions.assertIsError(new RangeError("a b"), RangeError, /^a/);
  assertions.assertGreater(2n, 1n);
  assertions.assertGreaterOrEqual("b", "b");
  assertions.assertLess(1, 2);
  assertions.assertLessOrEqual(1, 1);
  assertions.assertAlmostEquals(0.1 + 0.2, 0.3);
  assertions.assertAlmostEquals(1, 2, 1);
  assertions.assertStrictEquals(
    assertions.assertThrows(boom, RangeError, "range").name,
    "RangeError",
  );
  const reason = new Error("late");
  const rejected = await assertions.assertRejects(() => Promise.reject(reason), Error, "late");
  assertions.assertStrictEquals(rejected, reason);
  assertions.assertStrictEquals(
    await assertions.assertRejects(() => Promise.reject("text")),
    "text",
  );
});

Deno.test("a failure names both values, the difference and the given message", async () => {
  const message = await failureOf(() =>
    assertions.assertEquals({ same: 1, left: "one" }, { same: 1, left: "two" }, "given")
  );
  for (const part of ["one", "two", "same", "given"]) {
    assertions.assertStringIncludes(message, part);
  }
  assertions.assertStringIncludes(await failureOf(() => assertions.fail("given")), "given");
});

// The catalog: all tools of all activations, ordered, with a fingerprint.

import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import type { Activation } from "../../../src/activation/activation.ts";
import type { Tool } from "../../../src/mcp/model.ts";
import { buildCatalog, hashOf } from "../../../src/router/catalog.ts";

function activationOf(namespace: string, tools: readonly Tool[]): Activation {
  return {
    namespace,
    tools: () => tools,
    async *call() {},
    async [Symbol.asyncDispose]() {},
  };
}

function tool(name: string, inputSchema: Tool["inputSchema"] = { type: "object" }): Tool {
  return { name, inputSchema };
}

Deno.test("buildCatalog() refuses tools that cannot be offered, and says why", async (t) => {
  const CASES = [
    { name: "no type", tool: tool("a", {}), reason: 'its input schema needs "type": "object"' },
    { name: "a list", tool: tool("a", { type: "array" }), reason: '"type": "object"' },
    { name: "two types", tool: tool("a", { type: ["object"] }), reason: '"type": "object"' },
    {
      name: "a header that cannot be",
      tool: tool("a", { type: "object", properties: { b: { "x-mcp-header": "B" } } }),
      reason: "needs type string, integer or boolean",
    },
    { name: "a bad name", tool: tool("a b"), reason: "must match" },
  ];
  for (const { name, tool, reason } of CASES) {
    await t.step(name, () => {
      const catalog = buildCatalog([activationOf("n", [tool])]);
      assertEquals(catalog.tools, []);
      assertEquals(catalog.refused.length, 1);
      assertStringIncludes(catalog.refused[0] ?? "", `Cannot offer tool "${tool.name}" of "n": `);
      assertStringIncludes(catalog.refused[0] ?? "", reason);
      assertEquals(catalog.find(tool.name), undefined);
    });
  }
});

Deno.test("buildCatalog() keeps the other tools of an activation with a bad one", () => {
  const catalog = buildCatalog([activationOf("n", [tool("good"), tool("bad", {})])]);
  assertEquals(catalog.tools.map(({ name }) => name), ["good"]);
});

Deno.test("Catalog.find() knows public names only and leads to the activation's own", () => {
  const first = activationOf("a", [tool("run"), tool("only")]);
  const second = activationOf("b", [tool("run")]);
  const catalog = buildCatalog([first, second]);
  assertEquals(catalog.tools.map(({ name }) => name), ["a_run", "b_run", "only"]);
  assertEquals(catalog.find("run"), undefined);
  assertEquals(catalog.find("__proto__"), undefined);
  assertEquals(catalog.find("b_run")?.activation, second);
  assertEquals(catalog.find("b_run")?.name, "run");
  assertEquals(catalog.find("b_run")?.tool.name, "b_run");
  assertEquals(catalog.find("only")?.activation, first);
});

Deno.test("buildCatalog() is the same for every order of activations, and of tools", () => {
  const ab = buildCatalog([
    activationOf("a", [tool("x"), tool("y")]),
    activationOf("b", [tool("x")]),
  ]);
  const ba = buildCatalog([
    activationOf("b", [tool("x")]),
    activationOf("a", [tool("y"), tool("x")]),
  ]);
  assertEquals(ab.tools, ba.tools);
  assertEquals(ab.hash, ba.hash);
});

Deno.test("Catalog.hash differs when any definition does", () => {
  const hash = (changed: Partial<Tool>) =>
    buildCatalog([activationOf("a", [{ ...tool("x"), ...changed }])]).hash;
  const hashes = [
    hash({}),
    hash({ description: "D" }),
    hash({ description: "d" }),
    hash({ title: "D" }),
    hash({ inputSchema: { type: "object", properties: {} } }),
    hash({ name: "y" }),
  ];
  assertEquals(new Set(hashes).size, hashes.length);
});

Deno.test("hashOf() is FNV-1a of 64 bits over the JSON text", () => {
  for (const value of ["", "a", "foobar", [1, 2, { x: null }], "é€😀", "x".repeat(1000)]) {
    let state = 0xcbf29ce484222325n;
    const text = JSON.stringify(value);
    for (let index = 0; index < text.length; index++) {
      state = BigInt.asUintN(64, (state ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
    }
    assertEquals(hashOf(value), state.toString(16).padStart(16, "0"));
    assertMatch(hashOf(value), /^[\da-f]{16}$/);
  }
  assertNotEquals(hashOf([1, 2]), hashOf([2, 1]));
});

Deno.test("buildCatalog() leaves denied tools out, by public name or by their activation's", () => {
  const one = activationOf("one", [tool("a"), tool("b")]);
  const two = activationOf("two", [tool("a"), tool("c")]);
  const names = (denied: readonly string[]) =>
    buildCatalog([one, two], denied).tools.map(({ name }) => name);
  assertEquals(names([]), ["b", "c", "one_a", "two_a"]);
  assertEquals(names(["b", "none"]), ["c", "one_a", "two_a"]);
  assertEquals(names(["one_a"]), ["b", "c", "two_a"]);
  assertEquals(names(["a"]), ["b", "c"]);
  const catalog = buildCatalog([one, two], ["a"]);
  assertEquals(["a", "one_a", "two_a"].map((name) => catalog.find(name)), [
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(["a", "one_a", "b", "none"].map((name) => catalog.isDenied(name)), [
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("buildCatalog() leaves out an activation that cannot tell its tools, and no other", async (t) => {
  const CASES: Readonly<Record<string, () => unknown>> = {
    "throws": () => {
      throw new Error("secret");
    },
    "tells nothing": () => undefined,
    "tells later": () => Promise.resolve([tool("late")]),
    "tells what is no tool": () => [tool("good"), null],
    "tells a tool without schema": () => [{ name: "bare" }],
    "tells what no client can be sent": () => [{ ...tool("big"), _meta: { size: 1n } }],
  };
  for (const [name, tools] of Object.entries(CASES)) {
    await t.step(name, () => {
      const broken = { ...activationOf("b", []), tools: tools as Activation["tools"] };
      const catalog = buildCatalog([activationOf("a", [tool("one")]), broken]);
      assertEquals(catalog.tools.map(({ name }) => name), ["one"]);
      assertEquals(catalog.broken.map(({ activation }) => activation), [broken]);
      assertEquals(catalog.refused, []);
    });
  }
});

Deno.test("buildCatalog() calls tools what they were called before another activation broke", () => {
  let isBroken = false;
  const first = activationOf("a", [tool("run"), tool("only")]);
  const second = {
    ...activationOf("b", []),
    tools: () => {
      if (isBroken) throw new Error("broken");
      return [tool("run"), tool("stop")];
    },
  };
  const whole = buildCatalog([first, second]);
  isBroken = true;
  const partial = buildCatalog([first, second], [], whole);
  assertEquals(partial.tools.map(({ name }) => name), ["a_run", "only"]);
  assertNotEquals(partial.hash, whole.hash);
  const still = buildCatalog([first, second], [], partial);
  assertEquals(still.tools, partial.tools);
  isBroken = false;
  assertEquals(buildCatalog([first, second], [], still).hash, whole.hash);
});

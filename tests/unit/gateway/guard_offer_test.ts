// What is on offer, by what the activations have.

import { assertEquals } from "@std/assert";
import { isOffered, methodNotFound, resourceNotFound } from "../../../src/gateway/guard.ts";
import type { Features } from "../../../src/mcp/model.ts";
import { recordExchange } from "./recorded_exchange.ts";

const NONE: Features = {
  tools: false,
  resources: false,
  subscriptions: false,
  prompts: false,
  completions: false,
  listChanges: { tools: false, resources: false, prompts: false },
};

const METHODS = [
  ["tools/list", "tools"],
  ["tools/call", "tools"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resources"],
  ["resources/read", "resources"],
  ["prompts/list", "prompts"],
  ["prompts/get", "prompts"],
  ["completion/complete", "completions"],
] as const;

Deno.test("isOffered() refuses what is unknown or has nobody to answer it", () => {
  const all: Features = {
    tools: true,
    resources: true,
    subscriptions: true,
    prompts: true,
    completions: true,
    listChanges: { tools: true, resources: true, prompts: true },
  };
  for (
    const method of ["", "tools", "tools/List", "ping", "__proto__", "constructor", "toString"]
  ) {
    assertEquals(isOffered(method, all), false, method);
  }
  for (const [method] of METHODS) assertEquals(isOffered(method, NONE), false, method);
});

Deno.test("isOffered() goes by the one feature that a method needs", () => {
  for (const [method, feature] of METHODS) {
    assertEquals(isOffered(method, { ...NONE, [feature]: true }), true, method);
  }
});

Deno.test("refusals carry the number of the client's revision", () => {
  assertEquals(methodNotFound("x").code, -32601);
  assertEquals(methodNotFound("x").message, 'Method not found: "x"');
  const { exchange } = recordExchange({ revision: "2025-11-25" });
  const error = resourceNotFound("a:1", exchange);
  assertEquals<unknown>([error.code, error.data], [-32002, { uri: "a:1" }]);
  const stateless = recordExchange({ revision: "2026-07-28" }).exchange;
  assertEquals(resourceNotFound("a:1", stateless).code, -32602);
});

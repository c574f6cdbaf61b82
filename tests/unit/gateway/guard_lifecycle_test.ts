// The states of a session: what each refuses and where it leads.

import { assertEquals, assertThrows } from "@std/assert";
import { Lifecycle, type LifecycleState } from "../../../src/gateway/guard.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";

function lifecycleIn(state: LifecycleState): Lifecycle {
  const lifecycle = new Lifecycle();
  if (state === "uninitialized") return lifecycle;
  if (state === "shutting down") lifecycle.shutDown();
  else lifecycle.initialize();
  if (state === "ready") lifecycle.initialized();
  return lifecycle;
}

const GUARDS = [
  ["uninitialized", -32002, "Server not initialized"],
  ["initializing", -32002, "Server initializing"],
  ["shutting down", -32002, "Server shutting down"],
] as const;

Deno.test("Lifecycle.guard() refuses outside of ready, in the state's words", async (t) => {
  for (const [state, code, message] of GUARDS) {
    await t.step(state, () => {
      const error = assertThrows(() => lifecycleIn(state).guard(), RpcError);
      assertEquals([error.code, error.message], [code, message]);
    });
  }
  lifecycleIn("ready").guard();
});

const SECOND = [
  ["initializing", -32600, "Server already initialized"],
  ["ready", -32600, "Server already initialized"],
  ["shutting down", -32002, "Server shutting down"],
] as const;

Deno.test("Lifecycle.initialize() works once", async (t) => {
  for (const [state, code, message] of SECOND) {
    await t.step(state, () => {
      const lifecycle = lifecycleIn(state);
      const error = assertThrows(() => lifecycle.initialize(), RpcError);
      assertEquals([error.code, error.message, lifecycle.state], [code, message, state]);
    });
  }
});

Deno.test("Lifecycle.initialized() counts while initializing only", () => {
  for (const state of ["uninitialized", "ready", "shutting down"] as const) {
    const lifecycle = lifecycleIn(state);
    assertEquals([lifecycle.initialized(), lifecycle.state], [false, state]);
  }
  const lifecycle = lifecycleIn("initializing");
  assertEquals([lifecycle.initialized(), lifecycle.state], [true, "ready"]);
});

Deno.test("Lifecycle.shutDown() has no way back", () => {
  for (const state of ["uninitialized", "initializing", "ready", "shutting down"] as const) {
    const lifecycle = lifecycleIn(state);
    lifecycle.shutDown();
    assertEquals(lifecycle.initialized(), false);
    assertThrows(() => lifecycle.initialize(), RpcError, "Server shutting down");
    assertEquals(lifecycle.state, "shutting down");
  }
});

// The demo: three tools that touch nothing.

import { assertEquals, assertRejects } from "@std/assert";
import type { CallEvent } from "../../../../src/activation/activation.ts";
import type { JsonObject } from "../../../../src/jsonrpc/message.ts";
import { DEMO_PROVIDER } from "../../../../src/providers/demo/demo.ts";

async function call(
  tool: string,
  given: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<CallEvent[]> {
  await using activation = await DEMO_PROVIDER.activate({ namespace: "demo" });
  return await Array.fromAsync(activation.call({
    tool,
    arguments: given,
    signal,
    canAsk: () => false,
    ask: () => Promise.reject(new TypeError("Nobody to ask")),
  }));
}

Deno.test("count ends when it is canceled, before and while it waits", async () => {
  const given = { to: 3, intervalMs: 10_000 };
  await assertRejects(
    () => call("count", given, AbortSignal.abort(new RangeError("no"))),
    RangeError,
  );
  const controller = new AbortController();
  const counting = call("count", given, controller.signal);
  controller.abort(new RangeError("enough"));
  await assertRejects(() => counting, RangeError, "enough");
});

Deno.test("permissions tells that there are none", { permissions: "none" }, async () => {
  const NAMES = ["read", "write", "net", "env", "run", "sys", "ffi"];
  assertEquals(await call("permissions", {}), [{
    kind: "structured",
    value: Object.fromEntries(NAMES.map((name) => [name, "denied"])),
  }]);
});

Deno.test("echo returns its message", async () => {
  assertEquals(await call("echo", { message: "é😀" }), [
    { kind: "content", block: { type: "text", text: "é😀" } },
  ]);
});

Deno.test("count tells each step and the end", async () => {
  assertEquals(await call("count", { to: 2 }), [
    { kind: "progress", progress: 1, total: 2, message: "Counted to 1" },
    { kind: "progress", progress: 2, total: 2, message: "Counted to 2" },
    { kind: "content", block: { type: "text", text: "Counted to 2" } },
  ]);
});

Deno.test("the demo has its resource and its prompt, and no other", async () => {
  await using activation = await DEMO_PROVIDER.activate({ namespace: "demo" });
  assertEquals(activation.namespace, "demo");
  const inquiry = {
    signal: new AbortController().signal,
    canAsk: () => false,
    ask: () => Promise.reject(new TypeError("Nobody to ask")),
  };
  assertEquals(await activation.resources?.read("bulkhead://other", inquiry), undefined);
  assertEquals((await activation.resources?.read("bulkhead://about", inquiry))?.length, 1);
  assertEquals((await activation.prompts?.list(inquiry))?.map(({ name }) => name), ["introduce"]);
});

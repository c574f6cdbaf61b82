// In which order a connection reads and answers, seen from its two ends.

import { assertEquals } from "@std/assert";
import { createLog, Gateway, serveLines } from "../../../mod.ts";
import { DEMO_PROVIDER } from "../../../src/providers/demo/demo.ts";
import { GREETING } from "../../harness/greeting.ts";

Deno.test("serveLines() hands quick answers over before it reads on", async (t) => {
  const echo = { name: "echo", arguments: { message: "quick" } };
  const cases = [
    { name: "to a ping", request: { jsonrpc: "2.0", id: 3, method: "ping" } },
    { name: "to a call", request: { jsonrpc: "2.0", id: 3, method: "tools/call", params: echo } },
  ];
  for (const { name, request } of cases) {
    await t.step(name, async () => {
      const first = { jsonrpc: "2.0", id: 2, method: "tools/call", params: echo };
      const steps = await recordSteps([...GREETING, first], request);
      assertEquals(steps.slice(steps.indexOf("answer 3")), ["answer 3", "read"]);
    });
  }
});

/**
 * What a server of the demo does with two groups of lines. The second comes when the request of id 2 is answered, so
 * that all is loaded which the first call loads.
 */
async function recordSteps(before: readonly object[], request: object): Promise<string[]> {
  const steps: string[] = [];
  const warm = Promise.withResolvers<void>();
  const groups = [
    { bytes: toLines(before), ready: Promise.resolve() },
    { bytes: toLines([request]), ready: warm.promise },
  ];
  const log = createLog({ level: "emergency", sink: () => {} });
  await using gateway = new Gateway({
    server: { implementation: { name: "order", version: "1.0.0" } },
    activations: [await DEMO_PROVIDER.activate({ namespace: "demo" })],
    log,
  });
  await serveLines(gateway, {
    input: {
      async read(target) {
        steps.push("read");
        const group = groups.shift();
        if (group === undefined) return null;
        await group.ready;
        target.set(group.bytes);
        return group.bytes.length;
      },
    },
    output: {
      write(bytes) {
        for (const line of new TextDecoder().decode(bytes).trim().split("\n")) {
          const { id }: { id: number } = JSON.parse(line);
          steps.push(`answer ${id}`);
          if (id === 2) warm.resolve();
        }
        return Promise.resolve(bytes.length);
      },
    },
    signal: new AbortController().signal,
  });
  return steps;
}

function toLines(messages: readonly object[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(messages.map((it) => `${JSON.stringify(it)}\n`).join(""));
}

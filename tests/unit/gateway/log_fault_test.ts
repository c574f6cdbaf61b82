// Anything thrown as the one error that crosses the wire: nothing of the host with it.

import { assertEquals, assertMatch, assertStrictEquals } from "@std/assert";
import { createLog, toRpcError } from "../../../src/gateway/log.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";

function recordLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: "debug", sink: (line) => lines.push(line) }) };
}

Deno.test("toRpcError() hides the fault behind an id that the log explains", async (t) => {
  const THROWN = [
    ["an error", new Error("secret /home/me")],
    ["a string", "secret /home/me"],
    ["nothing", undefined],
    ["what cannot be described", Object.create(null)],
  ] as const;
  for (const [name, thrown] of THROWN) {
    await t.step(name, () => {
      const { log, lines } = recordLog();
      const error = toRpcError(thrown, log);
      assertEquals(error.code, -32603);
      assertMatch(error.message, /^Internal error \([\da-f]{8}\)$/);
      assertEquals([error.data, error.cause], [undefined, undefined]);
      const { event, faultId } = JSON.parse(lines[0] ?? "");
      assertEquals([event, error.message], ["fault", `Internal error (${faultId})`]);
    });
  }
});

Deno.test("toRpcError() hands on what is meant for the client, unlogged", () => {
  const { log, lines } = recordLog();
  const error = new RpcError(-32602, "no");
  assertStrictEquals(toRpcError(error, log), error);
  assertEquals(lines, []);
});

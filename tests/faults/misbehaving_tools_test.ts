// Tools that throw, flood, print, or yield what is no event: each costs its own call at most.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";
import type { Message } from "./wire_check.ts";

const UNEXPECTED = "The tool failed unexpectedly; the server's log tells more";

const FAULTS = [
  "throw_error",
  "throw_null",
  "throw_bare",
  "throw_symbol",
  "throw_cycle",
  "throw_long",
  "throw_odd",
  "throw_at_once",
  "throw_in_next",
  "throw_in_second_next",
  "yield_undefined",
  "cyclic_structured",
  "bigint_structured",
  "undefined_structured",
  "cyclic_log",
  "cyclic_details",
  "bigint_event",
] as const;

Deno.test("a fault of a tool is one result that tells nothing of the host", async (t) => {
  await using server = new LiveServer();
  await server.initialize();
  for (const tool of FAULTS) {
    await t.step(tool, async () => {
      const { result } = await server.call(tool, {}, tool);
      assertEquals(result?.isError, true);
      assertEquals(firstText(result).startsWith(UNEXPECTED), true, firstText(result));
      await server.ping(`ping after ${tool}`);
    });
  }
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assert(server.errorLines.every((line) => line.length < 5000), "A log line is too long");
});

Deno.test("a fault that nobody waits for does not end the server", async (t) => {
  await using server = new LiveServer();
  await server.initialize();
  for (const tool of ["throw_in_timer", "reject_unseen"]) {
    await t.step(tool, async () => {
      const { result } = await server.call(tool, {}, tool);
      assertEquals(firstText(result), "Survived");
    });
  }
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  const faults = server.errorLines.filter((line) => JSON.parse(line).event === "fault");
  assertEquals(faults.length, 2);
});

Deno.test("whatever a tool prints becomes lines of the log, none of stdout", async () => {
  await using server = new LiveServer({ args: ["--log-level", "debug"] });
  await server.initialize();
  await server.call("console", {}, 1);
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.lines.length, 2);
  const methods = server.errorLines.map((line) => JSON.parse(line))
    .filter(({ event }) => event === "console").map(({ method }) => method);
  for (const method of ["log", "info", "debug", "dir", "dirxml", "table", "trace", "count"]) {
    assert(methods.includes(method), `"${method}" is not in the log`);
  }
});

Deno.test("a log that nobody reads does not hold the server up", async () => {
  await using server = new LiveServer({ stderr: "unread" });
  await server.initialize();
  // Each fault is a line of about two thousand characters; together they are more than a pipe holds.
  for (let id = 0; id < 200; id++) await server.call("throw_long", {}, id);
  await server.ping("ping");
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
});

const ENDLESS = [
  "endless_progress",
  "endless_log",
  "endless_thinking",
] as const;

Deno.test("a stream that never waits leaves the server answering, and ends when canceled", async (t) => {
  for (const tool of ENDLESS) {
    await t.step(tool, async () => {
      await using server = new LiveServer();
      await server.initialize();
      await server.send({
        jsonrpc: "2.0",
        id: tool,
        method: "tools/call",
        params: { name: tool, arguments: {} },
      });
      await server.marked("streaming");
      await server.ping("ping");
      await server.send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: tool },
      });
      await server.marked("returned");
      await server.ping("ping after");
      await server.closeInput();
      assertEquals(await server.ended(), { code: 0, signal: null });
      assert(!server.lines.some((line) => JSON.parse(line).id === tool), "Answered in spite");
    });
  }
});

Deno.test("a stream without end of content ends with the bound, and is told so", async (t) => {
  await using server = new LiveServer({ args: ["--max-result-chars", "100000"] });
  await server.initialize();
  let returns = 0;
  for (const tool of ["endless_text", "endless_empty_text", "endless_failures"]) {
    await t.step(tool, async () => {
      const { result } = await server.call(tool, {}, tool);
      assertEquals(result?.isError, true);
      assertEquals(
        firstText(result),
        "The result is longer than 100000 characters and was left out; ask for less",
      );
      returns += 1;
      await server.marked("returned", returns);
    });
  }
  await t.step("throw_in_return", async () => {
    const { result } = await server.call("throw_in_return", {}, "throw_in_return");
    assertEquals(result?.isError, true);
    await server.ping("ping");
  });
});

function firstText(result: Message["result"]): string {
  const content = result?.content;
  return Array.isArray(content) ? String(content[0]?.text) : "";
}

// `mod.ts demo` as a client starts it, with no permission at all: it serves, and says nothing but messages and log lines.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "../faults/live_server.ts";

const LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

Deno.test("demo serves with no permission, messages on stdout and log lines on stderr", async () => {
  await using server = new LiveServer({ module: "mod.ts", args: ["demo"] });
  await server.initialize();
  const { result: listed } = await server.request("tools/list", {}, 1);
  assert(Array.isArray(listed?.tools));
  assertEquals(listed.tools.map(({ name }) => name), ["count", "echo", "permissions"]);
  const echoed = await server.call("echo", { message: "hello" }, 2);
  assertEquals(echoed.result, { content: [{ type: "text", text: "hello" }] });
  const counted = await server.request("tools/call", {
    name: "count",
    arguments: { to: 3 },
    _meta: { progressToken: "count" },
  }, 3);
  assertEquals(counted.result, { content: [{ type: "text", text: "Counted to 3" }] });
  const { result } = await server.call("permissions", {}, 4);
  const held = Object.values(Object(result?.structuredContent));
  assert(held.length > 0 && held.every((state) => state === "denied"), String(held));
  const read = await server.request("resources/read", { uri: "bulkhead://about" }, 5);
  assert(read.result !== undefined);
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.lines.length, 9);
  const events = server.errorLines.map((line) => JSON.parse(line));
  assertEquals(events.map(({ event }) => event), ["serving", "stopped"]);
  for (const { time, level } of events) {
    assert(LEVELS.includes(level), `Level "${level}"`);
    assert(!Number.isNaN(Date.parse(time)), `Time "${time}"`);
  }
});

Deno.test("the first message may come with the start, and the last one without waiting", async () => {
  await using server = new LiveServer({ module: "mod.ts", args: ["demo"] });
  await server.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.lines, ['{"jsonrpc":"2.0","id":1,"result":{}}']);
});

Deno.test("BULKHEAD_LOG_LEVEL silences the log where it may be read", async () => {
  await using server = new LiveServer({
    module: "mod.ts",
    args: ["demo"],
    flags: ["--allow-env=BULKHEAD_LOG_LEVEL"],
    env: { BULKHEAD_LOG_LEVEL: "error" },
  });
  await server.ping(1);
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.errorLines, []);
});

Deno.test("--force-minimal offers ping and logging only", async () => {
  await using server = new LiveServer({ module: "mod.ts", args: ["demo", "--force-minimal"] });
  await server.initialize();
  await server.ping(1);
  assertEquals((await server.request("logging/setLevel", { level: "error" }, 2)).result, {});
  for (const method of ["tools/list", "resources/list", "prompts/list"]) {
    assertEquals((await server.request(method, {}, method)).error?.code, -32601);
  }
});

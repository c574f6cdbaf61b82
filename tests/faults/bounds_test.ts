// Every bound, broken from outside: a clear error for that message only, and the connection lives on.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";

async function start(args: readonly string[] = [], revision?: string): Promise<LiveServer> {
  const server = new LiveServer({ args });
  await server.initialize(revision);
  return server;
}

function callLine(name: string, given: object, id: number | string): string {
  const params = { name, arguments: given, _meta: { progressToken: id } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

function countNotifications(server: LiveServer, method: string, token?: string): number {
  return server.lines.map((line) => JSON.parse(line)).filter((message) =>
    message.method === method && (token === undefined || message.params.progressToken === token)
  ).length;
}

Deno.test("a line over the bound is refused, one of exactly the bound taken", async () => {
  await using server = await start(["--max-line-bytes", "2000"]);
  const frame = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":""}}';
  const fitting = frame.replace('""', `"${"x".repeat(2000 - frame.length)}"`);
  await server.send(fitting);
  assertEquals((await server.answer(1)).result, {});
  await server.send(fitting.replace('"id":1', '"id":22'));
  const refused = await server.message(({ error }) => error !== undefined);
  assertEquals(refused.error, {
    code: -32600,
    message: "Invalid Request: longer than 2000 bytes",
  });
  await server.ping(3);
  assertEquals(server.lines.length, 4);
});

Deno.test("five hundred progress events become a hundred notifications, for each call", async () => {
  await using server = await start();
  const tokens = ["first", "second"];
  const lines = tokens.map((token) => callLine("flood_progress", { count: 500 }, token));
  await server.send(lines.join("\n"));
  for (const token of tokens) {
    const { result } = await server.answer(token);
    assertEquals(result, { content: [{ type: "text", text: "Progressed 500 times" }] });
    assertEquals(countNotifications(server, "notifications/progress", token), 100);
  }
});

Deno.test("log messages share the bound of their call", async () => {
  await using server = await start(["--max-notifications", "7"]);
  await server.call("flood_logs", { count: 50 }, 1);
  assertEquals(countNotifications(server, "notifications/message"), 7);
});

const RESULTS = [
  { tool: "huge", given: { length: 50_001 } },
  { tool: "huge_structured", given: { length: 50_001 } },
] as const;

Deno.test("a result over the bound is an error of that call only", async (t) => {
  await using server = await start(["--max-result-chars", "50000"]);
  for (const { tool, given } of RESULTS) {
    await t.step(tool, async () => {
      const { result } = await server.call(tool, given, tool);
      const text = "The result is longer than 50000 characters and was left out; ask for less";
      assertEquals(result, { content: [{ type: "text", text }], isError: true });
      const { result: fitting } = await server.call(tool, { length: 100 }, `${tool} fitting`);
      assertEquals(fitting?.isError, undefined);
    });
  }
});

Deno.test("a batch of ten thousand is refused whole with one error", async () => {
  await using server = await start([], "2025-03-26");
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  await server.send(`[${Array(10_000).fill(ping).join(",")}]`);
  await server.ping(2);
  assertEquals(JSON.parse(server.lines[1] ?? ""), {
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "Invalid Request: a batch holds at most 1000 messages" },
  });
  assertEquals(server.lines.length, 3);
});

Deno.test("a batch of a thousand calls is one array, in which what does not fit is told", async () => {
  await using server = await start([], "2025-03-26");
  const calls = Array.from({ length: 1000 }, (_, id) => callLine("huge", { length: 1 << 20 }, id));
  await server.send(`[${calls.join(",")}]`);
  await server.ping("ping");
  const batch = await server.message((message) => Array.isArray(message));
  assert(Array.isArray(batch));
  assertEquals(batch.length, 1000);
  assertEquals(new Set(batch.map(({ id }) => id)).size, 1000);
  const refusals = new Set(
    batch.flatMap(({ error }) => error === undefined ? [] : [error.message]),
  );
  assertEquals([...refusals], [
    "The answers of the batch are longer than 10485760 characters; send smaller batches",
  ]);
  assertEquals(batch.filter(({ result }) => result !== undefined).length, 9);
});

Deno.test("requests that never end are bounded in number", async () => {
  await using server = await start();
  const listen = (id: number) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "subscriptions/listen",
      params: {
        notifications: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
  const lines = Array.from({ length: 2100 }, (_, id) => listen(id));
  await server.send(lines.join("\n"));
  assertEquals((await server.answer(2099)).error, {
    code: -32603,
    message: "Server busy: 2048 requests are under way; try again later",
  });
  await server.ping("ping");
  await server.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 0 },
  });
  await server.send(listen(3000));
  await server.message(({ params }) =>
    JSON.stringify(params?._meta) === '{"io.modelcontextprotocol/subscriptionId":3000}'
  );
});

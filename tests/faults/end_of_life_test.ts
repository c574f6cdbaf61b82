// Every way in which a server ends: exit code 0, answers that were under way, and not a byte more.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";

const SUCCESS = { code: 0, signal: null };

async function start(args: readonly string[] = []): Promise<LiveServer> {
  const server = new LiveServer({ args });
  await server.initialize();
  return server;
}

function callText(name: string, given: object, id: number): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } };
}

/** Whether anything was sent about a request. */
function isMentioned(server: LiveServer, id: number): boolean {
  return server.lines.some((line) => JSON.parse(line).id === id);
}

Deno.test("the end of stdin ends a server that was never spoken to", async () => {
  await using server = new LiveServer();
  await server.closeInput();
  assertEquals(await server.ended(), SUCCESS);
  assertEquals(server.lines, []);
});

Deno.test("the end of stdin ends an idle server and its activations", async () => {
  await using server = await start();
  await server.call("echo", { text: "hello" }, 1);
  await server.closeInput();
  assertEquals(await server.ended(), SUCCESS);
  assertEquals(server.lines.length, 2);
  await server.marked("disposed");
});

Deno.test("calls under way at the end of stdin are still answered", async () => {
  await using server = await start(["--grace-ms", "20000"]);
  for (let id = 1; id <= 20; id++) await server.send(callText("nap", { ms: 50 }, id));
  await server.closeInput();
  assertEquals(await server.ended(), SUCCESS);
  for (let id = 1; id <= 20; id++) assert(isMentioned(server, id), `No answer to ${id}`);
});

Deno.test("a last line without a line feed is still answered", async () => {
  await using server = await start();
  await server.sendBytes(new TextEncoder().encode('{"jsonrpc":"2.0","id":7,"method":"ping"}'));
  await server.closeInput();
  assertEquals(await server.ended(), SUCCESS);
  assert(isMentioned(server, 7));
});

const HANGS = ["hang_heeding", "hang_deaf", "endless_log"] as const;

for (const tool of HANGS) {
  Deno.test(`a call of ${tool} at the end of stdin is canceled within the grace`, async () => {
    await using server = await start(["--grace-ms", "100"]);
    await server.send(callText(tool, {}, 1));
    await server.marked(tool === "endless_log" ? "streaming" : "hanging");
    await server.closeInput();
    assertEquals(await server.ended(), SUCCESS);
    assert(!isMentioned(server, 1), "A canceled call was answered");
    if (tool === "hang_heeding") await server.marked("heeded");
    if (tool === "endless_log") await server.marked("returned");
  });
}

Deno.test("a question that is open at the end of stdin ends with it", async () => {
  await using server = await start(["--grace-ms", "20000"]);
  await server.send(callText("ask", {}, 1));
  await server.message((message) => message.method === "elicitation/create");
  await server.closeInput();
  assertEquals(await server.ended(), SUCCESS);
  assertEquals((await server.answer(1)).result?.isError, true);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} ends a server with a hanging call, its input open, and the call with an error`, async () => {
    await using server = await start(["--grace-ms", "100"]);
    await server.send(callText("hang_heeding", {}, 1));
    await server.marked("hanging");
    server.kill(signal);
    assertEquals(await server.ended(), SUCCESS);
    assertEquals((await server.answer(1)).error?.code, -32603);
    await server.marked("heeded");
    await server.marked("disposed");
  });
}

Deno.test("a client that closes its end of stdout ends the server, its input open", async () => {
  await using server = new LiveServer({ reads: false });
  await server.closeOutput();
  await server.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  assertEquals(await server.ended(), SUCCESS);
});

Deno.test("shutdown and exit end the server, its input open", async () => {
  await using server = await start();
  assertEquals((await server.request("shutdown", {}, 1)).result, {});
  const { error } = await server.call("echo", { text: "late" }, 2);
  assertEquals(error, { code: -32002, message: "Server shutting down" });
  await server.ping(3);
  await server.send({ jsonrpc: "2.0", method: "exit" });
  assertEquals(await server.ended(), SUCCESS);
});

Deno.test("shutdown without exit ends the server by itself", async () => {
  await using server = await start();
  await server.request("shutdown", {}, 1);
  assertEquals(await server.ended(), SUCCESS);
});

Deno.test("exit without shutdown is no way to end the server", async () => {
  await using server = await start();
  await server.send({ jsonrpc: "2.0", method: "exit" });
  await server.ping(1);
});

Deno.test("nothing is said about a call after its cancellation", async (t) => {
  for (const tool of ["hang_heeding", "hang_deaf", "nap"]) {
    await t.step(tool, async () => {
      await using server = await start();
      await server.send(callText(tool, { ms: 30 }, 5));
      await server.marked(tool === "nap" ? "napping" : "hanging");
      await server.send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 5, reason: "a test" },
      });
      // The nap of another call outlasts what the canceled one might still say.
      await server.call("nap", { ms: 60 }, 6);
      await server.closeInput();
      assertEquals(await server.ended(), SUCCESS);
      assert(!isMentioned(server, 5), "A canceled call was answered");
    });
  }
});

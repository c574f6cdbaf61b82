// Many calls at once: bounded places, a bounded queue, whole lines, and nothing that waits behind calls but calls.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";
import type { Message } from "./wire_check.ts";

const PLACES = 16;

async function start(args: readonly string[] = []): Promise<LiveServer> {
  const server = new LiveServer({ args });
  await server.initialize();
  return server;
}

async function sendCalls(server: LiveServer, name: string, ids: readonly number[], given: object) {
  const lines = ids.map((id) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: given },
    })
  );
  await server.send(lines.join("\n"));
}

function range(start: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start + index);
}

function firstText({ result }: Message): string {
  const content = result?.content;
  return Array.isArray(content) ? String(content[0]?.text) : "";
}

Deno.test("forty calls are all answered, sixteen at once at most", async () => {
  await using server = await start();
  await sendCalls(server, "meet", range(0, 40), { count: 8 });
  for (const id of range(0, 40)) {
    const peak = Number(firstText(await server.answer(id)));
    assert(peak >= 8 && peak <= PLACES, `${peak} ran at once`);
  }
});

Deno.test("as many calls as there are places do run at once", async () => {
  await using server = await start();
  await sendCalls(server, "meet", range(0, PLACES), { count: PLACES });
  for (const id of range(0, PLACES)) assertEquals(firstText(await server.answer(id)) !== "", true);
});

Deno.test("--max-concurrent chooses the places", async () => {
  await using server = await start(["--max-concurrent", "3"]);
  await sendCalls(server, "meet", range(0, 30), { count: 3 });
  for (const id of range(0, 30)) assertEquals(firstText(await server.answer(id)), "3");
});

Deno.test("ping, cancellation and notifications do not wait for a place", async () => {
  await using server = await start();
  await sendCalls(server, "hang_heeding", range(0, PLACES), {});
  await server.marked("hanging", PLACES);
  await sendCalls(server, "echo", [100], { text: "waits" });
  await server.ping("ping");
  assert(!server.lines.some((line) => JSON.parse(line).id === 100), "A call overtook");
  await server.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 3 },
  });
  assertEquals(firstText(await server.answer(100)), "waits");
  await server.marked("heeded");
});

Deno.test("a call that is canceled while it waits never runs", async () => {
  await using server = await start(["--max-concurrent", "1"]);
  await sendCalls(server, "hang_heeding", [0], {});
  await server.marked("hanging");
  await sendCalls(server, "nap", [1], { ms: 1 });
  for (const requestId of [1, 0]) {
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }
  assertEquals(firstText(await server.call("echo", { text: "next" }, 2)), "next");
  await server.closeInput();
  await server.ended();
  assert(!server.errorLines.includes('{"mark":"napping"}'), "It ran");
});

Deno.test("a full queue refuses that call only", async () => {
  await using server = await start(["--max-concurrent", "2", "--max-queue", "3"]);
  await sendCalls(server, "hang_heeding", [0, 1], {});
  await server.marked("hanging", 2);
  await sendCalls(server, "echo", range(10, 5), { text: "waited" });
  for (const id of [13, 14]) {
    const { error } = await server.answer(id);
    assertEquals(error, {
      code: -32603,
      message: "Server busy: 2 calls run and 3 wait; try again later",
    });
  }
  await server.ping("ping");
  await server.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 0 },
  });
  for (const id of [10, 11, 12]) assertEquals(firstText(await server.answer(id)), "waited");
});

Deno.test("lines of a hundred calls with large results never interleave", async () => {
  await using server = await start();
  const length = 200_000;
  await sendCalls(server, "huge", range(0, 100), { length, letter: "é" });
  for (const id of range(0, 100)) {
    assertEquals(firstText(await server.answer(id)), "é".repeat(length));
  }
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.lines.length, 101);
});

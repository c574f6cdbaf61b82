// Clients that send without end or never read: memory stays bounded, and the server can still be ended.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";

const MAX_MIB = 200;
const MEBI = 1 << 20;
const ON_LINUX = Deno.build.os === "linux";

if (!ON_LINUX) {
  // deno-lint-ignore no-console -- a skipped test must be seen
  console.warn("Memory is NOT measured: that needs /proc of Linux");
}

async function assertLean(server: LiveServer, maxMib = MAX_MIB): Promise<void> {
  const peak = await server.peakMib();
  assert(peak < maxMib, `The server held ${peak.toFixed(0)} MiB`);
}

/** Sends until the server takes no more; tells how much it took. */
async function sendUntilStuck(server: LiveServer, line: (index: number) => string, max: number) {
  const encoder = new TextEncoder();
  let sent = 0;
  for (let index = 0; sent < max; index++) {
    const bytes = encoder.encode(line(index) + "\n");
    const stuck = Promise.withResolvers<"stuck">();
    // No synchronisation: the longer the wait, the more a server without bounds would swallow.
    const timer = setTimeout(() => stuck.resolve("stuck"), 500);
    const end = await Promise.race([stuck.promise, server.sendBytes(bytes)]);
    clearTimeout(timer);
    if (end === "stuck") return sent;
    sent += bytes.length;
  }
  return sent;
}

function callLine(name: string, given: object, id: number): string {
  const params = { name, arguments: given, _meta: { progressToken: id } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

interface Flood {
  readonly name: string;
  readonly line: (id: number) => string;
  readonly maxMib?: number;
}

const HANDSHAKE = [
  {
    jsonrpc: "2.0",
    id: "initialize",
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "h", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

const FLOODS: readonly Flood[] = [
  { name: "results of 1 MiB", line: (id: number) => callLine("huge", { length: MEBI }, id) },
  {
    name: "results of 8 MiB",
    line: (id: number) => callLine("huge", { length: 8 * MEBI }, id),
    // Sixteen calls run at once; each holds its result, and the same as text on its way out.
    maxMib: 16 * 8 * 2 + MAX_MIB,
  },
  {
    name: "log messages",
    line: (id: number) => callLine("flood_logs", { count: 100, length: 50_000 }, id),
  },
  { name: "progress", line: (id: number) => callLine("flood_progress", { count: 500 }, id) },
  { name: "pings", line: (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }) },
  { name: "garbage", line: () => "{".repeat(1000) },
  {
    name: "unknown methods of 1 MiB",
    line: (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "x".repeat(MEBI) }),
  },
];

Deno.test({
  name: "a client that never reads costs bounded memory, and SIGTERM ends the server",
  ignore: !ON_LINUX,
  async fn(t) {
    for (const { name, line, maxMib } of FLOODS) {
      await t.step(name, async () => {
        await using server = new LiveServer({ reads: false, args: ["--grace-ms", "200"] });
        for (const message of HANDSHAKE) await server.send(message);
        const sent = await sendUntilStuck(server, line, 64 * MEBI);
        await assertLean(server, maxMib);
        assert(sent < 64 * MEBI, "The server took all that was sent");
        server.kill("SIGTERM");
        assertEquals(await server.ended(), { code: 0, signal: null });
      });
    }
  },
});

Deno.test({
  name: "a line of one gibibyte costs bounded memory and gets exactly one error",
  ignore: !ON_LINUX,
  async fn() {
    await using server = new LiveServer();
    await server.initialize();
    const chunk = new Uint8Array(4 * MEBI).fill(0x78);
    for (let sent = 0; sent < 1024 * MEBI; sent += chunk.length) await server.sendBytes(chunk);
    await server.send("");
    await server.ping("ping");
    await assertLean(server);
    assertEquals(server.lines.length, 3);
    assertEquals(JSON.parse(server.lines[1] ?? ""), {
      jsonrpc: "2.0",
      error: { code: -32600, message: "Invalid Request: longer than 10485760 bytes" },
    });
  },
});

const LONGEST = 10 * MEBI;

const LONG_LINES = [
  { name: "brackets", line: "[".repeat(LONGEST) },
  { name: "closed brackets", line: "[".repeat(LONGEST / 2) + "]".repeat(LONGEST / 2) },
  { name: "empty objects", line: `[${"{},".repeat(LONGEST / 3 - 2)}{}]` },
  {
    name: "nested members",
    line: '{"a":'.repeat(LONGEST / 6 - 1) + "1" + "}".repeat(LONGEST / 6 - 1),
  },
  { name: "zeros", line: `[${"0,".repeat(LONGEST / 2 - 2)}0]` },
];

Deno.test({
  name: "the longest lines, whatever they hold, get exactly one error",
  ignore: !ON_LINUX,
  async fn(t) {
    for (const { name, line } of LONG_LINES) {
      await t.step(name, async () => {
        await using server = new LiveServer();
        await server.initialize();
        await server.send(line);
        await server.ping("ping");
        await assertLean(server);
        assertEquals(server.lines.length, 3);
        assert(JSON.parse(server.lines[1] ?? "").error.code <= -32600);
      });
    }
  },
});

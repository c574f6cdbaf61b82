// A greeting in the first line is answered before the connection is loaded. Whether it is or not must not be seen.

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createLog, Gateway, type Limits, serveLines } from "../../../mod.ts";
import { DEMO_PROVIDER } from "../../../src/providers/demo/demo.ts";

const CLIENT = { name: "greeting", version: "1.0.0" };
const PARAMS = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };

function initialize(params: object, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
}

const PING = '{"jsonrpc":"2.0","id":"ping","method":"ping"}';
const READY = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const UNREADABLE = "{";

const FIRST_LINES = [
  ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map((protocolVersion) => ({
    name: `asks for ${protocolVersion}`,
    line: initialize({ ...PARAMS, protocolVersion }),
  })),
  { name: "asks for an unknown revision", line: initialize({ protocolVersion: "1999-01-01" }) },
  { name: "names the stateless revision", line: initialize({ protocolVersion: "2026-07-28" }) },
  { name: "has the id 0", line: initialize(PARAMS, 0) },
  { name: "has an empty id", line: initialize(PARAMS, "") },
  { name: "has no usable id", line: initialize(PARAMS, 1.5) },
  { name: "has a byte order mark and a carriage return", line: `\ufeff${initialize(PARAMS)}\r` },
  { name: "names no revision", line: initialize({ capabilities: {} }) },
  { name: "names a revision that is no text", line: initialize({ ...PARAMS, protocolVersion: 1 }) },
  { name: "has capabilities that are no object", line: initialize({ ...PARAMS, capabilities: 1 }) },
  { name: "has no capabilities", line: initialize({ ...PARAMS, capabilities: null }) },
  { name: "has a client that is no object", line: initialize({ ...PARAMS, clientInfo: "me" }) },
  { name: "has parameters by position", line: initialize([PARAMS]) },
  { name: "asks for progress", line: initialize({ ...PARAMS, _meta: { progressToken: 1 } }) },
  {
    name: "belongs to the stateless wire",
    line: initialize({
      ...PARAMS,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
  },
  {
    name: "is a notification",
    line: JSON.stringify({ jsonrpc: "2.0", method: "initialize", params: PARAMS }),
  },
  { name: "is a batch", line: `[${initialize(PARAMS)}]` },
  { name: "is nested too deeply", line: initialize({ ...PARAMS, deep: nest(200) }) },
  { name: "is no JSON", line: UNREADABLE },
  { name: "is blank", line: "  " },
];

Deno.test("serveLines() answers a first line as one that comes later", async (t) => {
  for (const { name, line } of FIRST_LINES) {
    await t.step(`that ${name}`, async () => {
      const early = [listTools("too soon"), READY, UNREADABLE];
      const rest = [...early, initialize(PARAMS, "again"), listTools("list"), PING];
      const first = await serve([line, ...rest]);
      const later = await serve([PING.replace("ping", "before"), line, ...rest]);
      assertEquals(first, later.filter((answer) => !answer.includes('"before"')));
      assertNotEquals(first, []);
    });
  }
});

Deno.test("serveLines() opens the same session, however the lines arrive", async (t) => {
  const lines = [initialize(PARAMS), READY, listTools(2), PING];
  const expected = await serve(lines);
  assertEquals(expected.length, 3);
  for (const size of [1, 7, 64]) {
    await t.step(`${size} bytes at a time`, async () => {
      assertEquals(await serve(lines, { size }), expected);
    });
  }
});

Deno.test("serveLines() answers no greeting beyond the longest result", async () => {
  const options = { instructions: "x".repeat(2_000_000), limits: { maxResultLength: 1000 } };
  const first = await serve([initialize(PARAMS)], options);
  assertEquals(first, await serve(["", initialize(PARAMS)], options));
  assertMatch(first.join(), /"code":-32603,"message":"The result is longer than 1000 characters"/);
});

Deno.test("serveLines() ends when its client leaves before or right behind the greeting", async () => {
  assertEquals(await serve([]), []);
  assertEquals((await serve([initialize(PARAMS)])).length, 1);
});

function listTools(id: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });
}

function nest(depth: number): unknown {
  return depth === 0 ? 0 : [nest(depth - 1)];
}

/** The answers to lines that a client sends before it leaves, in the order of their text. */
async function serve(
  lines: readonly string[],
  { size = Infinity, instructions = "", limits = {} }: {
    readonly size?: number;
    readonly instructions?: string;
    readonly limits?: Partial<Limits>;
  } = {},
): Promise<readonly string[]> {
  await using gateway = new Gateway({
    server: { implementation: { name: "greeted", version: "1.0.0" }, instructions },
    limits,
    activations: [await DEMO_PROVIDER.activate({ namespace: "demo" })],
    log: createLog({ level: "emergency", sink: () => {} }),
  });
  let rest = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  const decoder = new TextDecoder();
  let output = "";
  await serveLines(gateway, {
    input: {
      read(target) {
        const part = rest.subarray(0, Math.min(size, target.length));
        rest = rest.subarray(part.length);
        target.set(part);
        return Promise.resolve(part.length === 0 ? null : part.length);
      },
    },
    output: {
      write(bytes) {
        output += decoder.decode(bytes, { stream: true });
        return Promise.resolve(bytes.length);
      },
    },
    signal: new AbortController().signal,
  });
  return output.split("\n").filter((line) => line !== "").sort();
}

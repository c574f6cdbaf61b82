// Schemas and values made to hang a validator. The server answers each call and goes on; it fetches nothing.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { LiveServer } from "./live_server.ts";
import type { Message } from "./wire_check.ts";

/** Deep enough that a doubling per level never ends, shallow enough for the bound on nesting. */
const DEPTH = 60;

const LETTERS = "a".repeat(4000);

/** Few enough that a backtracking engine tries them all instead of running out of its stack. */
const FEW_LETTERS = `${"a".repeat(200)}!`;

const TRAPS = [
  { tool: "schema_pattern", text: `${LETTERS}!` },
  { tool: "schema_alternatives", text: `${LETTERS}!` },
  { tool: "schema_lookahead", text: `${LETTERS}!` },
  { tool: "schema_polynomial", text: FEW_LETTERS },
  { tool: "schema_optional", text: FEW_LETTERS },
  { tool: "schema_choices", text: FEW_LETTERS },
  { tool: "schema_loop", text: "" },
  { tool: "schema_circle", text: "" },
  { tool: "schema_doubled", text: "" },
  { tool: "schema_identified", text: "" },
  { tool: "schema_inner", text: "" },
  { tool: "schema_recursive", text: nestedValue(DEPTH) },
  { tool: "schema_unique", text: [...sameItems(50_000), {}, {}] },
  { tool: "schema_megabyte", text: "" },
  { tool: "schema_remote", text: "" },
] as const;

function nestedValue(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level++) value = { next: value };
  return value;
}

function sameItems(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ x: [[[index]]] }));
}

Deno.test("a trapped schema fails its own call and leaves the server answering", async (t) => {
  await using server = new LiveServer();
  await server.initialize();
  for (const { tool, text } of TRAPS) {
    await t.step(tool, async () => {
      const answer = await server.call(tool, { text }, tool);
      assertEquals(answer.result?.isError, true, JSON.stringify(answer).slice(0, 300));
      await server.ping(`ping after ${tool}`);
    });
  }
});

Deno.test("values that fit pass the bounded validator", async (t) => {
  await using server = new LiveServer();
  await server.initialize();
  const fitting = [
    { tool: "schema_pattern", text: LETTERS },
    { tool: "schema_alternatives", text: LETTERS },
    { tool: "schema_recursive", text: nestedValue(8) },
    { tool: "schema_unique", text: sameItems(50_000) },
  ];
  for (const { tool, text } of fitting) {
    await t.step(tool, async () => {
      const answer = await server.call(tool, { text }, tool);
      assertEquals(answer.result, { content: [{ type: "text", text: "Ran" }] });
    });
  }
});

Deno.test("definitions that cannot be walked are left out, and all others offered", async () => {
  await using server = new LiveServer();
  await server.initialize();
  const names = await listNames(server);
  assert(names.includes("echo"));
  for (const tool of ["schema_nested", "schema_cyclic"]) {
    assert(!names.includes(tool), `"${tool}" is offered`);
    const { error } = await server.call(tool, {}, tool);
    assertEquals(error, { code: -32602, message: `Unknown tool: "${tool}"` });
  }
});

Deno.test("a remote reference is never fetched, though the network is permitted", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      connections += 1;
      connection.close();
    }
  })();
  {
    await using server = new LiveServer({
      args: [`remote=${port}`],
      flags: [`--allow-net=127.0.0.1:${port}`],
    });
    await server.initialize();
    const { result } = await server.call("schema_remote", {}, 1);
    assertEquals(result?.isError, true);
    assertStringIncludes(JSON.stringify(result), "its input schema is bad");
    await server.closeInput();
    await server.ended();
  }
  // The socket is shown to work: a connection is counted, and it is the only one.
  const own = await Deno.connect({ hostname: "127.0.0.1", port });
  await own.read(new Uint8Array(1));
  own.close();
  listener.close();
  await accepting;
  assertEquals(connections, 1);
});

async function listNames(server: LiveServer): Promise<string[]> {
  const names: string[] = [];
  let cursor: unknown;
  do {
    const page: Message = await server.request("tools/list", { cursor }, `list ${names.length}`);
    const { tools, nextCursor } = page.result ?? {};
    if (Array.isArray(tools)) { for (const { name } of tools) names.push(name); }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return names;
}

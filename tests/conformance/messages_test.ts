// JSON-RPC as MCP uses it: which lines are refused and how, ids, one message a line, answers side by side.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import {
  connectInProcess,
  openInProcess,
  type SchemaRevision,
  type TestClient,
} from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, numbered, say, scripted, textOf } from "../harness/scripted.ts";

interface Refusal {
  readonly line: string | Uint8Array;
  readonly code: number;
  /** The id of the answer; without one it could not be read. */
  readonly id?: string | number;
}

const REFUSALS: readonly Refusal[] = [
  { line: "{", code: -32700 },
  { line: "no JSON at all", code: -32700 },
  { line: '{"jsonrpc":"2.0","id":1,"method":"ping"', code: -32700 },
  { line: '{"jsonrpc":"2.0","id":1,"method":"ping"} extra', code: -32700 },
  { line: "{'jsonrpc':'2.0'}", code: -32700 },
  { line: new Uint8Array([0x22, 0xff, 0xfe, 0x22, 0x0a]), code: -32700 },
  { line: "[]", code: -32600 },
  { line: "1", code: -32600 },
  { line: '"ping"', code: -32600 },
  { line: "null", code: -32600 },
  { line: "true", code: -32600 },
  { line: "{}", code: -32600 },
  { line: '{"jsonrpc":"2.0"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":null,"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":true,"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":{},"method":"ping"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":[7],"method":"ping"}', code: -32600 },
  { line: '{"id":"old","method":"ping"}', code: -32600, id: "old" },
  { line: '{"jsonrpc":"1.0","id":"old","method":"ping"}', code: -32600, id: "old" },
  { line: '{"jsonrpc":2,"id":"old","method":"ping"}', code: -32600, id: "old" },
  { line: '{"jsonrpc":"2.0","id":"a","method":5}', code: -32600, id: "a" },
  { line: '{"jsonrpc":"2.0","id":"b","method":null}', code: -32600, id: "b" },
  { line: '{"jsonrpc":"2.0","id":"c","method":"ping","params":"x"}', code: -32600, id: "c" },
  { line: '{"jsonrpc":"2.0","id":"d","method":"ping","params":null}', code: -32600, id: "d" },
  { line: '{"jsonrpc":"2.0","id":"e","method":"ping","params":1}', code: -32600, id: "e" },
  { line: '{"jsonrpc":"2.0","id":"f"}', code: -32600, id: "f" },
];

async function assertRefused(
  client: TestClient,
  { line, code, id }: Refusal,
  unreadable: JsonObject,
): Promise<void> {
  const before = client.received.length;
  await client.sendLine(line);
  await client.waitFor(() => client.received.length > before, `a refusal of ${line}`);
  const { error, ...envelope } = client.received[before] ?? {};
  assert(isObject(error), `no error for ${line}`);
  assertEquals(error.code, code, `${line}`);
  assertEquals(
    envelope,
    { jsonrpc: "2.0", ...(id === undefined ? unreadable : { id }) },
    `${line}`,
  );
  await client.settle();
}

/** How an error names a request whose id cannot be read. */
function unreadableOf(revision: SchemaRevision): JsonObject {
  return revision < "2025-11-25" ? { id: null } : {};
}

forEachRevision(
  "mcp.message.errors",
  "are -32700 and -32600, once, and the connection lives on (substrate#14, mcp-bash#6)",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    if (revision === "2026-07-28") await client.settle();
    for (const refusal of REFUSALS) await assertRefused(client, refusal, unreadableOf(revision));
  },
);

Deno.test("mcp.message.errors name an unreadable id null until a revision is settled", async () => {
  await using client = await connectInProcess({ activations: [numbered(1)] });
  for (const refusal of REFUSALS) await assertRefused(client, refusal, { id: null });
});

forEachRevision(
  "mcp.message.errors",
  "have one number each (substrate#14)",
  async (revision) => {
    await using client = await openInProcess({
      activations: [scripted({}, {
        prompts: {
          list: () => Promise.reject(new Error("/home/secret is broken")),
          get: () => Promise.resolve({ messages: [] }),
        },
      })],
      revision,
    });
    assertEquals((await client.error("no/such/method")).code, -32601);
    assertEquals((await client.error("tools/call")).code, -32602);
    const { code, message } = await client.error("prompts/list");
    assertEquals(code, -32603);
    assert(!String(message).includes("secret"), "the host is not told of");
    assertStringIncludes(client.stderr, "/home/secret is broken");
  },
);

forEachRevision(
  "mcp.message.errors",
  "are not answers to malformed responses or notifications",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    await client.settle();
    const before = client.lines.length;
    const lines = [
      '{"jsonrpc":"2.0","id":"x","result":{}}',
      '{"jsonrpc":"2.0","id":"x","error":{}}',
      '{"jsonrpc":"2.0","id":"x","result":{},"error":{"code":1,"message":"m"}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      '{"jsonrpc":"2.0","method":"no/such/notification"}',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"tool_0000"}}',
    ];
    for (const line of lines) await client.sendLine(line);
    await client.settle();
    assertEquals(client.lines.length, before + 1);
  },
);

forEachRevision(
  "mcp.message.unknown_method",
  "is named in the refusal",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    for (const method of ["", "tools", "tools/", "tools/List", "__proto__", "toString"]) {
      const { code, message } = await client.error(method);
      assertEquals(code, -32601, method);
      assertStringIncludes(String(message), `"${method}"`);
    }
  },
);

const IDS = [
  0,
  -1,
  1,
  "1",
  9007199254740991,
  "",
  "0",
  "a/b",
  "null",
  "__proto__",
  'quotes " and \\ and \u0000',
  "ünïcødé \u2028 \u{1f6a2}",
  "x".repeat(300),
] as const;

forEachRevision(
  "mcp.message.ids",
  "come back by type and value, all in flight at once (mcp-bash#10)",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run })],
      revision,
    });
    for (const id of IDS) await client.post("tools/call", { name: "hold" }, id);
    await held.started;
    held.release();
    for (const id of IDS) await client.waitFor((message) => message.id === id, `id ${id}`);
    await client.close();
    for (const id of IDS) assertEquals(client.responses(id).length, 1, `id ${id}`);
  },
);

forEachRevision(
  "mcp.message.ids",
  "in use are refused, and free again after the answer",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run, quick: () => [say("quick")] })],
      revision,
    });
    await client.post("tools/call", { name: "hold" }, "twin");
    await held.started;
    const { error } = await client.request("tools/call", { name: "quick" }, "twin");
    assertEquals(isObject(error) ? error.code : undefined, -32600);
    held.release();
    await client.waitFor(() => client.responses("twin").length === 2, "the first one's answer");
    const { result } = await client.request("tools/call", { name: "quick" }, "twin");
    assertEquals(isObject(result) ? textOf(result) : undefined, "quick");
  },
);

forEachRevision(
  "mcp.message.lines",
  "hold one message each, whatever the text holds (substrate#24)",
  async (revision) => {
    const texts = [
      "one\ntwo\r\nthree\rfour",
      "separators \u2028 and \u2029 and \u0085",
      "\u0000\u001b[31m\ufeff",
      "half a pair: \ud83d",
      '{"jsonrpc":"2.0","id":1,"result":{}}\n',
    ];
    await using client = await openInProcess({
      activations: [scripted({ recite: () => texts.map(say) })],
      revision,
    });
    const before = client.lines.length;
    const { content } = await client.call("recite");
    assertEquals(content, texts.map((text) => ({ type: "text", text })));
    assertEquals(client.lines.length, before + 1);
  },
);

forEachRevision(
  "mcp.message.lines",
  "may have a byte order mark, CRLF, blanks around them, and blank lines between (mcp-bash#8)",
  async (revision) => {
    await using client = await openInProcess({ activations: [numbered(1)], revision });
    await client.settle();
    const before = client.lines.length;
    const method = revision === "2026-07-28" ? "server/discover" : "ping";
    const params = revision === "2026-07-28" ? client.withMeta() : {};
    const line = (id: string) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const lines = ["", "   ", "\t\r", "\ufeff", line("plain"), `\ufeff${line("bom")}`];
    lines.push(`${line("crlf")}\r`, `  \t${line("blanks")}  `, "");
    for (const text of lines) await client.sendLine(text);
    await client.settle();
    const ids = client.received.slice(before, -1).map((message) => message.id);
    assertEquals(ids, ["plain", "bom", "crlf", "blanks"]);
  },
);

forEachRevision(
  "mcp.message.side_by_side",
  "answers: nothing waits behind a slow call, even when every place is taken (mcp-bash#9)",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({ hold: held.run, quick: () => [say("quick")] })],
      revision,
      limits: { maxConcurrentCalls: 1 },
    });
    const slow = await client.post("tools/call", { name: "hold" });
    await held.started;
    const queued = await client.post("tools/call", { name: "quick" });
    await client.settle();
    await client.result("tools/list");
    assertEquals([client.responses(slow).length, client.responses(queued).length], [0, 0]);
    held.release();
    await client.waitFor((message) => message.id === queued, "the call that waited");
    assertEquals(client.responses(slow).length, 1);
  },
);

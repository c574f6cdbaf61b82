// Lines that no honest client sends. Each gets at most one valid answer; none takes the server down.

import { assert, assertEquals } from "@std/assert";
import { LiveServer } from "./live_server.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const MALFORMED = { code: -32700, message: "Parse error: The line is not valid JSON" };

function ping(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
}

/** What one line is answered with; `undefined` for nothing. */
interface LineCase {
  readonly name: string;
  readonly line: string | Uint8Array;
  readonly answer: object | undefined;
}

function refused(message: string, id?: string | number): object {
  const error = { code: -32600, message: `Invalid Request: ${message}` };
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

function pong(id: string | number): object {
  return { jsonrpc: "2.0", id, result: {} };
}

const BAD_ID = refused(
  'Member "id" must be a string of at most 1024 characters or an integer within ±(2^53 - 1)',
);

const CASES: readonly LineCase[] = [
  { name: "empty line", line: "", answer: undefined },
  { name: "white space", line: " \t \r", answer: undefined },
  { name: "carriage return behind", line: `${PING}\r`, answer: pong(1) },
  { name: "white space around", line: `  ${PING}  `, answer: pong(1) },
  { name: "byte order mark", line: `\ufeff${PING}`, answer: pong(1) },
  { name: "byte order mark alone", line: "\ufeff", answer: undefined },
  { name: "NUL", line: `${PING}\0`, answer: { jsonrpc: "2.0", error: MALFORMED } },
  {
    name: "NUL inside a string",
    line: ping('"a\0b"'),
    answer: { jsonrpc: "2.0", error: MALFORMED },
  },
  { name: "escaped NUL as id", line: ping('"\\u0000"'), answer: pong("\0") },
  {
    name: "two messages in a line",
    line: PING + PING,
    answer: { jsonrpc: "2.0", error: MALFORMED },
  },
  { name: "half a message", line: PING.slice(0, 20), answer: { jsonrpc: "2.0", error: MALFORMED } },
  { name: "comment", line: `// ${PING}`, answer: { jsonrpc: "2.0", error: MALFORMED } },
  {
    name: "invalid UTF-8",
    line: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    answer: {
      jsonrpc: "2.0",
      error: { code: -32700, message: "Parse error: The line is not valid UTF-8" },
    },
  },
  {
    name: "UTF-8 that is cut off",
    line: new Uint8Array([0x22, 0xe2, 0x82]),
    answer: {
      jsonrpc: "2.0",
      error: { code: -32700, message: "Parse error: The line is not valid UTF-8" },
    },
  },
  {
    name: "surrogate as UTF-8",
    line: new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
    answer: {
      jsonrpc: "2.0",
      error: { code: -32700, message: "Parse error: The line is not valid UTF-8" },
    },
  },
  { name: "lone surrogate as id", line: ping('"\\ud800"'), answer: pong("\ud800") },
  {
    name: "a hundred thousand brackets",
    line: "[".repeat(100_000) + "]".repeat(100_000),
    answer: refused("The message nests deeper than 128 levels"),
  },
  {
    name: "a hundred thousand open brackets",
    line: "[".repeat(100_000),
    answer: refused("The message nests deeper than 128 levels"),
  },
  {
    name: "a request that nests too deep",
    line: `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":${"[".repeat(200)}${
      "]".repeat(200)
    }}}`,
    answer: refused("The message nests deeper than 128 levels", 9),
  },
  { name: "string", line: '"ping"', answer: refused("A message must be a JSON object") },
  { name: "null", line: "null", answer: refused("A message must be a JSON object") },
  {
    name: "batch where there are none",
    line: `[${PING}]`,
    answer: refused("batches exist in revision 2025-03-26 only; send its messages one by one"),
  },
  { name: "empty batch", line: "[]", answer: refused("A batch must not be empty") },
  {
    name: "empty object",
    line: "{}",
    answer: refused('Member "jsonrpc" must be the string "2.0"'),
  },
  {
    name: "__proto__ as parameters",
    line:
      '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"method":"x"},"params":{"__proto__":1}}',
    answer: pong(1),
  },
  {
    name: "__proto__ as method",
    line: '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    answer: {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message: 'Method not found: "__proto__"' },
    },
  },
  {
    name: "constructor as method",
    line: '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
    answer: {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message: 'Method not found: "constructor"' },
    },
  },
  {
    name: "__proto__ as tool",
    line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}',
    answer: {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: 'Unknown tool: "__proto__"' },
    },
  },
  {
    name: "__proto__ as arguments",
    line:
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"text":"no"},"text":"own"}}}',
    answer: { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "own" }] } },
  },
  {
    name: "duplicate keys",
    line: '{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}',
    answer: pong(2),
  },
  { name: "id 0", line: ping("0"), answer: pong(0) },
  { name: "id -0", line: ping("-0"), answer: pong(0) },
  { name: "id -7", line: ping("-7"), answer: pong(-7) },
  { name: "empty id", line: ping('""'), answer: pong("") },
  { name: "id 1 as text", line: ping('"1"'), answer: pong("1") },
  {
    name: "id of 300 characters",
    line: ping(`"${"i".repeat(300)}"`),
    answer: pong("i".repeat(300)),
  },
  { name: "greatest id", line: ping("9007199254740991"), answer: pong(9007199254740991) },
  { name: "id 2^53", line: ping("9007199254740992"), answer: BAD_ID },
  { name: "id 1e400", line: ping("1e400"), answer: BAD_ID },
  { name: "fractional id", line: ping("1.5"), answer: BAD_ID },
  { name: "null id", line: ping("null"), answer: BAD_ID },
  { name: "true as id", line: ping("true"), answer: BAD_ID },
  { name: "object as id", line: ping('{"a":1}'), answer: BAD_ID },
  { name: "array as id", line: ping("[1]"), answer: BAD_ID },
  { name: "answer to nothing", line: '{"jsonrpc":"2.0","id":1,"result":{}}', answer: undefined },
  {
    name: "error of nothing",
    line: '{"jsonrpc":"2.0","error":{"code":1,"message":""}}',
    answer: undefined,
  },
  { name: "malformed answer", line: '{"jsonrpc":"2.0","id":1,"error":7}', answer: undefined },
  {
    name: "unknown notification",
    line: '{"jsonrpc":"2.0","method":"__proto__"}',
    answer: undefined,
  },
  {
    name: "cancellation of nothing",
    line: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    answer: undefined,
  },
  {
    name: "second initialize",
    line:
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    answer: {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message: "Server already initialized" },
    },
  },
];

Deno.test("each hostile line is answered exactly as it deserves", async (t) => {
  await using server = new LiveServer();
  await server.initialize();
  for (const { name, line, answer } of CASES) {
    await t.step(name, async () => {
      const before = server.lines.length;
      await (typeof line === "string" ? server.send(line) : server.sendBytes(line));
      if (typeof line !== "string") await server.send("");
      await server.call("echo", { text: "next" }, name);
      const said = server.lines.slice(before).map((text) => JSON.parse(text));
      assertEquals(said.slice(0, -1), answer === undefined ? [] : [answer]);
    });
  }
});

Deno.test("an id in use is refused, and its other type is another id", async () => {
  await using server = new LiveServer();
  await server.initialize();
  const call = (id: number | string, tool: string) =>
    server.send({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: tool, arguments: {} },
    });
  await call(1, "hang_heeding");
  await server.marked("hanging");
  await call(1, "fail");
  assertEquals((await server.answer(1)).error, {
    code: -32600,
    message: "Invalid Request: the id is in use by another request",
  });
  await server.ping("1");
  await call(0, "hang_heeding");
  await server.marked("hanging", 2);
  await server.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "" },
  });
  await server.ping("ping");
  assert(!server.errorLines.includes('{"mark":"heeded"}'), 'The id "" ended the request 0');
  await server.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1 },
  });
  await server.marked("heeded");
});

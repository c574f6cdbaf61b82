// What `docs/http.md` says, done: its commands start servers, its request is answered, and each refusal of its tables
// has the status and the sentence that stand there, here or in the test that is named.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { TextLineStream } from "@std/streams";
import { withDeadline } from "../harness/deadline.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/http.md", import.meta.url));
const TOKEN = "0123456789abcdef0123456789abcdef";
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "page", version: "1.0.0" },
  },
};
const JSON_TYPE = { "content-type": "application/json" };

/** Rows of the page's tables that were seen to be true. */
const provoked = new Set<string>();

/** Refusals that take long, or more than a server of the command line: part of their row, and the test that has them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "the token does not allow this": "conformance/http_auth_test.ts",
  "read the events of /sse first": "faults/http_abuse_test.ts",
  "Server shutting down": "faults/http_stop_test.ts",
  "Internal error": "conformance/http_auth_test.ts",
  "took too long": "faults/http_limits_test.ts",
  "All connections of the server": "faults/http_limits_test.ts",
  "Too many large requests": "faults/http_limits_test.ts",
};

Deno.test("the page's first command serves on loopback, and its request is answered", async () => {
  await using server = await Server.start(commandOf(0));
  assertEquals(server.host.split(":")[0], "127.0.0.1");
  const block = /^```http\n(.*?)^```$/ms.exec(PAGE)?.[1] ?? "";
  const [head = "", body = ""] = block.trimEnd().split("\n\n");
  const lines = [...head.split("\n"), `Content-Length: ${body.length}`, "Connection: close"];
  const answer = await server.send(`${lines.join("\r\n")}\r\n\r\n${body}`);
  assertEquals(answer.status, 200);
  assertMatch(answer.body, /"text":"hello"/);
  assertEquals(await server.end(), 0);
});

Deno.test("the page's second command serves everyone who has a token", async () => {
  const file = await Deno.makeTempFile({ dir: "/tmp" });
  try {
    await Deno.writeTextFile(file, `${TOKEN}\n`);
    const command = commandOf(1).replaceAll("tokens.txt", file);
    await using server = await Server.start(`${command} --max-rate 1`);
    const authorization = `Bearer ${TOKEN}`;
    await assertRefused(server, 401, "a valid bearer token", "POST /mcp", JSON_TYPE, "{}");
    const wrong = { ...JSON_TYPE, authorization: "Bearer 0123456789abcdef" };
    await assertRefused(server, 401, "a valid bearer token", "POST /mcp", wrong, "{}");
    const known = { ...JSON_TYPE, authorization };
    // Two at once, then one a second: on a slow machine a few more.
    let admitted = 0;
    while ((await server.request("POST /mcp", known, "{}")).status === 400 && admitted < 1_000) {
      admitted += 1;
    }
    assert(admitted >= 2 && admitted < 1_000, `${admitted} were admitted`);
    await assertRefused(server, 429, "too many requests", "POST /mcp", known, "{}");
    assertEquals((await server.request("GET /healthz", {})).body, '{"status":"ok"}');
    // Wrong tokens have a rate of their own: the third is one too many, unless the machine is slow.
    const { status } = await server.request("GET /metrics", {});
    assert(status === 429 || status === 401, `${status}`);
    assertMatch((await server.request("GET /metrics", known)).body, /reason="token"} [23]/);
    assertEquals(await server.end(), 0);
  } finally {
    await Deno.remove(file);
  }
});

/** Status, the beginning of its sentence, and a request that is refused so. */
type Refusal = readonly [number, string, string, Readonly<Record<string, string>>, string?];

const BATCH = '[{"jsonrpc":"2.0","id":1,"method":"ping"}]';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const STATELESS_PING = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{' +
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
  '"io.modelcontextprotocol/clientCapabilities":{}}}}';
const OF_2026 = { ...JSON_TYPE, "mcp-protocol-version": "2026-07-28" };

const REFUSALS: readonly Refusal[] = [
  [400, "Parse error: the body is not JSON", "POST /mcp", JSON_TYPE, "{"],
  [400, "Parse error: the body is not UTF-8", "POST /mcp", JSON_TYPE, '"\xff"'],
  [400, "No session", "POST /mcp", JSON_TYPE, PING],
  [400, "Invalid Request: a batch needs", "POST /mcp", JSON_TYPE, BATCH],
  [400, "Header mismatch", "POST /mcp", { ...OF_2026, "mcp-method": "ping" }, STATELESS_PING],
  [403, "the Host header names", "POST /mcp", { ...JSON_TYPE, host: "evil.example" }, PING],
  [403, "this page may not", "POST /mcp", { ...JSON_TYPE, origin: "http://localhost:1" }, PING],
  [404, "there is nothing here", "GET /", {}],
  [404, "Session not found", "POST /mcp", { ...JSON_TYPE, "mcp-session-id": "gone" }, PING],
  [405, "this method is not served here", "PUT /mcp", JSON_TYPE, PING],
  [406, "the answer would be application/json", "POST /mcp", {
    ...JSON_TYPE,
    accept: "text/html",
  }, PING],
  [400, "Invalid Request: ", "POST /mcp", JSON_TYPE, "{}"],
  [404, "Session not found: open /sse", "POST /messages?session=gone", JSON_TYPE, PING],
  [405, "use GET here", "POST /sse", JSON_TYPE, PING],
  [415, "the body must be sent as", "POST /mcp", { "content-type": "text/plain" }, PING],
  [415, "the body must not be", "POST /mcp", { ...JSON_TYPE, "content-encoding": "gzip" }, PING],
];

/** Status, line, and bytes that are no request or over a bound. */
const FAULTS: readonly (readonly [number, string, string])[] = [
  [
    413,
    "The body of a request may have at most 10485760 bytes",
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10485761\r\n\r\n`,
  ],
  [
    417,
    "Only the expectation 100-continue can be met",
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n",
  ],
  [
    431,
    "The head of a request may have at most 16384 bytes",
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(17_000)}\r\n\r\n`,
  ],
  [
    431,
    "A request may have at most 100 header fields",
    `GET / HTTP/1.1\r\nHost: localhost\r\n${"X: x\r\n".repeat(100)}\r\n`,
  ],
  [
    501,
    "The only Transfer-Encoding known here is chunked",
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
  ],
  [505, "Only HTTP/1.1 and HTTP/1.0 are spoken here", "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"],
];

Deno.test("each refusal of the page has its status and its sentence", async (t) => {
  await using server = await Server.start(
    `${commandOf(0)} --max-sessions 1 --legacy-sse`,
  );
  for (const [status, sentence, target, headers, body] of REFUSALS) {
    await t.step(`${status} ${sentence}`, async () => {
      await assertRefused(server, status, sentence, target, headers, body);
    });
  }
  const opened = await server.request("POST /mcp", JSON_TYPE, JSON.stringify(INITIALIZE));
  const id = /^mcp-session-id: (.+)\r$/m.exec(opened.head)?.[1] ?? "";
  const session = { ...JSON_TYPE, "mcp-session-id": id };
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  assertEquals((await server.request("POST /mcp", session, initialized)).status, 202);
  await t.step("with a session", async () => {
    const refuse = (...[status, sentence, target, headers, body]: Refusal) =>
      assertRefused(server, status, sentence, target, headers, body);
    await refuse(400, "Unsupported MCP-Protocol-Version", "POST /mcp", {
      ...session,
      "mcp-protocol-version": "1999-01-01",
    }, PING);
    const html = { ...session, accept: "text/html" };
    await refuse(406, "the answer would be text/event-stream", "GET /mcp", html);
    const lost = { ...session, "last-event-id": "zz-9" };
    await refuse(404, "Event not found", "GET /mcp", lost);
    await refuse(503, "Server busy", "POST /mcp", JSON_TYPE, JSON.stringify(INITIALIZE));
    using stream = await server.connect("GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await stream.read(new Uint8Array(1));
    await refuse(503, "Server busy: too many clients", "GET /sse", {});
  });
  for (const [status, sentence, request] of FAULTS) {
    await t.step(`${status} ${sentence}`, async () => {
      const answer = await server.send(request);
      assertEquals([answer.status, answer.body], [status, `${sentence}\n`]);
      noteRow(status, sentence);
    });
  }
  assertEquals(await server.end(), 0);
});

Deno.test("each row of the page is true, here or in the test that is named", async () => {
  const rows = PAGE.split("\n").filter((line) => /^\| \d{3} /.test(line));
  // What is malformed has many sentences; `tests/faults/http_wire_test.ts` has them.
  const open = rows.filter((row) => !provoked.has(row) && !row.includes("what is wrong with them"));
  for (const row of open) {
    const [part, file] = Object.entries(ELSEWHERE).find(([part]) => row.includes(part)) ?? [];
    assert(part !== undefined && file !== undefined, `Nothing shows: ${row}`);
    const test = await Deno.readTextFile(new URL(`../${file}`, import.meta.url));
    assert(test.includes(part), `${file} does not show "${part}"`);
  }
});

/** Takes note of the row that a refusal has on the page. */
function noteRow(status: number, sentence: string): void {
  const row = PAGE.split("\n").find((line) =>
    line.startsWith(`| ${status} `) &&
    (line.includes(`\`${sentence}\``) || fitsOpenRow(line, sentence))
  );
  assert(row !== undefined, `No row of the page says ${status} "${sentence}"`);
  provoked.add(row);
}

/** Whether a row leaves open how its sentence ends, and this is one. */
function fitsOpenRow(row: string, sentence: string): boolean {
  const [, beginning] = /`([^`]+)…`/.exec(row) ?? [];
  return beginning !== undefined && sentence.startsWith(beginning);
}

async function assertRefused(
  server: Server,
  status: number,
  sentence: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<void> {
  const answer = await server.request(target, headers, body);
  const { error }: { error: { message: string } } = JSON.parse(answer.body);
  assertEquals([answer.status, error.message.slice(0, sentence.length)], [status, sentence]);
  noteRow(status, error.message);
}

/** The command of the page's shell block with this index, on a port that the system chooses. */
function commandOf(index: number): string {
  const blocks = [...PAGE.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, command = ""]) => command);
  return (blocks[index] ?? "").replace(/--http$/, "--http 127.0.0.1:8808").replaceAll("8808", "0");
}

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A server as a person starts it. */
class Server implements AsyncDisposable {
  readonly host: string;
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;

  private constructor(
    host: string,
    child: Deno.ChildProcess,
    lines: ReadableStreamDefaultReader<string>,
  ) {
    this.host = host;
    this.#child = child;
    this.#lines = lines;
  }

  static async start(command: string): Promise<Server> {
    const [program = "", ...args] = command.split(" ");
    const options = { args, stdin: "null", stdout: "null", stderr: "piped" } as const;
    const child = new Deno.Command(program, options).spawn();
    const lines = child.stderr.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
    const said: string[] = [];
    for (;;) {
      const { value } = await withDeadline(lines.read(), () => `It said: ${said.join("\n")}`);
      if (value === undefined) throw new Error(`"${command}" ended: ${said.join("\n")}`);
      said.push(value);
      const url = /"url":"([^"]+)"/.exec(value)?.[1];
      if (url !== undefined) return new Server(new URL(url).host, child, lines);
    }
  }

  request(
    target: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Answer> {
    const port = this.host.split(":")[1];
    const all = {
      host: `127.0.0.1:${port}`,
      "content-length": `${body.length}`,
      connection: "close",
      ...headers,
    };
    const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.send(`${target} HTTP/1.1\r\n${fields.join("")}\r\n${body}`);
  }

  /** Sends characters as bytes on a connection of their own. */
  async connect(text: string): Promise<Deno.TcpConn> {
    const port = Number(this.host.split(":")[1]);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
    return connection;
  }

  /** Sends characters as bytes, and reads until the server closes. */
  async send(text: string): Promise<Answer> {
    using connection = await this.connect(text);
    const answer = await withDeadline(
      new Response(connection.readable).text(),
      () => `No answer to "${text}"`,
    );
    const [head = "", ...rest] = answer.split("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    return { status, head: `${head}\r\n`, body: rest.join("\r\n\r\n") };
  }

  /** Asks it to end; the exit code. */
  async end(): Promise<number> {
    this.#child.kill("SIGTERM");
    await this.#drain();
    return (await this.#child.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#drain();
    await this.#child.status;
  }

  async #drain(): Promise<void> {
    while (!(await this.#lines.read()).done);
  }
}

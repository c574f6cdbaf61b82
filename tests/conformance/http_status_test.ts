// Every status that HTTP clients are answered with, one row a test, raw bytes over a socket. Both wires where both have
// the row.

import { assertEquals, assertMatch } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import type { CallEvent } from "../../mod.ts";
import { isObject, type JsonObject, type JsonValue, RpcError } from "../../src/jsonrpc/message.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { HttpClient, type HttpExchange } from "../harness/http_client.ts";
import { HttpHost, type HttpHostOptions } from "../harness/http_host.ts";
import { scripted } from "../harness/scripted.ts";

/** A request and how it is answered. */
interface Row {
  readonly name: string;
  readonly method?: string;
  readonly target?: string;
  /** Headers besides those of a good request; `undefined` leaves one of those out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as it is instead of a good request. */
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly code?: number;
  readonly expected?: Readonly<Record<string, RegExp>>;
}

const ORIGIN = "https://app.example";
const LIST = "tools/list";

/** Sends one row as a client behind its handshake. */
async function sendRow(client: HttpClient, row: Row): Promise<HttpExchange> {
  const request = client.request(LIST);
  const isPost = (row.method ?? "POST") === "POST";
  const body = row.body ?? (isPost ? JSON.stringify(request) : "");
  const headers = client.headersOf(request, row.headers === undefined ? {} : row);
  return await client.raw({
    ...(row.method === undefined ? {} : { method: row.method }),
    ...(row.target === undefined ? {} : { target: row.target }),
    headers,
    body,
  });
}

async function checkRow(client: HttpClient, row: Row): Promise<void> {
  using exchange = await sendRow(client, row);
  assertEquals(exchange.status, row.status, row.name);
  for (const [name, pattern] of Object.entries(row.expected ?? {})) {
    assertMatch(exchange.headers.get(name) ?? "", pattern, name);
  }
  if (row.method !== "HEAD") await exchange.finish();
  if (row.code !== undefined) assertEquals(codeOf(exchange.messages[0]), row.code, row.name);
}

function codeOf(message: JsonObject | undefined): JsonValue | undefined {
  return isObject(message?.error) ? message.error.code : undefined;
}

function startHost(options: Partial<HttpHostOptions> = {}): HttpHost {
  return new HttpHost({ activations: [new EverythingActivation()], ...options });
}

const HOSTS: readonly (readonly [string, number])[] = [
  ["evil.example.com", 403],
  ["evil.example.com:8808", 403],
  ["localhost.evil.example.com", 403],
  ["127.0.0.1.evil.example.com", 403],
  ["127.0.0.2", 403],
  // No name of a host at all.
  ["localhost@evil.example.com", 400],
  ["[::2]", 403],
  ["0.0.0.0", 403],
  ["", 400],
  ["localhost", 200],
  ["LOCALHOST:1", 200],
  ["127.0.0.1:8808", 200],
  ["[::1]:8808", 200],
  ["named.example", 200],
];

forEachRevision("mcp.http.door", "lets in by Host alone whom it may", async (revision, t) => {
  await using host = startHost({ allowHosts: ["named.example"] });
  const client = await HttpClient.open(host, { revision });
  for (const [Host, status] of HOSTS) {
    const code = status === 403 ? { code: -32600 } : {};
    const row = { name: `Host: ${Host}`, headers: { Host }, status, ...code };
    await t.step(row.name, () => checkRow(client, row));
  }
});

const ORIGINS: readonly (readonly [string, number])[] = [
  // The case that servers miss which look at the host alone.
  ["https://evil.example.com", 403],
  ["http://evil.example.com", 403],
  ["null", 403],
  ["", 403],
  ["https://app.example.evil.example.com", 403],
  ["https://app.example:444", 403],
  ["http://app.example", 403],
  ["http://localhost:1", 403],
  ["file://", 403],
  [ORIGIN, 200],
  ["HTTPS://APP.EXAMPLE", 200],
];

forEachRevision(
  "mcp.http.door",
  "refuses a foreign Origin whatever the Host (substrate#21)",
  async (revision, t) => {
    await using host = startHost({ allowOrigins: [ORIGIN] });
    const client = await HttpClient.open(host, { revision });
    for (const [Origin, status] of ORIGINS) {
      const code = status === 200 ? {} : { code: -32600 };
      const row = { name: `Origin: ${Origin}`, headers: { Origin }, status, ...code };
      await t.step(row.name, () => checkRow(client, row));
    }
    const own = { Host: "localhost:9", Origin: "http://localhost:9" };
    await checkRow(client, { name: "its own page", headers: own, status: 200 });
    assertEquals(host.metrics.toText().includes('denials_total{reason="origin"} 9'), true);
  },
);

forEachRevision("mcp.http.door", "tells an allowed page that it may read", async (revision) => {
  await using host = startHost({ allowOrigins: [ORIGIN] });
  const client = await HttpClient.open(host, { revision });
  const readable = {
    "access-control-allow-origin": /^https:\/\/app\.example$/,
    "access-control-expose-headers": /mcp-session-id/,
    vary: /origin/,
  };
  const headers = { Origin: ORIGIN };
  const rows: readonly Row[] = [
    { name: "a good request", headers, status: 200, expected: readable },
    { name: "another path", headers, target: "/", status: 404, expected: readable },
    {
      name: "another type",
      headers: { ...headers, "Content-Type": "text/plain" },
      status: 415,
      expected: readable,
    },
    { name: "no JSON", headers, body: "{", status: 400, code: -32700, expected: readable },
    {
      name: "a preflight",
      method: "OPTIONS",
      headers: {
        ...headers,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,mcp-session-id, mcp-param-region",
      },
      status: 204,
      expected: {
        "access-control-allow-origin": /^https:\/\/app\.example$/,
        "access-control-allow-methods": /^GET, POST, DELETE, OPTIONS$/,
        "access-control-allow-headers": /^content-type,mcp-session-id, mcp-param-region$/,
        "access-control-max-age": /^\d+$/,
      },
    },
    {
      name: "a preflight of a foreign page",
      method: "OPTIONS",
      headers: { Origin: "https://evil.example.com", "Access-Control-Request-Method": "POST" },
      status: 403,
    },
  ];
  for (const row of rows) await checkRow(client, row);
  using stranger = await sendRow(client, {
    name: "a foreign page",
    headers: { Origin: "https://evil.example.com" },
    status: 403,
  });
  assertEquals(stranger.headers.has("access-control-allow-origin"), false);
});

const TOKEN = "right-token-right-token";
const TOKENS: readonly (readonly [string | undefined, number, RegExp?])[] = [
  [undefined, 401, /^Bearer realm="bulkhead"$/],
  ["", 401, /^Bearer realm="bulkhead"$/],
  ["Basic cmlnaHQ6dG9rZW4=", 401, /^Bearer realm="bulkhead"$/],
  [TOKEN, 401, /^Bearer realm="bulkhead"$/],
  ["Bearer", 401, /^Bearer realm="bulkhead"$/],
  [`Bearer ${TOKEN} more`, 401, /^Bearer realm="bulkhead"$/],
  ["Bearer wrong-token-wrong-token", 401, /error="invalid_token"$/],
  [`Bearer ${TOKEN}x`, 401, /error="invalid_token"$/],
  [`Bearer ${TOKEN.slice(0, -1)}`, 401, /error="invalid_token"$/],
  [`Bearer ${TOKEN}${TOKEN}`, 401, /error="invalid_token"$/],
  [`Bearer ${TOKEN.toUpperCase()}`, 401, /error="invalid_token"$/],
  [`Bearer ${TOKEN}`, 200],
  [`bearer  ${TOKEN}`, 200],
];

forEachRevision("mcp.http.door", "asks for a token where it has any", async (revision, t) => {
  await using host = startHost({ tokens: ["another-token-another", TOKEN] });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const client = await HttpClient.open(host, { revision, headers });
  for (const [Authorization, status, challenge] of TOKENS) {
    const expected = challenge === undefined ? {} : { "www-authenticate": challenge };
    const name = `Authorization: ${Authorization}`;
    await t.step(
      name,
      () => checkRow(client, { name, headers: { Authorization }, status, expected }),
    );
  }
  // Nothing is told to who has no token, not even which requests would be good; health alone.
  const without = { Authorization: undefined };
  const rows: readonly Row[] = [
    { name: "a bad type", headers: { ...without, "Content-Type": "text/plain" }, status: 401 },
    { name: "no JSON", headers: without, body: "{", status: 401 },
    { name: "numbers", headers: without, method: "GET", target: "/metrics", status: 401 },
    { name: "another method", headers: without, method: "PUT", status: 401 },
  ];
  for (const row of rows) await checkRow(client, row);
  const health = await host.ask({ method: "GET", target: "/healthz" });
  assertEquals([health.status, health.body], [200, '{"status":"ok"}']);
  const numbers = await host.ask({ method: "GET", target: "/metrics", headers });
  assertEquals(numbers.status, 200);
  assertMatch(numbers.body, /^bulkhead_denials_total\{reason="token"\} 15$/m);
});

const JSON_RPC: readonly (readonly [string, string | Uint8Array, number])[] = [
  ["no JSON", "{", -32700],
  ["nothing", "", -32700],
  ["white space", " \r\n ", -32700],
  ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), -32700],
  ["no object", '"tools/list"', -32600],
  ["an empty object", "{}", -32600],
  ["an empty batch", "[]", -32600],
  ["id null", '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600],
  ["id 1.5", '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600],
  ["version 1.0", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600],
  ["a method that is no string", '{"jsonrpc":"2.0","id":1,"method":1}', -32600],
];

forEachRevision("mcp.http.status", "is 400 for what is no message", async (revision, t) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  for (const [name, body, code] of JSON_RPC) {
    await t.step(name, () => checkRow(client, { name, body, status: 400, code }));
  }
});

const NO_LENGTH = { "Content-Type": undefined, Accept: undefined };

const PLACES: readonly Row[] = [
  { name: "another path", target: "/", status: 404 },
  { name: "a path below", target: "/mcp/", status: 404 },
  { name: "a path of HTTP+SSE, which is not on", target: "/sse", method: "GET", status: 404 },
  { name: "PUT", method: "PUT", status: 405, expected: { allow: /^GET, POST, DELETE, OPTIONS$/ } },
  { name: "PATCH", method: "PATCH", status: 405, expected: { allow: /POST/ } },
  { name: "HEAD", method: "HEAD", status: 405, expected: { allow: /POST/ } },
  { name: "POST health", target: "/healthz", status: 405, expected: { allow: /^GET$/ } },
  { name: "POST metrics", target: "/metrics", status: 405, expected: { allow: /^GET$/ } },
  { name: "Accept a page", headers: { Accept: "text/html" }, status: 406, code: -32600 },
  { name: "Accept nothing there is", headers: { Accept: "application/xml" }, status: 406 },
  { name: "Accept an empty list", headers: { Accept: "" }, status: 406 },
  {
    name: "Accept neither, expressly",
    headers: { Accept: "application/json;q=0, text/event-stream; q=0.00" },
    status: 406,
  },
  {
    name: "Accept one and not the other",
    headers: { Accept: "application/json; q=0.1, text/event-stream;q=0" },
    status: 200,
    expected: { "content-type": /^application\/json$/ },
  },
  { name: "a text", headers: { "Content-Type": "text/plain" }, status: 415, code: -32600 },
  { name: "no type", headers: { "Content-Type": undefined }, status: 415 },
  { name: "almost the type", headers: { "Content-Type": "application/jsonl" }, status: 415 },
  { name: "a form", headers: { "Content-Type": "multipart/form-data" }, status: 415 },
  { name: "compressed", headers: { "Content-Encoding": "gzip" }, status: 415 },
  {
    name: "typed in full",
    headers: { "Content-Type": "APPLICATION/json;charset=utf-8" },
    status: 200,
  },
  { name: "too long", body: `"${"x".repeat(4000)}"`, status: 413 },
  { name: "health", method: "GET", target: "/healthz", headers: NO_LENGTH, status: 200 },
];

forEachRevision("mcp.http.status", "tells apart path, method and types", async (revision, t) => {
  await using host = startHost({ core: { maxLineBytes: 3000 } });
  const client = await HttpClient.open(host, { revision });
  for (const row of PLACES) {
    await t.step(row.name, async () => {
      if (row.name !== "health") return await checkRow(client, row);
      const { status, body } = await host.ask({ method: "GET", target: "/healthz" });
      assertEquals([status, body], [200, '{"status":"ok"}']);
    });
  }
  assertEquals(host.metrics.toText().includes('denials_total{reason="size"} 1'), true);
});

/** What is asked, and its error: status of the stateless wire, status of the others. */
const ANSWERS: readonly {
  readonly method: string;
  readonly params?: JsonObject;
  readonly code: (stateless: boolean) => number;
  readonly status: (stateless: boolean) => number;
}[] = [
  { method: "no/such", code: () => -32601, status: (stateless) => stateless ? 404 : 200 },
  { method: "tools/call", params: { name: "no_such" }, code: () => -32602, status: () => 200 },
  { method: "tools/call", params: {}, code: () => -32602, status: () => 200 },
  { method: "prompts/get", params: { name: "no_such" }, code: () => -32602, status: () => 200 },
  {
    method: "prompts/get",
    params: { name: "test_prompt_with_arguments", arguments: {} },
    code: () => -32602,
    status: () => 200,
  },
  { method: "tools/list", params: { cursor: "no_such" }, code: () => -32602, status: () => 200 },
  {
    method: "resources/read",
    params: { uri: "test://no-such" },
    code: (stateless) => stateless ? -32602 : -32002,
    status: () => 200,
  },
  {
    method: "logging/setLevel",
    params: { level: "loud" },
    code: (stateless) => stateless ? -32601 : -32602,
    status: (stateless) => stateless ? 404 : 200,
  },
];

forEachRevision(
  "mcp.http.status",
  "of errors within a message",
  async (revision, t) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    for (const { method, params, code, status } of ANSWERS) {
      await t.step(`${method} ${JSON.stringify(params ?? {})}`, async () => {
        using exchange = await client.post(method, params);
        await exchange.finish();
        const { isStateless } = client;
        assertEquals([exchange.status, codeOf(exchange.messages[0])], [
          status(isStateless),
          code(isStateless),
        ]);
      });
    }
  },
);

forEachRevision("mcp.http.status", "is 200 for a fault of the server", async (revision) => {
  const broken = scripted({}, {
    prompts: {
      list: () => Promise.reject(new Error("secret detail")),
      get: () => Promise.reject(new Error("secret detail")),
    },
  });
  await using host = startHost({ activations: [broken] });
  const client = await HttpClient.open(host, { revision });
  using exchange = await client.post("prompts/list");
  const answer = await exchange.answer();
  assertEquals([exchange.status, codeOf(answer)], [200, -32603]);
  assertEquals(JSON.stringify(answer).includes("secret"), false);
});

forEachRevision("mcp.http.status", "is 202 for notifications", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  for (const method of ["notifications/cancelled", "notifications/made_up"]) {
    using exchange = await client.send({ jsonrpc: "2.0", method, params: {} });
    assertEquals([exchange.status, exchange.headers.get("content-length")], [202, "0"]);
  }
});

forEachRevision("mcp.http.status", "of responses: only sessions take them", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const responses = [
    { jsonrpc: "2.0", id: "s-1", result: {} },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
  ];
  for (const response of responses) {
    using exchange = await client.send(response);
    assertEquals(exchange.status, client.isStateless ? 400 : 202);
  }
});

forEachRevision(
  "mcp.http.status",
  "is 429 for a client that asks too often, with the time to wait",
  async (revision) => {
    await using host = startHost({ limits: { maxRate: 1 } });
    const client = await HttpClient.create(host, { revision });
    const request = client.isStateless
      ? client.request(LIST)
      : client.request("initialize", client.initializeParams());
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      using exchange = await client.send(request);
      statuses.push(exchange.status);
      if (exchange.status !== 429) continue;
      assertMatch(exchange.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      await exchange.finish();
    }
    assertEquals(statuses, [200, 200, 429]);
  },
);

forEachRevision(
  "mcp.http.status",
  "is 200 for an error that comes behind an event",
  async (revision) => {
    const late = async function* (): AsyncGenerator<CallEvent> {
      yield { kind: "progress", progress: 1 };
      throw await Promise.resolve(new RpcError(-32600, "too late for a status"));
    };
    await using host = startHost({ activations: [scripted({ late })] });
    const client = await HttpClient.open(host, { revision });
    const params = { name: "late", _meta: { progressToken: 1 } };
    using exchange = await client.post("tools/call", params);
    const answer = await exchange.answer();
    assertEquals([exchange.status, exchange.isStream, codeOf(answer)], [200, true, -32600]);
  },
);

const PARAMS = "io.modelcontextprotocol/";

/** A change to a good call of the tool whose argument travels as a header too, and what becomes of it. */
interface HeaderRow {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly request?: (request: JsonObject) => JsonValue;
  readonly status: number;
  readonly code?: number;
}

function withMeta(meta: JsonObject): (request: JsonObject) => JsonObject {
  return (request) => {
    const params = isObject(request.params) ? request.params : {};
    const old = isObject(params._meta) ? params._meta : {};
    const kept = Object.entries({ ...old, ...meta }).filter(([, value]) => value !== undefined);
    return { ...request, params: { ...params, _meta: Object.fromEntries(kept) } };
  };
}

const base64 = (text: string) => `=?base64?${new TextEncoder().encode(text).toBase64()}?=`;

const HEADERS: readonly HeaderRow[] = [
  { name: "all good", status: 200 },
  { name: "no version", headers: { "MCP-Protocol-Version": undefined }, status: 400, code: -32020 },
  {
    name: "an older version",
    headers: { "MCP-Protocol-Version": "2025-11-25" },
    status: 400,
    code: -32020,
  },
  {
    name: "a version that differs from the body's, which is unknown",
    request: withMeta({ [`${PARAMS}protocolVersion`]: "v999.0.0" }),
    status: 400,
    code: -32020,
  },
  {
    name: "a version unknown in both",
    headers: { "MCP-Protocol-Version": "v999.0.0" },
    request: withMeta({ [`${PARAMS}protocolVersion`]: "v999.0.0" }),
    status: 400,
    code: -32022,
  },
  {
    name: "a version of another wire in both",
    headers: { "MCP-Protocol-Version": "2025-11-25" },
    request: withMeta({ [`${PARAMS}protocolVersion`]: "2025-11-25" }),
    status: 400,
    code: -32022,
  },
  {
    name: "no version in the body",
    request: withMeta({ [`${PARAMS}protocolVersion`]: undefined }),
    status: 400,
    code: -32602,
  },
  {
    name: "no capabilities in the body",
    request: withMeta({ [`${PARAMS}clientCapabilities`]: undefined }),
    status: 400,
    code: -32602,
  },
  {
    name: "no metadata",
    request: (request) => ({ ...request, params: {} }),
    status: 400,
    code: -32602,
  },
  { name: "no method", headers: { "Mcp-Method": undefined }, status: 400, code: -32020 },
  { name: "another method", headers: { "Mcp-Method": "tools/list" }, status: 400, code: -32020 },
  {
    name: "the method in other letters",
    headers: { "Mcp-Method": "Tools/Call" },
    status: 400,
    code: -32020,
  },
  { name: "no name", headers: { "Mcp-Name": undefined }, status: 400, code: -32020 },
  { name: "another name", headers: { "Mcp-Name": "test_simple_text" }, status: 400, code: -32020 },
  { name: "the name in Base64", headers: { "Mcp-Name": base64("test_x_mcp_header") }, status: 200 },
  {
    name: "another name in Base64",
    headers: { "Mcp-Name": base64("test_simple_text") },
    status: 400,
    code: -32020,
  },
  { name: "no parameter", headers: { "Mcp-Param-Region": undefined }, status: 400, code: -32020 },
  { name: "another value", headers: { "Mcp-Param-Region": "us" }, status: 400, code: -32020 },
  { name: "the value in Base64", headers: { "Mcp-Param-Region": base64("eu") }, status: 200 },
  {
    name: "Base64 without its padding",
    headers: { "Mcp-Param-Region": "=?base64?ZXU?=" },
    status: 400,
    code: -32020,
  },
  {
    name: "Base64 with foreign letters",
    headers: { "Mcp-Param-Region": "=?base64?ZX-U=?=" },
    status: 400,
    code: -32020,
  },
  {
    name: "Base64 with white space",
    headers: { "Mcp-Param-Region": "=?base64?ZX U=?=" },
    status: 400,
    code: -32020,
  },
  {
    name: "Base64 with stray bits",
    headers: { "Mcp-Param-Region": "=?base64?ZXV=?=" },
    status: 400,
    code: -32020,
  },
  {
    name: "half a mark is a plain value",
    headers: { "Mcp-Param-Region": "=?base64?ZXU=" },
    status: 400,
    code: -32020,
  },
  {
    name: "white space around the value",
    headers: { "Mcp-Param-Region": " \t eu \t" },
    status: 200,
  },
  {
    name: "a parameter without its argument",
    request: (request) => ({ ...request, params: { ...paramsOf(request), arguments: {} } }),
    status: 400,
    code: -32020,
  },
  { name: "a parameter of no tool", headers: { "Mcp-Param-Other": "x" }, status: 200 },
  { name: "names in other letters", headers: { "mcp-param-REGION": "eu" }, status: 200 },
  { name: "a session of nobody", headers: { "Mcp-Session-Id": "stray" }, status: 200 },
  { name: "an event of nobody", headers: { "Last-Event-ID": "1-1" }, status: 200 },
  {
    name: "a level that is none",
    request: withMeta({ [`${PARAMS}logLevel`]: "loud" }),
    status: 400,
    code: -32602,
  },
  {
    name: "initialize",
    headers: { "Mcp-Method": "initialize", "Mcp-Name": undefined },
    request: (request) => ({ ...request, method: "initialize" }),
    status: 404,
    code: -32601,
  },
  {
    name: "ping",
    headers: { "Mcp-Method": "ping", "Mcp-Name": undefined },
    request: (request) => ({ ...request, method: "ping" }),
    status: 404,
    code: -32601,
  },
  {
    name: "a batch",
    request: (request) => [request],
    status: 400,
    code: -32600,
  },
];

function paramsOf(request: JsonObject): JsonObject {
  return isObject(request.params) ? request.params : {};
}

forEachRevision("mcp.http.headers", "must say what the body says", async (revision, t) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  for (const { name, headers = {}, request: change, status, code } of HEADERS) {
    await t.step(name, async () => {
      const params = { name: "test_x_mcp_header", arguments: { region: "eu" } };
      const request = client.request("tools/call", params);
      const region = Object.keys(headers).some((key) => key.toLowerCase() === "mcp-param-region")
        ? {}
        : { "Mcp-Param-Region": "eu" };
      const all = client.headersOf(request, { headers: { ...region, ...headers } });
      const body = JSON.stringify(change === undefined ? request : change(request));
      using exchange = await client.raw({ headers: all, body });
      await exchange.finish();
      assertEquals([exchange.status, codeOf(exchange.messages[0])], [status, code]);
      assertEquals(exchange.headers.has("mcp-session-id"), false);
    });
  }
});

forEachRevision("mcp.http.headers", "of notifications do not name a session", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  using exchange = await client.send(message, { headers: { "Mcp-Session-Id": "stray" } });
  assertEquals(exchange.status, 202);
});

forEachRevision("mcp.http.headers", "come with POST only", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  for (const method of ["GET", "DELETE"]) {
    await checkRow(client, { name: method, method, status: 405, expected: { allow: /^POST$/ } });
  }
});

forEachRevision(
  "mcp.http.headers",
  "are followed by 400 where a capability is missing, however late",
  async (revision) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    const rows = [
      {
        method: "tools/call",
        params: { name: "test_missing_capability" },
        needs: { sampling: {} },
      },
      {
        method: "tasks/get",
        params: { taskId: "any" },
        needs: { extensions: { "io.modelcontextprotocol/tasks": {} } },
      },
    ];
    for (const { method, params, needs } of rows) {
      using exchange = await client.post(method, params);
      const { error } = await exchange.answer();
      assertEquals(exchange.status, 400);
      assertEquals(isObject(error) && [error.code, error.data], [
        -32021,
        { requiredCapabilities: needs },
      ]);
    }
  },
);

Deno.test("mcp.http.batch is answered behind what it has to tell, in one event", async () => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision: "2025-03-26" });
  const params = { name: "test_tool_with_progress", arguments: {}, _meta: { progressToken: "p" } };
  const batch = [
    { jsonrpc: "2.0", id: "call", method: "tools/call", params },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
    { jsonrpc: "2.0", id: "again", method: "initialize", params: client.initializeParams() },
  ];
  const headers = client.headersOf({ jsonrpc: "2.0" });
  using exchange = await client.raw({ headers, body: JSON.stringify(batch) });
  assertEquals([exchange.status, exchange.isStream], [200, true]);
  await exchange.finish();
  const last = exchange.events.findLast(({ event }) => event === "message")?.data ?? "";
  const answers: readonly JsonObject[] = JSON.parse(last);
  assertEquals(answers.map(({ id }) => id).toSorted(), ["again", "call", "ping"]);
  assertEquals(codeOf(answers.find(({ id }) => id === "again")), -32600);
  assertEquals(exchange.messages[0]?.method, "notifications/progress");
});

forEachRevision("mcp.http.batch", "is taken by 2025-03-26 alone", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const note = { jsonrpc: "2.0", method: "notifications/made_up" };
  const batches: readonly (readonly [JsonValue, number, number])[] = [
    [[ping, list, note], 200, 2],
    [[note, note], 202, 0],
    [[note, { jsonrpc: "2.0", id: "s-1", result: {} }], 202, 0],
  ];
  for (const [batch, status, answers] of batches) {
    const headers = client.headersOf(ping);
    using exchange = await client.raw({ headers, body: JSON.stringify(batch) });
    await exchange.finish();
    if (revision !== "2025-03-26") {
      assertEquals([exchange.status, codeOf(exchange.messages[0])], [400, -32600]);
      continue;
    }
    assertEquals([exchange.status, exchange.messages.length], [status, answers]);
  }
});

forEachRevision("mcp.http.session", "is opened by initialize alone", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.create(host, { revision });
  for (const method of ["tools/list", "ping", "resources/list"]) {
    using exchange = await client.post(method);
    assertEquals(codeOf(await exchange.answer()), -32600);
    assertEquals([exchange.status, exchange.headers.has("mcp-session-id")], [400, false]);
  }
  assertEquals(await client.notify("notifications/initialized"), 400);
  assertEquals(await client.respond("s-1", {}), 400);
  await checkRow(client, { name: "GET", method: "GET", status: 400, code: -32600 });
  await checkRow(client, { name: "DELETE", method: "DELETE", status: 400, code: -32600 });
  using failed = await client.post("initialize", { protocolVersion: 1 });
  assertEquals([failed.status, failed.headers.has("mcp-session-id")], [200, false]);
  assertEquals(codeOf(await failed.answer()), -32602);
  assertEquals(host.metric("bulkhead_sessions"), 0);
});

forEachRevision(
  "mcp.http.session",
  "ids are visible, never the same, and not to be guessed (substrate#23)",
  async (revision) => {
    await using host = startHost();
    const ids = new Set<string>();
    for (let count = 0; count < 100; count++) {
      const client = await HttpClient.create(host, { revision });
      using exchange = await client.post("initialize", client.initializeParams());
      const id = exchange.headers.get("mcp-session-id") ?? "";
      assertMatch(id, /^[\x21-\x7e]{32,}$/);
      ids.add(id);
    }
    assertEquals(ids.size, 100);
  },
);

forEachRevision("mcp.http.session", "ids that are forged are unknown", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const id = client.session ?? "";
  const last = id.endsWith("A") ? "B" : "A";
  const forged = [
    `${id.slice(0, -1)}${last}`,
    id.slice(1),
    `${id}A`,
    id.toUpperCase() === id ? id.toLowerCase() : id.toUpperCase(),
    "0",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    `${id}, ${id}`,
    "x".repeat(4000),
  ];
  for (const session of forged) {
    const headers = { "Mcp-Session-Id": session };
    for (const method of ["POST", "GET", "DELETE"]) {
      const name = `${method} ${session.slice(0, 50)}`;
      await checkRow(client, { name, method, headers, status: 404, code: -32600 });
    }
  }
  assertEquals((await client.ask(LIST)).error, undefined);
});

forEachRevision(
  "mcp.http.session",
  "of another token is unknown (substrate#23)",
  async (revision) => {
    const tokens = ["first-token-first-token", "second-token-second-token"];
    await using host = startHost({ tokens });
    const [first = "", second = ""] = tokens.map((token) => `Bearer ${token}`);
    const headers = { Authorization: first };
    const client = await HttpClient.open(host, { revision, headers });
    for (const method of ["POST", "GET", "DELETE"]) {
      const row = { name: method, method, headers: { Authorization: second }, status: 404 };
      await checkRow(client, row);
    }
    assertEquals((await client.ask(LIST)).error, undefined);
  },
);

forEachRevision("mcp.http.session", "is named in every answer of its own", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const other = await HttpClient.open(host, { revision });
  assertEquals(client.session === other.session, false);
  for (const each of [client, other]) {
    using exchange = await each.post(LIST);
    assertEquals(exchange.headers.get("mcp-session-id"), each.session);
  }
});

forEachRevision("mcp.http.session", "takes only revisions there are", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  for (const version of ["1999-01-01", "2025-06-17", "latest", "", "2025-06-18, 2025-06-18"]) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const headers = { "MCP-Protocol-Version": version };
      await checkRow(client, { name: `${method} ${version}`, method, headers, status: 400 });
    }
  }
  const headers = { "MCP-Protocol-Version": undefined };
  await checkRow(client, { name: "none", headers, status: 200 });
});

forEachRevision("mcp.http.session", "is not opened twice", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  using exchange = await client.post("initialize", client.initializeParams());
  assertEquals(codeOf(await exchange.answer()), -32600);
  assertEquals([exchange.status, host.metric("bulkhead_sessions")], [400, 1]);
});

forEachRevision(
  "mcp.http.session",
  "is unknown after DELETE (substrate#21)",
  async (revision) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    assertEquals(await client.end(), 204);
    assertEquals(host.metric("bulkhead_sessions"), 0);
    for (const method of ["POST", "GET", "DELETE"]) {
      await checkRow(client, { name: method, method, status: 404, code: -32600 });
    }
  },
);

forEachRevision("mcp.http.session", "listens to events only", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const headers = { Accept: "application/json" };
  await checkRow(client, { name: "GET", method: "GET", headers, status: 406, code: -32600 });
});

forEachRevision(
  "mcp.http.session",
  "is one of a bounded number; the rest are told when to come back",
  async (revision) => {
    await using host = startHost({ limits: { maxSessions: 2 } });
    const clients = [];
    for (let count = 0; count < 2; count++) clients.push(await HttpClient.open(host, { revision }));
    const third = await HttpClient.create(host, { revision });
    using exchange = await third.post("initialize", third.initializeParams());
    assertEquals([exchange.status, exchange.headers.get("retry-after")], [503, "5"]);
    assertEquals(codeOf(await exchange.answer()), -32603);
    await clients[0]?.end();
    await third.shakeHands();
    assertEquals((await clients[1]?.ask(LIST))?.error, undefined);
  },
);

forEachRevision("mcp.http.session", "that is idle gives way, and is unknown", async (revision) => {
  await using host = startHost({ limits: { maxSessions: 1, evictAfterMs: 0 } });
  const first = await HttpClient.open(host, { revision });
  const second = await HttpClient.open(host, { revision });
  await checkRow(first, { name: "the first", status: 404 });
  await checkRow(second, { name: "the second", status: 200 });
});

forEachRevision("mcp.http.session", "that is idle too long ends", async (revision) => {
  await using host = startHost({ limits: { sessionIdleMs: 1, keepAliveMs: 5 } });
  const client = await HttpClient.open(host, { revision });
  await host.settle("bulkhead_sessions", 0);
  await checkRow(client, { name: "afterwards", status: 404 });
});

forEachRevision("mcp.http.session", "ends soon when its handshake does not", async (revision) => {
  await using host = startHost({ limits: { handshakeMs: 20, keepAliveMs: 20 } });
  const client = await HttpClient.create(host, { revision });
  using exchange = await client.post("initialize", client.initializeParams());
  await exchange.answer();
  await host.settle("bulkhead_sessions", 0);
  const whole = await HttpClient.open(host, { revision });
  using stream = await whole.listen();
  await stream.event();
  client.session = exchange.headers.get("mcp-session-id");
  await checkRow(client, { name: "half-open", status: 404 });
  await checkRow(whole, { name: "open", status: 200 });
});

forEachRevision("mcp.http.session", "refuses out of its time", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.create(host, { revision });
  using exchange = await client.post("initialize", client.initializeParams());
  await exchange.answer();
  client.session = exchange.headers.get("mcp-session-id");
  using early = await client.post(LIST);
  assertEquals(codeOf(await early.answer()), -32002);
  assertEquals(early.status, 200);
  assertEquals((await client.ask("ping")).result, {});
});

forEachRevision("mcp.http.session", "is refused under the request's own id", async (revision) => {
  await using host = startHost();
  const client = await HttpClient.open(host, { revision });
  const [session, version] = ["Mcp-Session-Id", "MCP-Protocol-Version"];
  for (const headers of [{ [session]: "unknown" }, { [version]: "1999-01-01" }]) {
    using exchange = await client.post(LIST, {}, { headers, id: "mine" });
    assertEquals((await exchange.answer()).id, "mine");
  }
});

forEachRevision(
  "mcp.http.session",
  "refuses a malformed response under no id",
  async (revision) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    const headers = {
      ...client.headersOf({}, { headers: { "Mcp-Session-Id": "unknown" } }),
      "Content-Type": "application/json",
    };
    const { status, body } = await host.ask({ headers, body: '{"id":5,"result":{}}' });
    assertEquals([status, JSON.parse(body).id], [404, undefined]);
  },
);

forEachRevision(
  "mcp.http.session",
  "gets no JSON: an id of null up to 2025-06-18",
  async (revision) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    for (const version of [revision, undefined]) {
      const given = client.headersOf({}, { headers: { "MCP-Protocol-Version": version } });
      const headers = { ...given, "Content-Type": "application/json" };
      const { status, body } = await host.ask({ headers, body: '{"' });
      assertEquals(status, 400);
      assertEquals(JSON.parse(body).id, revision <= "2025-06-18" ? null : undefined);
    }
  },
);

forEachRevision(
  "mcp.http.session",
  "does not know methods of the stateless wire",
  async (revision) => {
    await using host = startHost();
    const client = await HttpClient.open(host, { revision });
    for (const method of ["server/discover", "subscriptions/listen"]) {
      using exchange = await client.post(method);
      assertEquals(codeOf(await exchange.answer()), -32601, method);
      assertEquals(exchange.status, 200);
    }
  },
);

Deno.test("mcp.http.status is 202 for a notification of the stateless wire, told by its header or itself", async () => {
  await using host = startHost();
  const version = "2026-07-28";
  const meta = { "io.modelcontextprotocol/protocolVersion": version };
  const rows: readonly (readonly [Record<string, string>, JsonObject, number])[] = [
    [{ "MCP-Protocol-Version": version }, {}, 202],
    [{}, { _meta: meta }, 202],
    [{}, {}, 400],
  ];
  for (const [headers, params, status] of rows) {
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    const answer = await host.ask({
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
    assertEquals(answer.status, status, JSON.stringify([headers, params]));
  }
});

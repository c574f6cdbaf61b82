// A server over HTTP as a person starts it: what it needs, what it refuses to start without, and how it ends.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LiveServer } from "../faults/live_server.ts";
import { GREETING } from "../harness/greeting.ts";
import { HttpPort, HttpWire, type RequestParts } from "../harness/http_wire.ts";
import { Shelf } from "./reader_shelf.ts";

/** Runs a command line that must refuse to serve. */
async function runRefused(args: readonly string[], flags: readonly string[]): Promise<string> {
  const output = await new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...flags, "mod.ts", "demo", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals([output.code, decoder.decode(output.stdout)], [2, ""]);
  const stderr = decoder.decode(output.stderr);
  assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
  return stderr;
}

/** A folder of token files, gone after the test. */
class TokenFiles implements AsyncDisposable {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async create(files: Readonly<Record<string, string>>): Promise<TokenFiles> {
    const folder = await Deno.makeTempDir({ dir: "/tmp" });
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    return new TokenFiles(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

Deno.test("a server for other machines does not start without good tokens", async (t) => {
  await using files = await TokenFiles.create({
    empty: "\n \n",
    short: "long-enough-long-enough\nshort\n",
    spaced: "a token with spaces in it\n",
    strange: "tökentökentökentöken\n",
  });
  const net = "--allow-net=0.0.0.0:0";
  const read = `--allow-read=${files.folder}`;
  await t.step("no file", async () => {
    const told = await runRefused(["--http", "0.0.0.0:0"], [net]);
    assertStringIncludes(told, "Cannot listen on 0.0.0.0 for everyone");
    assertStringIncludes(told, "--token-file");
  });
  for (const name of ["empty", "short", "spaced", "strange"]) {
    await t.step(name, async () => {
      const args = ["--http", "0.0.0.0:0", "--token-file", `${files.folder}/${name}`];
      const told = await runRefused(args, [net, read]);
      assertStringIncludes(told, "it needs tokens of at least 16 letters and digits");
      assert(!told.includes("tök") && !told.includes("long-enough"), told);
    });
  }
  await t.step("a file that may not be read", async () => {
    const file = `${files.folder}/short`;
    const told = await runRefused(["--http", "0.0.0.0:0", "--token-file", file], [net]);
    assertStringIncludes(told, `add --allow-read=${file}`);
  });
  await t.step("a file that is not there", async () => {
    const file = `${files.folder}/none`;
    const told = await runRefused(["--http", "0.0.0.0:0", "--token-file", file], [net, read]);
    assertStringIncludes(told, "it cannot be read");
  });
});

Deno.test("a server over HTTP names the permission that it lacks", async () => {
  const told = await runRefused(["--http"], []);
  assertStringIncludes(told, "Cannot listen without --allow-net=127.0.0.1:8808");
});

Deno.test("a server over HTTP refuses to allow what no request could carry", async (t) => {
  const rows = [
    ["--allow-origin", "https://app.example/"],
    ["--allow-origin", "app.example"],
    ["--allow-origin", "*"],
    ["--allow-origin", "null"],
    ["--allow-host", "http://app.example"],
    ["--allow-host", "*.example"],
  ];
  for (const [option = "", value = ""] of rows) {
    await t.step(`${option} ${value}`, async () => {
      const args = ["--http", "127.0.0.1:0", option, value];
      const told = await runRefused(args, ["--allow-net=127.0.0.1:0"]);
      assertStringIncludes(told, `Cannot use ${option} "${value}": write it as`);
    });
  }
});

Deno.test("a server over HTTP says when its port is taken", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const told = await runRefused(["--http", `${port}`], [`--allow-net=127.0.0.1:${port}`]);
  assertStringIncludes(told, `Cannot listen on port ${port}: another program does`);
});

Deno.test("a server over HTTP holds its port and nothing else, and ends when told", async () => {
  await using files = await TokenFiles.create({ good: "first-token-first\nsecond-token-second\n" });
  const file = `${files.folder}/good`;
  await using server = new LiveServer({
    module: "mod.ts",
    args: ["demo", "--http", "127.0.0.1:0", "--token-file", file],
    flags: ["--allow-net=127.0.0.1:0", `--allow-read=${file}`],
  });
  const { url, transport } = await server.logged("serving");
  assertEquals(transport, "http");
  const { port } = new URL(String(url));
  const http = new HttpPort(Number(port));
  const health = await http.ask({ method: "GET", target: "/healthz" });
  assertEquals(health.body, '{"status":"ok"}');
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { status, body } = await http.ask({
    headers: {
      Authorization: "Bearer second-token-second",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": version,
      "Mcp-Method": "tools/call",
      "Mcp-Name": "permissions",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "permissions", arguments: {}, _meta: meta },
    }),
  });
  assertEquals(status, 200);
  const held = JSON.parse(body).result.structuredContent;
  assertEquals(held.read, "denied", "the token file is read once, before anybody is served");
  assertEquals(Object.values(held).filter((state) => state === "granted"), []);
  server.kill("SIGTERM");
  assertEquals(await server.ended(), { code: 0, signal: null });
  assertEquals(server.lines, []);
});

Deno.test("a server over HTTP ends in good order when its terminal is interrupted", async () => {
  const { server, http } = await startDemo([]);
  await using _server = server;
  assertEquals((await http.ask({ method: "GET", target: "/healthz" })).status, 200);
  server.kill("SIGINT");
  assertEquals(await server.ended(), { code: 0, signal: null });
});

Deno.test("reader mode serves over HTTP what it serves over stdio", async () => {
  await using shelf = await Shelf.create();
  await using server = new LiveServer({
    module: "mod.ts",
    args: ["reader", "--root", shelf.root, "--engine", "embedded", "--http", "127.0.0.1:0"],
    flags: ["--allow-net=127.0.0.1:0", `--allow-read=${shelf.root}`],
  });
  const { url } = await server.logged("serving");
  const http = new HttpPort(Number(new URL(String(url)).port));
  const read = async (path: string) => {
    const { body } = await http.ask(callOf("read_bcp_file", {}, { path }));
    const { content, isError } = JSON.parse(body).result;
    return [isError === true, content[0].text];
  };
  const [failed, text] = await read(`${shelf.root}/a.bcp`);
  assertEquals(failed, false, text);
  assertStringIncludes(text, "ahoy");
  assertEquals((await read(`${shelf.outside}/a.bcp`))[0], true);
});

/** A server of the demo with these options, for as long as the test lasts. */
async function startDemo(
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<{ readonly server: LiveServer; readonly http: HttpPort }> {
  const server = new LiveServer({
    module: "mod.ts",
    args: ["demo", "--http", "127.0.0.1:0", ...args],
    flags: ["--allow-net=127.0.0.1:0", ...flags],
  });
  const { url } = await server.logged("serving");
  return { server, http: new HttpPort(Number(new URL(String(url)).port)) };
}

const VERSION = "2026-07-28";

/** A call of the stateless wire. */
function callOf(
  name: string,
  headers: Readonly<Record<string, string>> = {},
  given: Readonly<Record<string, string>> = { message: "x" },
): RequestParts {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name, arguments: given, _meta };
  return {
    headers: {
      "Content-Type": "application/json",
      "MCP-Protocol-Version": VERSION,
      "Mcp-Method": "tools/call",
      "Mcp-Name": name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

const INITIALIZE: RequestParts = {
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(GREETING[0]),
};

Deno.test("options of a server over HTTP take effect", async () => {
  const { server, http } = await startDemo([
    "--allow-host",
    "named.example",
    "--allow-origin",
    "https://app.example",
    "--legacy-sse",
    "--max-sessions",
    "1",
    "--max-connections",
    "2",
  ]);
  await using _server = server;
  const statusOf = async (parts: RequestParts) => (await http.ask(parts)).status;
  assertEquals(await statusOf(callOf("echo", { Host: "named.example" })), 200);
  assertEquals(await statusOf(callOf("echo", { Host: "other.example" })), 403);
  assertEquals(await statusOf(callOf("echo", { Origin: "https://app.example" })), 200);
  assertEquals(await statusOf(callOf("echo", { Origin: "https://other.example" })), 403);
  const { wire, status } = await http.open({ method: "GET", target: "/sse" });
  using _stream = wire;
  assertEquals(status, 200);
  // One stream is open, so that there is room for one connection more.
  using second = await HttpWire.connect(http.port);
  // The second finds the first without a finished handshake, and takes its place.
  for (let count = 0; count < 2; count++) {
    assertEquals((await second.ask(http.complete(INITIALIZE))).status, 200);
  }
  const { body } = await second.ask(http.complete({ method: "GET", target: "/metrics" }));
  assertMatch(body, /^bulkhead_calls_total 2$/m);
  assertMatch(body, /^bulkhead_sessions 2$/m);
  assertMatch(body, /^bulkhead_connections 2$/m);
  assertMatch(body, /^bulkhead_denials_total\{reason="host"\} 1$/m);
  assertMatch(body, /^bulkhead_denials_total\{reason="origin"\} 1$/m);
  using third = await HttpWire.connect(http.port);
  assertEquals((await third.ask(http.complete(callOf("echo")))).status, 200);
  assertEquals(await second.rest(), "", "the one that waited longest has made way");
});

Deno.test("a server for other machines bounds the rate of its clients, unless told another", async (t) => {
  const token = "first-token-first";
  await using files = await TokenFiles.create({ good: `${token}\n` });
  const file = `${files.folder}/good`;
  for (const [args, most] of [[[], 200], [["--max-rate", "2"], 4]] as const) {
    await t.step(`at most ${most} at once`, async () => {
      await using server = new LiveServer({
        module: "mod.ts",
        args: ["demo", "--http", "0.0.0.0:0", "--token-file", file, ...args],
        flags: ["--allow-net=0.0.0.0:0", `--allow-read=${file}`],
      });
      const { url } = await server.logged("serving");
      const http = new HttpPort(Number(new URL(String(url)).port));
      using wire = await HttpWire.connect(http.port);
      const call = http.complete(callOf("echo", { Authorization: `Bearer ${token}` }));
      let taken = 0;
      // What comes in meanwhile is let in as well, on a slow machine a few more.
      while ((await wire.ask(call)).status === 200 && taken < 2 * most) taken += 1;
      assert(taken >= most && taken < 2 * most, `${taken}`);
    });
  }
});

// Two clients of `mod.ts bn` over HTTP share a process and nothing else.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { TextLineStream } from "@std/streams";
import { fromFileUrl } from "@std/path";
import { FIXTURE, Harbour } from "../contract/bn_harbour.ts";
import { withDeadline } from "../harness/deadline.ts";

const MODULE = fromFileUrl(new URL("../../mod.ts", import.meta.url));
const TOKENS = ["correct-horse-battery", "staple-of-another-one"] as const;

Deno.test("HTTP clients of both wires have a directory and an agent each", async () => {
  await using harbour = await Harbour.create();
  for (const name of ["a", "b"]) await Deno.mkdir(`${harbour.repo}/${name}`);
  await Deno.writeTextFile(`${harbour.top}/tokens`, `${TOKENS.join("\n")}\n`);
  await harbour.record({ pid: 4_000_001, "parent_pid": 1, name: "a", id: "bn-first" });
  await using server = await HttpServer.start(harbour);
  const [first, second] = [
    new HttpClient(server.url, TOKENS[0]),
    new HttpClient(server.url, TOKENS[0]),
  ];
  await Promise.all([first.greet(), second.greet()]);
  const path = `${harbour.repo}/a`;
  await first.call("binnacle-set_agent", { path, agent_id: "bn-first" });
  assertEquals(
    (await second.call("bn_run", { args: ["args"] })).text,
    "Session not initialized. Call binnacle-set_agent first.",
  );
  await second.call("binnacle-set_agent", { path: `${harbour.repo}/b` });
  const seen = await Promise.all(
    [first, second, first, second].map((client) => client.call("bn_run", { args: ["env"] })),
  );
  const directories = seen.map(({ stdout }) => /^PWD=(.*)$/m.exec(String(stdout))?.[1]);
  const agents = seen.map(({ stdout }) => /^BN_AGENT_ID=(.*)$/m.exec(String(stdout))?.[1]);
  const b = `${harbour.repo}/b`;
  assertEquals(directories, [path, b, path, b]);
  assertEquals(agents, ["bn-first", undefined, "bn-first", undefined]);
  // A client's token is nobody's but the server's.
  for (const { stdout } of seen) assertEquals(String(stdout).includes(TOKENS[0]), false);

  const stateless = new HttpClient(server.url, TOKENS[0]);
  const { session } = await stateless.call("binnacle-set_agent", { path });
  assert(typeof session === "string");
  const carried = await stateless.call("bn_run", { args: ["args"], session });
  assertEquals(carried.stdout, `<${path}>\n`);
  const thief = new HttpClient(server.url, TOKENS[1]);
  const stolen = await thief.call("bn_run", { args: ["args"], session });
  assertMatch(String(stolen.text), /is not one that this server gave/);

  await first.leave();
  const next = new HttpClient(server.url, TOKENS[0]);
  await next.greet();
  assertMatch(String((await next.call("bn_run", { args: ["args"] })).text), /not initialized/);
});

Deno.test("a call over HTTP that is canceled takes its process with it, on both wires", async () => {
  await using harbour = await Harbour.create();
  await Deno.writeTextFile(`${harbour.top}/tokens`, `${TOKENS.join("\n")}\n`);
  await using server = await HttpServer.start(harbour);
  for (const isGreeted of [true, false]) {
    const client = new HttpClient(server.url, TOKENS[0]);
    if (isGreeted) await client.greet();
    const { session } = await client.call("binnacle-set_agent", { path: harbour.repo });
    const leaving = new AbortController();
    const given = { args: ["sleep", "600"], ...(session === undefined ? {} : { session }) };
    const call = client.call("bn_run", given, leaving.signal).catch(() => "gone");
    await server.settle(TOKENS[0], "bulkhead_children", 1);
    if (isGreeted) await client.cancel();
    else leaving.abort();
    await server.settle(TOKENS[0], "bulkhead_children", 0);
    leaving.abort();
    assertEquals(await call, "gone");
  }
});

/** `mod.ts bn` over HTTP, on a port of its own choice. */
class HttpServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #log: ReadableStreamDefaultReader<string>;

  private constructor(
    child: Deno.ChildProcess,
    log: ReadableStreamDefaultReader<string>,
    url: string,
  ) {
    this.#child = child;
    this.#log = log;
    this.url = url;
  }

  static async start(harbour: Harbour): Promise<HttpServer> {
    const tokens = `${harbour.top}/tokens`;
    const child = new Deno.Command("deno", {
      args: [
        "run",
        "--no-prompt",
        "--quiet",
        `--allow-run=${FIXTURE},bwrap,ps,kill`,
        `--allow-read=${harbour.repo},${harbour.storage},${tokens}`,
        "--allow-env",
        "--allow-net=127.0.0.1",
        MODULE,
        "bn",
        "--root",
        harbour.repo,
        "--http",
        "127.0.0.1:0",
        "--token-file",
        tokens,
      ],
      env: { NO_COLOR: "1", BN_CLI_PATH: FIXTURE, BN_DATA_DIR: harbour.storage },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const log = child.stderr.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
      .getReader();
    for (;;) {
      const { value, done } = await log.read();
      if (done) throw new Error("The server has ended");
      const url = /"url":"([^"]+)"/.exec(value)?.[1];
      if (url !== undefined) return new HttpServer(child, log, url);
    }
  }

  /** Waits until a number of `/metrics` has this value. */
  async settle(token: string, name: string, value: number): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const look = async (): Promise<void> => {
      const answer = await fetch(new URL("/metrics", this.url), { headers });
      const lines = (await answer.text()).split("\n");
      if (!lines.includes(`${name} ${value}`)) return await look();
    };
    await withDeadline(look(), () => `${name} does not become ${value}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#log.cancel();
  }
}

/** One client: of the handshake wire once it has greeted, of the stateless wire until then. */
class HttpClient {
  readonly #url: string;
  readonly #token: string;
  #revision = "2026-07-28";
  #session: string | undefined;
  #id = 0;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async greet(): Promise<void> {
    this.#revision = "2025-11-25";
    const params = {
      protocolVersion: this.#revision,
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    };
    const answer = await this.#post({ id: 0, method: "initialize", params });
    this.#session = answer.headers.get("mcp-session-id") ?? undefined;
    await answer.body?.cancel();
    const ready = await this.#post({ method: "notifications/initialized" });
    await ready.body?.cancel();
  }

  /** The structured content of a call, or its text where there is none. */
  async call(
    name: string,
    given: object,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    };
    const more = this.#session === undefined ? { _meta: meta } : {};
    const params = { name, arguments: given, ...more };
    const answer = await this.#post({ id: ++this.#id, method: "tools/call", params }, signal);
    const text = await answer.text();
    const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
    const { result, error } = JSON.parse(data);
    if (error !== undefined) throw new Error(error.message);
    return result.structuredContent ?? { text: result.content[0].text };
  }

  /** Wants the last call no more. */
  async cancel(): Promise<void> {
    const params = { requestId: this.#id };
    const answer = await this.#post({ method: "notifications/cancelled", params });
    await answer.body?.cancel();
  }

  async leave(): Promise<void> {
    const answer = await fetch(this.#url, { method: "DELETE", headers: this.#headers() });
    await answer.body?.cancel();
  }

  async #post(
    message: { readonly method: string; readonly params?: object; id?: number },
    signal?: AbortSignal,
  ) {
    const name = Object(message.params).name;
    return await fetch(this.#url, {
      method: "POST",
      headers: {
        ...this.#headers(),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-method": message.method,
        ...(name === undefined ? {} : { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token}`,
      "mcp-protocol-version": this.#revision,
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
    };
  }
}

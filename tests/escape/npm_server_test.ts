// Real npm MCP servers as Deno children: they answer, and they cannot read outside their grants even when their own
// allow-list says they may. Needs the packages in Deno's cache, or a registry to get them from.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Compartment } from "./compartment.ts";
import type { Child } from "../../src/process/child.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const FILESYSTEM = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";
const EVERYTHING = "npm:@modelcontextprotocol/server-everything@2026.8.31";

const isCached = await cache();

test({
  name: "server-filesystem reads inside its grant and not outside, whatever its allow-list says",
  ignore: !isCached,
  async fn() {
    await using c = await Compartment.create({ wall: "deno", rules: { command: FILESYSTEM } });
    const spawned = await c.launcher.spawn(
      // The server itself is told that both directories are fine.
      { name: "attempt", args: [c.root, c.outside], cwd: c.root },
      new AbortController().signal,
    );
    assert(spawned.kind === "running");
    await using child = spawned.child;
    using session = new Session(child);
    await session.initialize();
    const inside = await session.callTool("read_text_file", { path: `${c.root}/inside.txt` });
    assertStringIncludes(inside, "inside");
    const outside = await session.callTool("read_text_file", { path: c.secret });
    assertEquals(outside.includes('"secret"'), false, outside);
    assertStringIncludes(outside, '"isError":true');
  },
});

test({
  name: "server-filesystem reads the other directory once it is granted",
  ignore: !isCached,
  async fn() {
    await using c = await Compartment.create({
      wall: "deno",
      rules: { command: FILESYSTEM, read: ["${roots}", "/@outside"] },
    });
    const spawned = await c.launcher.spawn(
      { name: "attempt", args: [c.root, c.outside], cwd: c.root },
      new AbortController().signal,
    );
    assert(spawned.kind === "running");
    await using child = spawned.child;
    using session = new Session(child);
    await session.initialize();
    const outside = await session.callTool("read_text_file", { path: c.secret });
    assertStringIncludes(outside, '"secret"');
  },
});

test({
  name: "server-everything answers with no grant at all",
  ignore: !isCached,
  async fn() {
    await using c = await Compartment.create({
      wall: "deno",
      rules: { command: EVERYTHING, read: [] },
    });
    const spawned = await c.launcher.spawn(
      { name: "attempt", args: [], cwd: "/tmp" },
      new AbortController().signal,
    );
    assert(spawned.kind === "running");
    await using child = spawned.child;
    using session = new Session(child);
    await session.initialize();
    assertStringIncludes(await session.callTool("echo", { message: "hello" }), "hello");
  },
});

/** Just enough of an MCP client to ask a server something. */
class Session implements Disposable {
  readonly #child: Child;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #buffered = "";
  #id = 0;

  constructor(child: Child) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async initialize(): Promise<void> {
    await this.#request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    await this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** The response to a call, as text. */
  async callTool(name: string, args: Record<string, unknown>): Promise<string> {
    return await this.#request("tools/call", { name, arguments: args });
  }

  async #request(method: string, params: unknown): Promise<string> {
    const id = ++this.#id;
    await this.#send({ jsonrpc: "2.0", id, method, params });
    for (;;) {
      const line = await this.#readLine();
      if (JSON.parse(line).id === id) return line;
    }
  }

  async #send(message: unknown): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  }

  async #readLine(): Promise<string> {
    for (;;) {
      const end = this.#buffered.indexOf("\n");
      if (end !== -1) {
        const line = this.#buffered.slice(0, end);
        this.#buffered = this.#buffered.slice(end + 1);
        return line;
      }
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`Server ended: ${this.#child.stderrTail()}`);
      this.#buffered += value;
    }
  }

  [Symbol.dispose](): void {
    this.#writer.releaseLock();
    this.#reader.cancel().catch(() => {});
  }
}

/** Puts the packages into Deno's cache; says aloud when that is not possible. */
async function cache(): Promise<boolean> {
  const { success } = await new Deno.Command("deno", {
    args: ["cache", "--quiet", "--no-config", "--node-modules-dir=none", FILESYSTEM, EVERYTHING],
    stdout: "null",
    stderr: "null",
  }).output();
  // deno-lint-ignore no-console
  if (!success) console.warn("SKIPPED: npm servers are neither cached nor can they be fetched");
  return success;
}

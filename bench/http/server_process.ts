// One server under load: started, visited by a client that checks its answers, measured, ended.

import { pin } from "./core.ts";
import type { Place, Server, Wire } from "./servers.ts";

/** Between attempts to reach a server that starts. */
const RETRY_MS = 50;
const MAX_TRIES = 200;

const REVISIONS: Readonly<Record<Wire, string>> = {
  stateless: "2026-07-28",
  handshake: "2025-11-25",
};
const META = "io.modelcontextprotocol/";

/** A session as the load needs it; the stateless wire and some servers have none. */
export interface Session {
  readonly revision: string;
  readonly id: string | undefined;
}

/** A server process; `await using` ends it. */
export class ServerProcess implements AsyncDisposable {
  readonly server: Server;
  /** The core that it shares with its load; free to use any where there is none. */
  readonly core: number | undefined;
  readonly #child: Deno.ChildProcess;

  /** Starts the server. */
  constructor(server: Server, core?: number) {
    this.server = server;
    this.core = core;
    const [program, ...args] = pin(["deno", ...server.args], core);
    this.#child = new Deno.Command(program, { args, cwd: server.cwd, stdin: "null" }).spawn();
  }

  /** Where it runs. */
  get place(): Place {
    return this.core === undefined ? "free" : "one core";
  }

  /** The address under load. */
  get url(): string {
    return this.#toUrl(this.server.path);
  }

  /**
   * Waits until it answers an `echo` call rightly.
   *
   * @throws Error when it never does.
   */
  async check(wire: Wire): Promise<void> {
    const session = await this.#reach(wire);
    const response = await this.#post(session, wire, "echo", { message: "checked" });
    const text = await response.text();
    if (!/"text":"checked"/.test(text)) {
      throw new Error(`"${this.server.name}" does not echo: ${response.status} ${text}`);
    }
  }

  /** Opens a session, where there is one to open. */
  async open(wire: Wire, url = this.url): Promise<Session> {
    const revision = REVISIONS[wire];
    if (wire === "stateless" || !this.server.hasSessions) return { revision, id: undefined };
    const params = {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    };
    const request = { jsonrpc: "2.0", id: 0, method: "initialize", params };
    const response = await fetch(url, toInit(request, {}));
    const text = await response.text();
    const id = response.headers.get("mcp-session-id") ?? undefined;
    const negotiated = /"protocolVersion":"([^"]+)"/.exec(text)?.[1];
    if (negotiated === undefined || id === undefined) {
      throw new Error(`"${this.server.name}" opens no session: ${response.status} ${text}`);
    }
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    const headers = { "mcp-session-id": id, "mcp-protocol-version": negotiated };
    await (await fetch(url, toInit(initialized, headers))).body?.cancel();
    return { revision: negotiated, id };
  }

  /** Milliseconds from a call to the first event of its answer that is progress. */
  async timeFirstEvent(wire: Wire, path: string): Promise<number> {
    const url = this.#toUrl(path);
    const session = await this.open(wire, url);
    const begin = performance.now();
    const response = await this.#post(session, wire, "count", { to: 3 }, url);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("notifications/progress")) {
      const chunk = await reader?.read();
      if (chunk?.value === undefined) throw new Error(`No progress in "${text}"`);
      text += chunk.value;
    }
    const elapsed = performance.now() - begin;
    while (!(await reader?.read())?.done);
    return elapsed;
  }

  /** Resident memory as the kernel counts it, in MiB. */
  async readMemory(): Promise<number> {
    // Deno opens files below /proc only for programs that hold every permission, so `cat` does.
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${this.#child.pid}/status`] })
      .output();
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(new TextDecoder().decode(stdout))?.[1];
    if (kib === undefined) throw new Error("Cannot read the memory of a server: this needs Linux");
    return Number(kib) / 1024;
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  #toUrl(path: string): string {
    return `http://127.0.0.1:${this.server.port}${path}`;
  }

  async #reach(wire: Wire): Promise<Session> {
    for (let tries = 0;; tries++) {
      try {
        // The floor answers anything, the others at least refuse.
        await (await fetch(this.url, toInit({}, {}))).body?.cancel();
        return await this.open(wire);
      } catch (error) {
        if (tries === MAX_TRIES || !(error instanceof TypeError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #post(
    { revision, id }: Session,
    wire: Wire,
    name: string,
    given: object,
    url = this.url,
  ): Promise<Response> {
    const meta = wire === "handshake" ? {} : {
      [`${META}protocolVersion`]: revision,
      [`${META}clientInfo`]: { name: "bench", version: "1.0.0" },
      [`${META}clientCapabilities`]: {},
    };
    const params = { name, arguments: given, _meta: { ...meta, progressToken: 1 } };
    const headers = {
      "mcp-protocol-version": revision,
      ...(wire === "stateless" ? { "mcp-method": "tools/call", "mcp-name": name } : {}),
      ...(id === undefined ? {} : { "mcp-session-id": id }),
    };
    return fetch(url, toInit({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers));
  }
}

function toInit(message: object, headers: Readonly<Record<string, string>>): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
  };
}

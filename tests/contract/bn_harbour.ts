// A repository, a storage of binnacle and a real server over them, for tests of `mod.ts bn` on both wires.

import { fromFileUrl } from "@std/path";
import { LineClient, type WireMessage } from "../../fixtures/demo/line_client.ts";

const REPOSITORY = fromFileUrl(new URL("../..", import.meta.url)).slice(0, -1);

/** The stand-in for binnacle. */
export const FIXTURE = `${REPOSITORY}/fixtures/programs/bn`;

/** What a tool call came to. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** How a server is started over a harbour. */
export interface ServeOptions {
  readonly program?: string;
  /** `wall`: bubblewrap, as shipped; `open`: no sandbox, but the tree is found; `bare`: nothing but the program. */
  readonly compartment?: "wall" | "open" | "bare";
  readonly args?: readonly string[];
  /** Further flags of `deno run`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the server may read besides; the storage unless told. */
  readonly read?: readonly string[];
  /** Directories that are roots; the repository alone unless told. */
  readonly roots?: readonly string[];
}

const RUNS = { wall: ",bwrap,ps,kill", open: ",ps,kill", bare: "" } as const;

/** A directory of everything. */
export class Harbour implements AsyncDisposable {
  readonly top: string;
  readonly repo: string;
  readonly storage: string;

  private constructor(top: string) {
    this.top = top;
    this.repo = `${top}/repo`;
    this.storage = `${top}/storage`;
  }

  /** Makes the repository and, with the program itself, its storage. */
  static async create(program: string = FIXTURE): Promise<Harbour> {
    const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-bn-" }));
    const harbour = new Harbour(top);
    await Deno.mkdir(`${harbour.repo}/.git`, { recursive: true });
    await Deno.mkdir(harbour.storage);
    const { code, stderr } = await harbour.shell(["session", "init"], { program });
    if (code !== 0) throw new Error(stderr);
    return harbour;
  }

  /** Starts a server and greets it. */
  async serve(options: ServeOptions = {}): Promise<BnClient> {
    const { program = FIXTURE, compartment = "wall", args = [], env = {} } = options;
    const roots = options.roots ?? [this.repo];
    const client = new BnClient([
      "run",
      "--no-prompt",
      "--quiet",
      `--allow-run=${program}${RUNS[compartment]}`,
      `--allow-read=${[...roots, ...options.read ?? [this.storage]].join(",")}`,
      "--allow-env",
      ...options.flags ?? [],
      `${REPOSITORY}/mod.ts`,
      "bn",
      ...roots.flatMap((root) => ["--root", root]),
      ...args,
    ], { env: { BN_CLI_PATH: program, BN_DATA_DIR: this.storage, ...env } });
    await client.greet();
    return client;
  }

  /** Starts a server with the line of document 001's successor and nothing more. */
  async serveBare(env: Readonly<Record<string, string>>): Promise<BnClient> {
    const client = new BnClient([
      "run",
      "--no-prompt",
      "--quiet",
      "--allow-run=bn",
      `--allow-read=${this.repo}`,
      `${REPOSITORY}/mod.ts`,
      "bn",
    ], { env });
    await client.greet();
    return client;
  }

  /** Runs the program as an agent's shell does: the test is its parent. */
  async shell(
    args: readonly string[],
    options: {
      readonly program?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    } = {},
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await new Deno.Command(options.program ?? FIXTURE, {
      args: [...args],
      cwd: options.cwd ?? this.repo,
      env: { BN_DATA_DIR: this.storage, ...options.env },
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Makes a symbolic link, which Deno has no scoped function for. */
  async link(target: string, path: string): Promise<void> {
    const { success } = await new Deno.Command("ln", { args: ["-s", target, path] }).output();
    if (!success) throw new Error(`Cannot link "${path}"`);
  }

  /** The registry of the repository: every line of every storage. */
  async records(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const text = await Deno.readTextFile(`${await this.folder()}/agents.jsonl`).catch(() => "");
    return text.trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  /** Adds a line to the registry. */
  async record(line: Readonly<Record<string, unknown>> | string): Promise<void> {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    await Deno.writeTextFile(`${await this.folder()}/agents.jsonl`, `${text}\n`, { append: true });
  }

  /** The storage of the repository. */
  async folder(repo: string = this.repo): Promise<string> {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(repo));
    return `${this.storage}/${new Uint8Array(digest).toHex().slice(0, 12)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.top, { recursive: true });
  }
}

/** One way to speak to a server, the same for both wires. */
export interface Caller {
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<WireMessage>;
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<CallResult>;
  read(uri: string): Promise<WireMessage>;
}

/** The wires a server speaks on one connection. */
export const WIRES = ["handshake", "stateless"] as const;

const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
};

/** Speaks to `mod.ts bn`. */
export class BnClient extends LineClient {
  /** Goes through the handshake. */
  async greet(): Promise<WireMessage> {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    }).answer;
    this.send({ method: "notifications/initialized" });
    return answer;
  }

  /** A client on one of the wires; on the stateless one it carries the handle, as a model would. */
  on(wire: typeof WIRES[number]): Caller {
    let session: string | undefined;
    const ask = async (method: string, params: Readonly<Record<string, unknown>> = {}) =>
      await this.request(
        method,
        wire === "stateless" ? { ...params, _meta: STATELESS_META } : params,
      ).answer;
    return {
      ask,
      call: async (name, given = {}) => {
        const carried = session !== undefined && name !== "binnacle-set_agent" ? { session } : {};
        const answer = await ask("tools/call", { name, arguments: { ...carried, ...given } });
        if (answer.error !== undefined) throw new Error(answer.error.message);
        const result = toCallResult(answer.result);
        if (typeof result.structured.session === "string") session = result.structured.session;
        return result;
      },
      read: async (uri) =>
        await ask("resources/read", {
          uri: session === undefined ? uri : `${uri}?session=${encodeURIComponent(session)}`,
        }),
    };
  }
}

function toCallResult(result: unknown): CallResult {
  const { content, isError, structuredContent } = Object(result);
  return {
    text: content.map(({ text }: { text: string }) => text).join("\n"),
    isError: isError === true,
    structured: structuredContent ?? {},
  };
}

/** Whether a process has these words in its command line. */
export async function isRunning(words: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["xww", "-o", "stat=,command="] })
    .output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.includes(words) && !line.startsWith("Z"));
}

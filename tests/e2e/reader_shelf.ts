// A directory of BCP files and a real server that reads it, for stories of `mod.ts reader`.

import { fromFileUrl } from "@std/path";
import { LineClient, type WireMessage } from "../../fixtures/demo/line_client.ts";

/** A manifest with something of every importance. */
export const MANIFEST = {
  blocks: [
    {
      type: "code",
      lang: "rust",
      path: "src/main.rs",
      content: 'fn main() {\n    println!("ahoy");\n}\n'.repeat(12),
      summary: "Says ahoy",
      priority: "low",
    },
    { type: "conversation", role: "user", content: "Why does it not compile?" },
    { type: "tool_result", tool_name: "rg", content: "src/main.rs:2: ahoy" },
  ],
};

/** What a tool call came to. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: unknown;
}

/** How a server is started over a shelf. */
export interface ServeOptions {
  /** Flags of `deno run`. */
  readonly flags?: readonly string[];
  /** The program; `mod.ts` unless given. */
  readonly module?: string;
  /** Arguments after the program. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The client's roots, as URIs, now, or `undefined` for no answer; a client without it does not offer any. */
  readonly roots?: () => readonly string[] | undefined;
}

const MODULE = fromFileUrl(new URL("../../mod.ts", import.meta.url));

/** A root with `m.json` in it, and a place outside. */
export class Shelf implements AsyncDisposable {
  readonly top: string;
  readonly root: string;
  readonly outside: string;

  private constructor(top: string) {
    this.top = top;
    this.root = `${top}/root`;
    this.outside = `${top}/outside`;
  }

  /** Makes the directories, the manifest and, with the real command, `a.bcp`. */
  static async create(): Promise<Shelf> {
    const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-reader-" }));
    const shelf = new Shelf(top);
    await Deno.mkdir(shelf.root);
    await Deno.mkdir(shelf.outside);
    await Deno.writeTextFile(`${shelf.root}/m.json`, JSON.stringify(MANIFEST));
    const encoded = await shelf.runBcp(["encode", `${shelf.root}/m.json`, "-o", shelf.at("a.bcp")]);
    if (encoded.code !== 0) throw new Error(encoded.stderr);
    return shelf;
  }

  /** The path of a file in the root. */
  at(name: string): string {
    return `${this.root}/${name}`;
  }

  /** Runs `mod.ts bcp` with the shelf readable and writable. */
  async runBcp(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: [
        "run",
        "--no-prompt",
        "--quiet",
        `--allow-read=${this.top}`,
        `--allow-write=${this.top}`,
        MODULE,
        "bcp",
        ...args,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Starts a reader; by default on the root, which it may read and write, with the codec. */
  async serve(options: ServeOptions = {}): Promise<ReaderClient> {
    const {
      flags = [`--allow-read=${this.root}`, `--allow-write=${this.root}`],
      module = MODULE,
      args = ["reader", "--root", this.root, "--engine", "embedded"],
      env = {},
      roots,
    } = options;
    const client = new ReaderClient(
      ["run", "--no-prompt", "--quiet", ...flags, module, ...args],
      { env, asked: () => answerRoots(roots?.()) },
    );
    await client.greet(roots === undefined ? {} : { roots: { listChanged: true } });
    return client;
  }

  /** Runs a program that Deno has no scoped function for, such as `ln`. */
  async make(program: "ln" | "mkfifo", ...args: readonly string[]): Promise<void> {
    const { success } = await new Deno.Command(program, { args: [...args] }).output();
    if (!success) throw new Error(`Cannot make "${args.at(-1)}"`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.top, { recursive: true });
  }
}

/** Speaks to a reader. */
export class ReaderClient extends LineClient {
  /** Goes through the handshake and returns what the server said. */
  async greet(capabilities: Record<string, unknown> = {}): Promise<WireMessage> {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "test", version: "1.0.0" },
    }).answer;
    this.send({ method: "notifications/initialized" });
    return answer;
  }

  /** Asks for anything. */
  async ask(method: string, params: unknown = {}): Promise<WireMessage> {
    return await this.request(method, params).answer;
  }

  /** Calls a tool. */
  async call(name: string, given: Readonly<Record<string, unknown>>): Promise<CallResult> {
    const { result, error } = await this.ask("tools/call", { name, arguments: given });
    if (error !== undefined) throw new Error(error.message);
    return toCallResult(result);
  }
}

function answerRoots(uris: readonly string[] | undefined): unknown {
  return uris === undefined ? undefined : { roots: uris.map((uri) => ({ uri })) };
}

function toCallResult(result: unknown): CallResult {
  const { content, isError, structuredContent } = Object(result);
  return {
    text: content.map(({ text }: { text: string }) => text).join("\n"),
    isError: isError === true,
    structured: structuredContent,
  };
}

// A home and a project to try `mod.ts init` in, far from the real ones.

import { type Client, type ClientHost, findPlace, type Scope } from "../../src/clients/client.ts";

/** How a run of the command line ended. */
export interface InitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that move files; empty ones count as unset. */
const VARIABLES = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "COPILOT_HOME",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
];

export const ENV_FLAG = `--allow-env=HOME,${VARIABLES.join(",")}`;

/** This checkout's program. */
export const PROGRAM = decodeURIComponent(new URL("../../modes/demo.ts", import.meta.url).pathname);

const DENO_DIR = await findDenoDir();

/** A temporary home and project; gone when it is disposed. */
export class InitLab implements AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly project: string;

  constructor(root: string) {
    this.root = root;
    this.home = `${root}/home`;
    this.project = `${root}/project`;
  }

  static async open(): Promise<InitLab> {
    const lab = new InitLab(await Deno.makeTempDir({ prefix: "bulkhead-init-" }));
    await Deno.mkdir(lab.home);
    await Deno.mkdir(lab.project);
    return lab;
  }

  get state(): string {
    return `${this.home}/.local/state/bulkhead`;
  }

  get environment(): Record<string, string> {
    const moved = Object.fromEntries(VARIABLES.map((name) => [name, ""]));
    return { ...moved, HOME: this.home, DENO_DIR, NO_COLOR: "1" };
  }

  pathOf(client: Client, scope: Scope = client.scope): string {
    const host: ClientHost = {
      os: Deno.build.os,
      project: this.project,
      variables: new Map([["HOME", this.home]]),
    };
    return findPlace(client, scope, host)?.path ?? "";
  }

  /** Writes a file and the directories above it. */
  async put(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(path, bytes);
    if (mode !== undefined) await Deno.chmod(path, mode);
  }

  /** Runs `mod.ts init` on this project; without flags it may do what it likes inside the lab. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<InitRun> {
    const { flags = this.flags, input = "", env = {}, command = [] } = options;
    const [program = "deno", ...before] = [...command, "deno"];
    const child = new Deno.Command(program, {
      args: [
        ...before,
        ...["run", "--no-prompt", "--quiet", ...flags, "mod.ts"],
        ...["init", "--project", this.project, ...args],
      ],
      env: { ...this.environment, ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    // A child that is killed, or asks nothing, leaves the pipe.
    await writer.write(new TextEncoder().encode(input)).catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  get flags(): readonly string[] {
    return [ENV_FLAG, `--allow-read=${this.root}`, `--allow-write=${this.root}`];
  }

  /** Every file, link and directory outside the state, with mode and content. */
  async snapshot(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    await this.#visit(this.home, found);
    await this.#visit(this.project, found);
    for (const path of found.keys()) {
      if (path === `${this.home}/.local` || path.startsWith(`${this.home}/.local/`)) {
        found.delete(path);
      }
    }
    return found;
  }

  async #visit(folder: string, found: Map<string, string>): Promise<void> {
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      const { mode } = await Deno.lstat(path);
      const octal = ((mode ?? 0) & 0o7777).toString(8);
      if (isDirectory) {
        found.set(path, `directory ${octal}`);
        await this.#visit(path, found);
      } else if (isSymlink) found.set(path, `link ${await Deno.readLink(path)}`);
      else found.set(path, `${octal} ${await hash(await Deno.readFile(path))}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}

interface RunOptions {
  readonly flags?: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Put before `deno`. */
  readonly command?: readonly string[];
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

async function findDenoDir(): Promise<string> {
  const { stdout } = await new Deno.Command("deno", { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

// A server as a real process under test. Every line it writes to stdout is checked as it comes; `await using` ends the
// process whatever the test did.

import { findMessageFault, type Message } from "./wire_check.ts";

/** What to start and how. */
export interface LiveServerOptions {
  /** The module to run; the nuisance fixture unless told. */
  readonly module?: string;
  /** Arguments of the server. */
  readonly args?: readonly string[];
  /** Flags of `deno run` besides `--no-prompt`; none, so that the server holds no permission. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether stdout is read from the start. */
  readonly reads?: boolean;
  /** Whether anybody reads the log. */
  readonly stderr?: "read" | "unread";
}

/** How a server ended. */
export interface ServerEnd {
  readonly code: number;
  readonly signal: Deno.Signal | null;
}

const NUISANCE = "fixtures/servers/nuisance/main.ts";

/** A server that lives longer hangs: it is killed and what waits for it fails. */
const LIFETIME_MS = 60_000;

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "hostile", version: "1.0.0" },
};

/** A started server. */
export class LiveServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: LineQueue;
  readonly #errors: LineQueue;
  readonly #killer: ReturnType<typeof setTimeout>;
  readonly #pumps: Promise<void>[] = [];
  /** The lines of stdout that were looked at, each parsed once. */
  readonly #messages: Message[] = [];

  /** Starts the process. */
  constructor(options: LiveServerOptions = {}) {
    const { module = NUISANCE, args = [], flags = [], env = {} } = options;
    this.#child = new Deno.Command("deno", {
      args: ["run", "--no-prompt", "--quiet", ...flags, module, ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      env,
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#output = new LineQueue("stdout");
    this.#errors = new LineQueue("stderr");
    this.#killer = setTimeout(() => this.kill("SIGKILL"), LIFETIME_MS);
    if (options.stderr !== "unread") this.#pumps.push(this.#errors.fill(this.#child.stderr));
    if (options.reads !== false) this.read();
  }

  /** The process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Every line of stdout so far. */
  get lines(): readonly string[] {
    return this.#output.lines;
  }

  /** Every line of stderr so far. */
  get errorLines(): readonly string[] {
    return this.#errors.lines;
  }

  /** Begins to read stdout, for a server started with `reads: false`. */
  read(): void {
    this.#pumps.push(this.#output.fill(this.#child.stdout));
  }

  /** Completes the handshake. */
  async initialize(revision: string = INITIALIZE.protocolVersion): Promise<void> {
    await this.request("initialize", { ...INITIALIZE, protocolVersion: revision }, "initialize");
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Sends one message, or text as it is with a line feed behind. */
  async send(message: object | string): Promise<void> {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    await this.sendBytes(new TextEncoder().encode(`${text}\n`));
  }

  /** Sends bytes as they are. */
  async sendBytes(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** Sends a request and waits for its answer. */
  async request(method: string, params: object, id: number | string): Promise<Message> {
    await this.send({ jsonrpc: "2.0", id, method, params });
    return await this.answer(id);
  }

  /** Calls a tool and waits for the answer. */
  call(name: string, given: object, id: number | string): Promise<Message> {
    return this.request("tools/call", { name, arguments: given }, id);
  }

  /** Proves that the server still answers. */
  async ping(id: number | string): Promise<void> {
    const { result } = await this.request("ping", {}, id);
    if (JSON.stringify(result) !== "{}") throw new Error(`No pong to "${id}"`);
  }

  /** The answer to a request, now or when it comes. */
  answer(id: number | string): Promise<Message> {
    return this.message((message) => message.id === id && message.method === undefined);
  }

  /** The first message that fits, now or when it comes. */
  async message(fits: (message: Message) => boolean): Promise<Message> {
    return await this.#output.find((line, index) => {
      const message = this.#messages[index] ??= parseChecked(line);
      return fits(message) ? message : undefined;
    });
  }

  /** Waits until the fixture has marked this word `count` times. */
  async marked(word: string, count = 1): Promise<void> {
    let missing = count;
    await this.#errors.find((line) => {
      if (line === JSON.stringify({ mark: word })) missing -= 1;
      return missing === 0 ? line : undefined;
    });
  }

  /** The first line of the log about an event, now or when it comes. */
  async logged(event: string): Promise<Readonly<Record<string, unknown>>> {
    return await this.#errors.find((line) => {
      const fields: Record<string, unknown> = line.startsWith("{") ? JSON.parse(line) : {};
      return fields.event === event ? fields : undefined;
    });
  }

  /** Closes the server's stdin. */
  async closeInput(): Promise<void> {
    await this.#writer.close();
  }

  /** Closes the reading end of the server's stdout; only for a server started with `reads: false`. */
  async closeOutput(): Promise<void> {
    await this.#child.stdout.cancel();
  }

  /** Sends a signal, if the process still runs. */
  kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Waits for the end of the process and of its output. Checks every line once more. */
  async ended(): Promise<ServerEnd> {
    const { code, signal } = await this.#child.status;
    await Promise.all(this.#pumps);
    for (const line of this.lines) parseChecked(line);
    return { code, signal };
  }

  /** The most memory the process ever held, in MiB, as the kernel counts it. */
  async peakMib(): Promise<number> {
    // Deno opens files below /proc only for programs that hold every permission, so `cat` does.
    const output = await new Deno.Command("cat", { args: [`/proc/${this.pid}/status`] }).output();
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(new TextDecoder().decode(output.stdout))?.[1];
    if (kib === undefined) throw new Error("Cannot read the memory of the server");
    return Number(kib) / 1024;
  }

  /** Kills what still runs and takes back every resource. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#killer);
    this.kill("SIGKILL");
    await this.#writer.abort().catch(() => {});
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (!stream.locked) await stream.cancel();
    }
    await this.#child.status;
    await Promise.all(this.#pumps);
  }
}

function parseChecked(line: string): Message {
  const fault = findMessageFault(line);
  if (fault !== undefined) throw new Error(`Stray output, ${fault}: ${line.slice(0, 300)}`);
  return JSON.parse(line);
}

/** Lines as they arrive, each looked at once by whoever waits. */
class LineQueue {
  readonly lines: string[] = [];
  readonly #name: string;
  #arrival = Promise.withResolvers<void>();
  #ended = false;

  constructor(name: string) {
    this.#name = name;
  }

  async fill(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let rest = "";
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      if (parts.length === 0) continue;
      for (const part of parts) this.lines.push(part);
      this.#wake();
    }
    if (rest !== "") this.lines.push(rest);
    this.#ended = true;
    this.#wake();
  }

  /** The first thing found in the lines, from the first one on. */
  async find<Found>(look: (line: string, index: number) => Found | undefined): Promise<Found> {
    for (let index = 0;; index++) {
      while (index >= this.lines.length) {
        if (this.#ended) {
          throw new Error(`The server's ${this.#name} ended before what was awaited`);
        }
        await this.#arrival.promise;
      }
      const found = look(this.lines[index] ?? "", index);
      if (found !== undefined) return found;
    }
  }

  #wake(): void {
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers<void>();
  }
}

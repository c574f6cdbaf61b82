// One server under load: started, initialized, loaded through its pipes, measured, ended.

import { INITIALIZE, INITIALIZED, type Load } from "./load.ts";
import type { Server } from "./servers.ts";

const LINE_FEED = 10;

/** Large enough that writes are rare against messages, small enough that none waits for all. */
const WRITE_BYTES = 262_144;

/** A server that lives longer hangs: it is killed, its pipes end, and the benchmark fails. */
const LIFETIME_MS = 300_000;

/** Time to end by itself once its stdin is closed. */
const END_GRACE_MS = 2_000;

/** What one load took, and the bytes that came back, to be checked when no clock runs. */
export interface PipelinedRun {
  readonly elapsedMs: number;
  readonly replies: readonly Uint8Array[];
}

/** The latency of each call of a load sent one by one, and the bytes that came back. */
export interface SequentialRun {
  readonly latenciesMs: readonly number[];
  readonly replies: readonly Uint8Array[];
}

/** Resident memory of a process as the kernel counts it. */
export interface Memory {
  readonly residentMib: number;
  readonly peakMib: number;
}

/** A server process; `await using` ends it. */
export class ServerProcess implements AsyncDisposable {
  readonly #server: Server;
  readonly #child: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  /** Starts the server. */
  constructor(server: Server) {
    this.#server = server;
    this.#child = new Deno.Command(server.program, {
      args: [...server.args],
      cwd: server.cwd,
      stdin: "piped",
      stdout: "piped",
      signal: AbortSignal.timeout(LIFETIME_MS),
    }).spawn();
    this.#reader = this.#child.stdout.getReader();
    this.#writer = this.#child.stdin.getWriter();
  }

  /**
   * Opens the handshake; resolves when the reply to `initialize` is there.
   *
   * @throws {Error} when the server ends or refuses instead.
   */
  async initialize(): Promise<void> {
    await this.#writer.write(INITIALIZE);
    const reply = new TextDecoder().decode((await this.#readLines(1))[0]);
    if (!reply.includes('"serverInfo"')) {
      throw new Error(`Server "${this.#server.name}" refused initialize: ${reply}`);
    }
  }

  /** Completes the handshake. */
  async confirm(): Promise<void> {
    await this.#writer.write(INITIALIZED);
  }

  /** Writes a whole load as fast as the pipe takes it while reading the replies. */
  async runPipelined(load: Load): Promise<PipelinedRun> {
    const begin = performance.now();
    const [replies] = await Promise.all([this.#readLines(load.count), this.#write(load.bytes)]);
    return { elapsedMs: performance.now() - begin, replies };
  }

  /** Sends a load line by line, each after the reply to the one before. */
  async runSequential(load: Load): Promise<SequentialRun> {
    const latenciesMs: number[] = [];
    const replies: Uint8Array[] = [];
    for (let start = 0; start < load.bytes.length;) {
      const end = load.bytes.indexOf(LINE_FEED, start) + 1;
      const begin = performance.now();
      await this.#writer.write(load.bytes.subarray(start, end));
      const reply = await this.#readLines(1);
      latenciesMs.push(performance.now() - begin);
      replies.push(...reply);
      start = end;
    }
    return { latenciesMs, replies };
  }

  /** Reads how much memory the server holds now and held at most. */
  async readMemory(): Promise<Memory> {
    // Deno opens files below /proc only for programs that hold every permission, so `cat` does.
    const output = await new Deno.Command("cat", { args: [`/proc/${this.#child.pid}/status`] })
      .output();
    const status = new TextDecoder().decode(output.stdout);
    return { residentMib: parseMib(status, "VmRSS"), peakMib: parseMib(status, "VmHWM") };
  }

  /** Closes the server's stdin, waits for its end, and kills it when that does not come. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_GRACE_MS);
    try {
      // Closing and cancelling fail when the server is gone already, which is what they are for.
      await Promise.allSettled([this.#writer.close(), this.#reader.cancel()]);
      await this.#child.status;
    } finally {
      clearTimeout(timer);
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += WRITE_BYTES) {
      await this.#writer.write(bytes.subarray(start, start + WRITE_BYTES));
    }
  }

  async #readLines(count: number): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      const { done, value } = await this.#reader.read();
      if (done) {
        throw new Error(`Server "${this.#server.name}" ended with ${missing} replies to come`);
      }
      chunks.push(value);
      missing -= countLines(value);
    }
    return chunks;
  }
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function parseMib(status: string, field: string): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kib === undefined) throw new Error(`Cannot read "${field}" of the server: this needs Linux`);
  return Number(kib) / 1024;
}

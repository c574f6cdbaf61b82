// The byte pair between a test client and a server: in this process through memory, or a real process.

import { type Gateway, serveLines } from "../../mod.ts";
import type { ByteSink, ByteSource } from "../../src/transport/bytes.ts";
import { readLines } from "../../src/transport/lines.ts";

/** The client's end of a connection. */
export interface Link extends AsyncDisposable {
  /** Hands bytes to the server. */
  write(bytes: Uint8Array): Promise<void>;
  /** Tells the server that no more bytes come. */
  end(): Promise<void>;
  /** The lines that the server sends, until it has ended. */
  lines(): AsyncIterable<string>;
  /** How the server ended: its exit code, 0 in this process. */
  readonly ended: Promise<number>;
  /** What the server wrote to stderr so far. */
  stderr(): string;
}

/** More than any message of a server under test. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** How long a process may take to end once its input has. */
const EXIT_MS = 10_000;

/** The root of the repository, where programs are run. */
const ROOT = new URL("../../", import.meta.url);

/** Serves a gateway in this process; ends with the gateway's disposal. */
export function serveInMemory(
  gateway: Gateway,
  options: { readonly splitBatches?: boolean; readonly stderr?: () => string } = {},
): Link {
  const input = new MemoryPipe();
  const output = new MemoryPipe();
  const stop = new AbortController();
  const ended = serve();
  return {
    write: async (bytes) => void await input.write(bytes),
    end: () => Promise.resolve(input.end()),
    lines: () => lines(output),
    ended,
    stderr: options.stderr ?? (() => ""),
    async [Symbol.asyncDispose]() {
      input.end();
      stop.abort();
      await ended;
      await gateway[Symbol.asyncDispose]();
    },
  };

  async function serve(): Promise<number> {
    try {
      await serveLines(gateway, { ...options, input, output, signal: stop.signal });
    } finally {
      output.end();
    }
    return 0;
  }
}

/** Runs `deno` with these arguments at the root of the repository; needs run permission for "deno" alone. */
export function spawnServer(args: readonly string[]): Link {
  const child = new Deno.Command("deno", {
    args: [...args],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdin = child.stdin.getWriter();
  const stdout = child.stdout.getReader();
  const decoder = new TextDecoder();
  let stderr = "";
  let closed: Promise<void> | undefined;
  const drained = child.stderr.pipeTo(
    new WritableStream({
      write: (chunk) => void (stderr += decoder.decode(chunk, { stream: true })),
    }),
  );
  const ended = Promise.all([child.status, drained]).then(([{ code }]) => code);
  // A server that has left already no longer takes the end of its input; that is its right.
  const end = () => closed ??= stdin.close().catch(() => {});
  return {
    write: (bytes) => stdin.write(bytes),
    end,
    lines: () => lines(new StreamSource(stdout)),
    ended,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      await end();
      const timer = setTimeout(() => child.kill("SIGKILL"), EXIT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function* lines(source: ByteSource): AsyncGenerator<string> {
  for await (const group of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    for (const line of group) {
      if (typeof line !== "string") throw new TypeError(`The server sent no line: ${line.kind}`);
      yield line;
    }
  }
}

/** Bytes from one end to the other, unbounded: the test knows how much it sends. */
class MemoryPipe implements ByteSource, ByteSink {
  readonly #chunks: Uint8Array[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  #ended = false;

  write(bytes: Uint8Array): Promise<number> {
    if (this.#ended) return Promise.reject(new Deno.errors.BrokenPipe("The pipe has ended"));
    this.#chunks.push(bytes.slice());
    this.#waiting?.resolve();
    return Promise.resolve(bytes.length);
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.resolve();
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    while (this.#chunks.length === 0) {
      if (this.#ended) return null;
      this.#waiting = Promise.withResolvers<void>();
      await this.#waiting.promise;
    }
    return takeFrom(this.#chunks, buffer);
  }
}

/** A stream's reader as a source of bytes. */
class StreamSource implements ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #chunks: Uint8Array[] = [];

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    if (this.#chunks.length === 0) {
      const { value } = await this.#reader.read();
      if (value === undefined) return null;
      this.#chunks.push(value);
    }
    return takeFrom(this.#chunks, buffer);
  }
}

function takeFrom(chunks: Uint8Array[], buffer: Uint8Array): number {
  const chunk = chunks.shift() ?? new Uint8Array();
  const taken = chunk.subarray(0, buffer.length);
  if (taken.length < chunk.length) chunks.unshift(chunk.subarray(taken.length));
  buffer.set(taken);
  return taken.length;
}

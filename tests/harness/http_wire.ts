// One TCP connection to a server: sends exactly the bytes it is told, and takes answers as they come.

import { withDeadline } from "./deadline.ts";

/** How an answer begins. */
export interface AnswerHead {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A whole answer. */
export interface WireAnswer extends AnswerHead {
  readonly body: string;
}

/** The lines of a request's head; a body gets its length unless the headers say another. */
export interface RequestParts {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const encoder = new TextEncoder();

/** A request as bytes; only what it is told, and a length. */
export function toRequestBytes(parts: RequestParts): Uint8Array {
  const { method = "POST", target = "/mcp", headers = {}, body = "" } = parts;
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (bytes.length > 0) lines.push(`Content-Length: ${bytes.length}\r\n`);
  const head = encoder.encode(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

/** A server on a port of this machine, wherever it runs. */
export class HttpPort {
  /** Where it listens. */
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Sends a request on a connection of its own; `Host` is right unless given. */
  async ask(parts: RequestParts): Promise<WireAnswer> {
    using wire = await HttpWire.connect(this.port);
    return await wire.ask(this.complete(parts));
  }

  /** Sends a request and hands out the connection behind the head of the answer. */
  async open(parts: RequestParts): Promise<AnswerHead & { readonly wire: HttpWire }> {
    const wire = await HttpWire.connect(this.port);
    try {
      await wire.write(toRequestBytes(this.complete(parts)));
      return { ...await wire.head(), wire };
    } catch (error) {
      wire[Symbol.dispose]();
      throw error;
    }
  }

  /** The request with a right `Host`, unless it has one. */
  complete(parts: RequestParts): RequestParts {
    return { ...parts, headers: { Host: `127.0.0.1:${this.port}`, ...parts.headers } };
  }
}

/** The client's end of a connection. */
export class HttpWire implements Disposable {
  readonly #conn: Deno.TcpConn;
  readonly #room = new Uint8Array(64 * 1024);
  #bytes = new Uint8Array(0);
  #hasEnded = false;

  /** Takes over a connection. */
  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
  }

  /** Connects to a port of this machine. */
  static async connect(port: number): Promise<HttpWire> {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    conn.setNoDelay(true);
    return new HttpWire(conn);
  }

  /** Sends a request and takes its answer. */
  async ask(parts: RequestParts): Promise<WireAnswer> {
    await this.write(toRequestBytes(parts));
    return await this.answer(parts.method === "HEAD");
  }

  /** Sends bytes; false when the server takes no more. */
  async write(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let rest = bytes; rest.length > 0;) {
        rest = rest.subarray(await withDeadline(this.#conn.write(rest), () => "A write hangs"));
      }
      return true;
    } catch (error) {
      if (isReset(error)) return false;
      throw error;
    }
  }

  /** The next whole answer. */
  async answer(isHead = false): Promise<WireAnswer> {
    const head = await this.head();
    return { ...head, body: isHead ? "" : await this.body(head) };
  }

  /** The next head of an answer, one that only says "go on" aside. */
  async head(): Promise<AnswerHead> {
    const end = await this.#find("\r\n\r\n");
    const [statusLine = "", ...lines] = this.#take(end + 4).trimEnd().split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3}) [\w ]*$/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
    if (status === "100") return await this.head();
    const headers = new Map(lines.map((line) => {
      const [, name, value] = /^([a-z-]+): (.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Not a header field: ${JSON.stringify(line)}`);
      return [name, value ?? ""];
    }));
    return { status: Number(status), headers };
  }

  /** The body of an answer to its end. */
  async body({ status, headers }: AnswerHead): Promise<string> {
    if (status === 204) return "";
    const length = headers.get("content-length");
    if (length !== undefined) return await this.#takeMany(Number(length));
    let body = "";
    for (let chunk = await this.chunk(); chunk !== undefined; chunk = await this.chunk()) {
      body += chunk;
    }
    return body;
  }

  /** The next chunk of a body that is sent as it comes; `undefined` behind the last. */
  async chunk(): Promise<string | undefined> {
    const line = this.#take(await this.#find("\r\n") + 2);
    const size = Number.parseInt(line, 16);
    if (!/^[0-9a-f]+\r\n$/.test(line)) throw new Error(`Not a chunk: ${JSON.stringify(line)}`);
    const text = await this.#takeMany(size);
    if (await this.#takeMany(2) !== "\r\n") throw new Error("A chunk does not end where it should");
    return size === 0 ? undefined : text;
  }

  /** What still comes until the server ends the connection. */
  async rest(): Promise<string> {
    while (await this.#more());
    return this.#take(this.#bytes.length);
  }

  /** Closes the connection, as a client does that has lost interest. */
  [Symbol.dispose](): void {
    try {
      this.#conn.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  async #find(mark: string): Promise<number> {
    const bytes = encoder.encode(mark);
    for (let from = 0;;) {
      const at = indexOf(this.#bytes, bytes, from);
      if (at >= 0) return at;
      from = Math.max(0, this.#bytes.length - bytes.length);
      if (!await this.#more()) throw new Error(`The answer ended early: ${this.#show()}`);
    }
  }

  async #takeMany(length: number): Promise<string> {
    while (this.#bytes.length < length) {
      if (!await this.#more()) throw new Error(`The answer ended early: ${this.#show()}`);
    }
    return this.#take(length);
  }

  #take(length: number): string {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(this.#bytes.subarray(0, length));
    this.#bytes = this.#bytes.subarray(length);
    return text;
  }

  async #more(): Promise<boolean> {
    if (this.#hasEnded) return false;
    try {
      const reading = this.#conn.read(this.#room);
      const count = await withDeadline(reading, () => `Nothing came after ${this.#show()}`);
      if (count === null) this.#hasEnded = true;
      else this.#append(this.#room.subarray(0, count));
    } catch (error) {
      if (!isReset(error)) throw error;
      this.#hasEnded = true;
    }
    return !this.#hasEnded;
  }

  #append(bytes: Uint8Array): void {
    const whole = new Uint8Array(this.#bytes.length + bytes.length);
    whole.set(this.#bytes);
    whole.set(bytes, this.#bytes.length);
    this.#bytes = whole;
  }

  #show(): string {
    return JSON.stringify(new TextDecoder().decode(this.#bytes.subarray(0, 500)));
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array, from: number): number {
  const first = mark[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (mark.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function isReset(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof Deno.errors.BrokenPipe;
}

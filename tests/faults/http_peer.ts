// A server with a handler that the test leads, and a client that sends exactly the bytes it is told.

import { assertEquals } from "@std/assert";
import type {
  HttpAnswer,
  HttpHandler,
  HttpHead,
  HttpLimits,
  HttpReply,
  HttpServer,
} from "../../src/transport/http.ts";
import { listenHttp } from "../../src/transport/http_server.ts";
import { withDeadline } from "../harness/deadline.ts";
import { toBytes } from "../harness/http_samples.ts";

/** A request that waits for the test to answer it. */
export interface HeldRequest {
  readonly head: HttpHead;
  readonly body: string | undefined;
  readonly reply: HttpReply;
}

/** Frozen, as fields of answers are that come again and again. */
const PLAIN = Object.freeze({ "content-type": "text/plain" });

/**
 * A server that echoes method, path and body; says much for `/large`; refuses `/refused` by its head; and holds what
 * begins with `/held` until the test answers.
 */
export class Host implements AsyncDisposable, HttpHandler {
  readonly server: HttpServer;
  readonly #held: HeldRequest[] = [];
  readonly #waiting: ((request: HeldRequest) => void)[] = [];
  /** Paths that were screened. */
  readonly screened: string[] = [];
  /** Statuses of what the server has refused itself. */
  readonly refusals: number[] = [];

  constructor(limits: Partial<HttpLimits> = {}) {
    this.server = listenHttp({ hostname: "127.0.0.1", port: 0, handler: this, limits });
  }

  screen(head: HttpHead): HttpAnswer | undefined {
    this.screened.push(head.path);
    if (head.path === "/throw/early") throw new Error("broken handler");
    if (head.path === "/unwritable") return { status: 401, headers: { "www-authenticate": "\n" } };
    return head.path === "/refused" ? { status: 403, body: "no" } : undefined;
  }

  handle(head: HttpHead, body: string | undefined, reply: HttpReply): void {
    if (head.path === "/throw") throw new Error("broken handler");
    if (head.path === "/large") {
      reply.answer({ status: 200, headers: PLAIN, body: "x".repeat(100_000) });
      return;
    }
    if (!head.path.startsWith("/held")) {
      const text = `${head.method} ${head.path} ${body === undefined ? "not UTF-8" : body}`;
      reply.answer({ status: 200, headers: PLAIN, body: text });
      return;
    }
    const request = { head, body, reply };
    const take = this.#waiting.shift();
    if (take === undefined) this.#held.push(request);
    else take(request);
  }

  refused(status: number): void {
    this.refusals.push(status);
  }

  /** The next request for a path that begins with `/held`. */
  next(): Promise<HeldRequest> {
    const { promise, resolve } = Promise.withResolvers<HeldRequest>();
    const held = this.#held.shift();
    if (held === undefined) this.#waiting.push(resolve);
    else resolve(held);
    return withDeadline(promise, () => "No request came");
  }

  /** A new connection to it. */
  connect(): Promise<Peer> {
    return Peer.connect(this.server.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server[Symbol.dispose]();
    await withDeadline(this.server.closed, () => "The server did not close");
    assertEquals(this.server.connections, 0);
  }
}

/** An answer as it came over the wire; bodies as one character a byte. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One end of a TCP connection. */
export class Peer implements Disposable {
  readonly #conn: Deno.TcpConn;
  readonly #buffer = new Uint8Array(65_536);
  #text = "";
  #hasEnded = false;

  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
  }

  /** Connects to a port of this machine. */
  static async connect(port: number): Promise<Peer> {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    conn.setNoDelay(true);
    return new Peer(conn);
  }

  /** Sends text of one character a byte; false when the server takes no more. */
  async send(text: string): Promise<boolean> {
    return await this.sendBytes(toBytes(text));
  }

  /** Sends bytes; false when the server takes no more. */
  async sendBytes(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let rest = bytes; rest.length > 0;) {
        rest = rest.subarray(await withDeadline(this.#conn.write(rest), () => "A write hangs"));
      }
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe || isReset(error)) return false;
      throw error;
    }
  }

  /** Says that nothing more will be sent. */
  async endSending(): Promise<void> {
    try {
      await this.#conn.closeWrite();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotConnected)) throw error;
    }
  }

  /** The next answer; without its body when that was asked with HEAD. */
  async answer(options: { readonly isHead?: boolean } = {}): Promise<WireAnswer> {
    const headEnd = await this.#find("\r\n\r\n");
    const [statusLine = "", ...lines] = this.#take(headEnd + 4).trimEnd().split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3}) [\w ]*$/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
    const headers = new Map(lines.map((line) => {
      const [, name, value] = /^([a-z-]+): (.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Not a header field: ${JSON.stringify(line)}`);
      return [name, value ?? ""];
    }));
    const isBodiless = options.isHead === true || status === "204" || status === "100";
    return {
      status: Number(status),
      headers,
      body: isBodiless ? "" : await this.#body(headers),
    };
  }

  /** Sends a request and takes its answer. */
  async ask(text: string, options: { readonly isHead?: boolean } = {}): Promise<WireAnswer> {
    await this.send(text);
    return await this.answer(options);
  }

  /** Takes so many characters more. */
  async take(length: number): Promise<string> {
    while (this.#text.length < length) {
      if (!await this.#more()) throw new Error(`Only ${JSON.stringify(this.#text)} came`);
    }
    return this.#take(length);
  }

  /** What still comes until the server ends the connection. */
  async rest(): Promise<string> {
    while (await this.#more());
    return this.#take(this.#text.length);
  }

  close(): void {
    this.#conn.close();
  }

  [Symbol.dispose](): void {
    try {
      this.#conn.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<string> {
    const length = headers.get("content-length");
    if (length !== undefined) return await this.take(Number(length));
    if (headers.get("transfer-encoding") !== "chunked") return await this.rest();
    let body = "";
    for (;;) {
      const line = this.#take(await this.#find("\r\n") + 2);
      const size = Number.parseInt(line, 16);
      body += await this.take(size);
      assertEquals(await this.take(2), "\r\n");
      if (size === 0) return body;
    }
  }

  async #find(mark: string): Promise<number> {
    for (;;) {
      const at = this.#text.indexOf(mark);
      if (at !== -1) return at;
      if (!await this.#more()) throw new Error(`No answer, only ${JSON.stringify(this.#text)}`);
    }
  }

  #take(length: number): string {
    const text = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return text;
  }

  async #more(): Promise<boolean> {
    if (this.#hasEnded) return false;
    try {
      const reading = this.#conn.read(this.#buffer);
      const count = await withDeadline(reading, () => `Nothing came after ${this.#text}`);
      if (count === null) {
        this.#hasEnded = true;
        return false;
      }
      for (const byte of this.#buffer.subarray(0, count)) this.#text += String.fromCharCode(byte);
      return true;
    } catch (error) {
      if (!isReset(error)) throw error;
      this.#hasEnded = true;
      return false;
    }
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted;
}

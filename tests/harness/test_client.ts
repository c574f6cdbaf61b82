// A small MCP client for tests. It sends raw lines or messages, judges every message it receives with the oracle, and
// never waits for ever: each wait has a deadline that tells what was received instead.

import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import { withDeadline } from "./deadline.ts";
import type { SchemaRevision } from "./definitions.ts";
import type { Link } from "./link.ts";
import { Ledger } from "./ledger.ts";
import type { Oracle } from "./oracle.ts";

/** A message as it came. */
export type Received = JsonObject;

/** How a client is opened. */
export interface ClientOptions {
  /** The revision spoken by `request` and `call`; 2026-07-28 adds the metadata, older ones need `initialize`. */
  readonly revision?: SchemaRevision;
  /** What the client says it can do. */
  readonly capabilities?: JsonObject;
  /** Answers requests of the server by method; a missing one is left without an answer. */
  readonly answers?: Readonly<Record<string, (params: JsonObject) => JsonValue>>;
}

const PREFIX = "io.modelcontextprotocol/";

interface Waiter {
  readonly matches: (message: Received) => boolean;
  readonly found: PromiseWithResolvers<Received>;
}

/** One client; ends its server when disposed, and then reports what the oracle found. */
export class TestClient implements AsyncDisposable {
  /** Everything received, in order; the answers of a batch one by one. */
  readonly received: Received[] = [];
  /** Every line received, in order. */
  readonly lines: string[] = [];
  readonly #link: Link;
  readonly #ledger: Ledger;
  readonly #options: ClientOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #reading: Promise<void>;
  /** High, so that ids which tests choose themselves stay free. */
  #nextId = 1000;
  #fault: Error | undefined;
  /** Whether a wait has failed with the fault already. */
  #told = false;
  /** Why nothing more can be waited for. */
  #over: Error | undefined;

  /** Starts reading. */
  constructor(link: Link, oracle: Oracle, options: ClientOptions) {
    this.#link = link;
    this.#ledger = new Ledger(oracle);
    this.#options = options;
    this.#reading = this.#read();
  }

  /** How the server ended: its exit code. */
  get ended(): Promise<number> {
    return withDeadline(this.#link.ended, () => "The server did not end");
  }

  /** What the server wrote to stderr so far; of a gateway in this process, its log. */
  get stderr(): string {
    return this.#link.stderr();
  }

  /** Notifications received so far, all or of one method. */
  notifications(method?: string): Received[] {
    return this.received.filter((message) =>
      message.id === undefined && typeof message.method === "string" &&
      (method === undefined || message.method === method)
    );
  }

  /** Answers received so far for an id, by type and value. */
  responses(id: JsonValue | undefined): Received[] {
    return this.received.filter((message) => message.method === undefined && message.id === id);
  }

  /** Sends bytes or text as they are; a line feed is added to text. */
  async sendLine(line: string | Uint8Array): Promise<void> {
    const bytes = typeof line === "string" ? new TextEncoder().encode(`${line}\n`) : line;
    if (typeof line === "string") this.#ledger.note(line);
    await this.#link.write(bytes);
  }

  /** Sends a message as it is. */
  async send(message: JsonValue): Promise<void> {
    await this.sendLine(JSON.stringify(message));
  }

  /** Sends a notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.send({ jsonrpc: "2.0", method, params });
  }

  /** Sends a request, with metadata if the revision wants it, and tells its id. */
  async post(
    method: string,
    params: JsonObject = {},
    id: string | number = ++this.#nextId,
  ): Promise<string | number> {
    const full = this.#options.revision === "2026-07-28" ? this.withMeta(params) : params;
    await this.send({ jsonrpc: "2.0", id, method, params: full });
    return id;
  }

  /** Sends a request and waits for its answer: the whole response, result or error. */
  async request(
    method: string,
    params: JsonObject = {},
    id: string | number = ++this.#nextId,
  ): Promise<Received> {
    const before = this.responses(id).length;
    await this.post(method, params, id);
    await this.waitFor(
      () => this.responses(id).length > before,
      `an answer to "${method}" (${JSON.stringify(id)})`,
    );
    return this.responses(id)[before] ?? {};
  }

  /** Sends a request and returns its result. */
  async result(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const { result, error } = await this.request(method, params);
    if (!isObject(result)) throw new TypeError(`"${method}" failed: ${JSON.stringify(error)}`);
    return result;
  }

  /** Sends a request and returns its error. */
  async error(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const { result, error } = await this.request(method, params);
    if (!isObject(error)) throw new TypeError(`"${method}" succeeded: ${JSON.stringify(result)}`);
    return error;
  }

  /** Calls a tool and returns its result. */
  async call(name: string, given?: JsonObject, params: JsonObject = {}): Promise<JsonObject> {
    return await this.result("tools/call", { name, arguments: given, ...params });
  }

  /** Performs the handshake of the client's revision; nothing on the stateless wire. */
  async open(): Promise<this> {
    const revision = this.#options.revision ?? "2025-11-25";
    if (revision === "2026-07-28") return this;
    await this.result("initialize", this.initializeParams(revision));
    await this.notify("notifications/initialized");
    return this;
  }

  /** The parameters of `initialize`. */
  initializeParams(protocolVersion: string): JsonObject {
    return {
      protocolVersion,
      capabilities: this.#options.capabilities ?? {},
      clientInfo: { name: "test", version: "1.0.0" },
    };
  }

  /** Parameters with the metadata of the stateless wire; what they have already wins. */
  withMeta(params: JsonObject = {}): JsonObject {
    const given = isObject(params._meta) ? params._meta : {};
    return {
      ...params,
      _meta: {
        [`${PREFIX}protocolVersion`]: "2026-07-28",
        [`${PREFIX}clientCapabilities`]: this.#options.capabilities ?? {},
        [`${PREFIX}clientInfo`]: { name: "test", version: "1.0.0" },
        ...given,
      },
    };
  }

  /** Waits for a message that is there already or still comes. */
  async waitFor(matches: (message: Received) => boolean, what: string): Promise<Received> {
    return this.received.find(matches) ?? await this.#wait(matches, what);
  }

  /** Waits for a number of notifications of a method. */
  async waitForNotifications(method: string, count = 1): Promise<Received[]> {
    if (this.notifications(method).length < count) {
      await this.#wait(
        () => this.notifications(method).length >= count,
        `${count} of "${method}"`,
      );
    }
    return this.notifications(method);
  }

  /** Waits until the server has worked on every line sent before. */
  async settle(): Promise<void> {
    const id = `settle-${++this.#nextId}`;
    const stateless = this.#options.revision === "2026-07-28";
    await this.request(stateless ? "server/discover" : "ping", {}, id);
  }

  /** Ends the input and waits until the server has ended: nothing can be received afterwards. */
  async close(): Promise<number> {
    await this.#link.end();
    const code = await this.ended;
    await withDeadline(this.#reading, () => "The server's output did not end");
    return code;
  }

  /** Ends the server. @throws OracleError when it ever sent what its revision does not allow. */
  async [Symbol.asyncDispose](): Promise<void> {
    await withDeadline(this.#link[Symbol.asyncDispose](), () => "The server cannot be ended");
    await this.#reading;
    if (this.#fault !== undefined && !this.#told) throw this.#fault;
  }

  #wait(matches: (message: Received) => boolean, what: string): Promise<Received> {
    if (this.#over !== undefined) {
      this.#told = true;
      return Promise.reject(this.#over);
    }
    const waiter = { matches, found: Promise.withResolvers<Received>() };
    this.#waiters.add(waiter);
    return withDeadline(waiter.found.promise, () => this.#complain(what))
      .finally(() => this.#waiters.delete(waiter));
  }

  #complain(what: string): string {
    const tail = this.lines.slice(-5).map((line) => line.slice(0, 300)).join("\n  ");
    return `Waited in vain for ${what}; the last lines were:\n  ${tail}\n${this.stderr}`;
  }

  /** Reads to the end whatever comes: a server that cannot write would not end. */
  async #read(): Promise<void> {
    for await (const line of this.#link.lines()) {
      try {
        await this.#take(line);
      } catch (error) {
        this.#fault ??= error instanceof Error ? error : new Error(String(error));
        this.#giveUp(this.#fault);
      }
    }
    this.#giveUp(this.#fault ?? new Error(`The server has ended\n${this.stderr}`));
  }

  #giveUp(reason: Error): void {
    this.#over = reason;
    if (this.#waiters.size > 0) this.#told = true;
    for (const { found } of this.#waiters) found.reject(reason);
  }

  async #take(line: string): Promise<void> {
    this.lines.push(line);
    for (const message of this.#ledger.judge(line)) {
      this.received.push(message);
      for (const { matches, found } of this.#waiters) if (matches(message)) found.resolve(message);
      await this.#answer(message);
    }
  }

  async #answer(message: Received): Promise<void> {
    if (typeof message.method !== "string" || message.id === undefined) return;
    const answer = this.#options.answers?.[message.method];
    if (answer === undefined) return;
    const result = answer(isObject(message.params) ? message.params : {});
    await this.send({ jsonrpc: "2.0", id: message.id, result });
  }
}

// An MCP client over HTTP for tests: every message it receives is judged by the oracle, whatever stream it comes on.

import { assertEquals } from "@std/assert";
import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import type { SchemaRevision } from "./definitions.ts";
import { type ServerEvent, splitEvents } from "./events.ts";
import type { AnswerHead, HttpPort, HttpWire, RequestParts } from "./http_wire.ts";
import { Ledger } from "./ledger.ts";
import { getOracle, type Oracle } from "./oracle.ts";

/** How a client is opened. */
export interface HttpClientOptions {
  readonly revision: SchemaRevision;
  readonly capabilities?: JsonObject;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What one request does differently. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
}

/** Where a client sends its requests. */
export type HttpServerPort = Pick<HttpPort, "open">;

const PREFIX = "io.modelcontextprotocol/";
const BOTH = "application/json, text/event-stream";

/** The revisions of Streamable HTTP that have sessions. */
export const SESSION_REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"] as const;

/** The revisions of Streamable HTTP. */
export const HTTP_REVISIONS = [...SESSION_REVISIONS, "2026-07-28"] as const;

/** One client, of one session where its revision has sessions. */
export class HttpClient {
  /** What names the session, once it is open. */
  session: string | undefined;
  readonly revision: SchemaRevision;
  readonly #host: HttpServerPort;
  readonly #ledger: Ledger;
  readonly #options: HttpClientOptions;
  #nextId = 1000;

  constructor(host: HttpServerPort, oracle: Oracle, options: HttpClientOptions) {
    this.#host = host;
    this.#ledger = new Ledger(oracle);
    this.#options = options;
    this.revision = options.revision;
  }

  /** A client before its handshake. */
  static async create(host: HttpServerPort, options: HttpClientOptions): Promise<HttpClient> {
    return new HttpClient(host, await getOracle(), options);
  }

  /** A client behind its handshake; the stateless wire has none. */
  static async open(host: HttpServerPort, options: HttpClientOptions): Promise<HttpClient> {
    const client = await HttpClient.create(host, options);
    return options.revision === "2026-07-28" ? client : await client.shakeHands();
  }

  /** Whether it speaks the wire without sessions. */
  get isStateless(): boolean {
    return this.revision === "2026-07-28";
  }

  /** The same client at another server. */
  moveTo(host: HttpServerPort, oracle: Oracle): HttpClient {
    const moved = new HttpClient(host, oracle, this.#options);
    moved.session = this.session;
    moved.#ledger.adopt(this.#ledger);
    return moved;
  }

  /** Opens the session. */
  async shakeHands(): Promise<this> {
    using initialized = await this.post("initialize", this.initializeParams());
    assertEquals(initialized.status, 200);
    await initialized.answer();
    this.session = initialized.headers.get("mcp-session-id");
    using noted = await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    assertEquals(noted.status, 202);
    return this;
  }

  /** The parameters of `initialize`. */
  initializeParams(): JsonObject {
    return {
      protocolVersion: this.revision,
      capabilities: this.#options.capabilities ?? {},
      clientInfo: { name: "test", version: "1.0.0" },
    };
  }

  /** A request, with metadata if the revision wants it. */
  request(method: string, params: JsonObject = {}, id: number | string = ++this.#nextId) {
    const given = isObject(params._meta) ? params._meta : {};
    const meta = {
      [`${PREFIX}protocolVersion`]: this.revision,
      [`${PREFIX}clientCapabilities`]: this.#options.capabilities ?? {},
      [`${PREFIX}clientInfo`]: { name: "test", version: "1.0.0" },
      ...given,
    };
    return {
      jsonrpc: "2.0",
      id,
      method,
      params: this.isStateless ? { ...params, _meta: meta } : params,
    };
  }

  /** Posts a request; hands out its answer as it comes. */
  async post(
    method: string,
    params: JsonObject = {},
    options: SendOptions & { readonly id?: number | string } = {},
  ): Promise<HttpExchange> {
    return await this.send(this.request(method, params, options.id), options);
  }

  /** Posts a request and takes its answer: the whole response, result or error. */
  async ask(method: string, params: JsonObject = {}, options: SendOptions = {}) {
    using exchange = await this.post(method, params, options);
    return await exchange.answer();
  }

  /** Posts a request and takes its result. */
  async result(method: string, params: JsonObject = {}, options: SendOptions = {}) {
    const { result, error } = await this.ask(method, params, options);
    if (!isObject(result)) throw new TypeError(`"${method}" failed: ${JSON.stringify(error)}`);
    return result;
  }

  /** Calls a tool and takes its result. */
  async call(name: string, given: JsonObject = {}, params: JsonObject = {}): Promise<JsonObject> {
    return await this.result("tools/call", { name, arguments: given, ...params });
  }

  /** Posts a notification. */
  async notify(method: string, params?: JsonObject): Promise<number> {
    using exchange = await this.send({ jsonrpc: "2.0", method, params });
    return exchange.status;
  }

  /** Answers a request of the server. */
  async respond(id: JsonValue | undefined, result: JsonObject): Promise<number> {
    using exchange = await this.send({ jsonrpc: "2.0", id, result });
    return exchange.status;
  }

  /** Posts any message. */
  async send(message: JsonValue, options: SendOptions = {}): Promise<HttpExchange> {
    const body = JSON.stringify(message);
    this.#ledger.note(body, this.isStateless ? "2026-07-28" : undefined);
    const headers = this.headersOf(isObject(message) ? message : {}, options);
    return await this.#open({ headers, body });
  }

  /** Sends exactly this; only what the body asks is remembered, to judge the answer. */
  async raw(parts: RequestParts): Promise<HttpExchange> {
    const { body } = parts;
    if (typeof body === "string") {
      this.#ledger.note(body, this.isStateless ? "2026-07-28" : undefined);
    }
    return await this.#open(parts);
  }

  /** Opens the stream that belongs to no request, or resumes one behind an event. */
  async listen(last?: string): Promise<HttpExchange> {
    const resumed = last === undefined ? {} : { "Last-Event-ID": last };
    const headers = this.headersOf({}, { accept: "text/event-stream", headers: resumed });
    return await this.#open({ method: "GET", headers });
  }

  /** Ends the session. */
  async end(): Promise<number> {
    using exchange = await this.#open({ method: "DELETE", headers: this.headersOf({}) });
    return exchange.status;
  }

  /** The headers of a request with this body. */
  headersOf(message: JsonObject, options: SendOptions = {}): Record<string, string> {
    const all: Record<string, string | undefined> = {
      Accept: options.accept ?? BOTH,
      "Content-Type": message.jsonrpc === undefined ? undefined : "application/json",
      ...this.#options.headers,
      ...this.#ofRevision(message),
      ...options.headers,
    };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as Record<string, string>;
  }

  #ofRevision(message: JsonObject): Record<string, string | undefined> {
    if (!this.isStateless) {
      const versioned = this.session !== undefined && this.revision >= "2025-06-18";
      return {
        "Mcp-Session-Id": this.session,
        "MCP-Protocol-Version": versioned ? this.revision : undefined,
      };
    }
    const params = isObject(message.params) ? message.params : {};
    const name = params.name ?? params.uri ?? params.taskId;
    return {
      "MCP-Protocol-Version": this.revision,
      "Mcp-Method": typeof message.method === "string" ? message.method : undefined,
      "Mcp-Name": typeof name === "string" ? name : undefined,
    };
  }

  async #open(parts: RequestParts): Promise<HttpExchange> {
    const { wire, ...head } = await this.#host.open(parts);
    return new HttpExchange(wire, head, this.#ledger);
  }
}

/** The answer to one request as it comes. */
export class HttpExchange implements Disposable {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Every event so far, comments too. */
  readonly events: ServerEvent[] = [];
  /** Every message so far. */
  readonly messages: JsonObject[] = [];
  readonly #wire: HttpWire;
  readonly #head: AnswerHead;
  readonly #ledger: Ledger;
  #text = "";
  #waiting: ServerEvent[] = [];

  constructor(wire: HttpWire, head: AnswerHead, ledger: Ledger) {
    this.#wire = wire;
    this.#head = head;
    this.#ledger = ledger;
    this.status = head.status;
    this.headers = head.headers;
  }

  /** Whether it is a stream of events. */
  get isStream(): boolean {
    return this.headers.get("content-type") === "text/event-stream";
  }

  /** The id of the last event that had one. */
  get lastId(): string | undefined {
    return this.events.findLast((event) => event.id !== undefined)?.id;
  }

  /** The next event of a stream; `undefined` behind the last. */
  async event(): Promise<ServerEvent | undefined> {
    while (this.#waiting.length === 0) {
      const chunk = await this.#wire.chunk();
      if (chunk === undefined) {
        assertEquals(this.#text, "", "a stream ends between events");
        return undefined;
      }
      const { events, rest } = splitEvents(this.#text + chunk);
      this.#text = rest;
      this.#waiting = events;
    }
    const event = this.#waiting.shift();
    if (event !== undefined) this.events.push(event);
    if (event?.event === "message") this.#judge(event.data ?? "");
    return event;
  }

  /** The next message of a stream; `undefined` behind the last. */
  async next(): Promise<JsonObject | undefined> {
    const before = this.messages.length;
    while (this.messages.length === before) {
      if (await this.event() === undefined) return undefined;
    }
    return this.messages[before];
  }

  /** Reads to the end. */
  async finish(): Promise<this> {
    if (this.isStream) {
      while (await this.event() !== undefined);
      return this;
    }
    const body = await this.#wire.body(this.#head);
    if (this.headers.get("content-type") === "application/json") this.#judge(body);
    else assertEquals(this.status < 400 && body !== "", false, "an answer is JSON");
    return this;
  }

  /** Reads to the end; the last message, which must be an answer. */
  async answer(): Promise<JsonObject> {
    await this.finish();
    const last = this.messages.at(-1);
    if (last === undefined || last.method !== undefined) {
      throw new Error(`No answer came: ${this.status} ${JSON.stringify(this.messages)}`);
    }
    return last;
  }

  /** Cuts the connection. */
  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
  }

  #judge(text: string): void {
    this.messages.push(...this.#ledger.judge(text, { refusal: this.status >= 400 }));
  }
}

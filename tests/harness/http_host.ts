// A gateway of this process that really listens, for tests over sockets.

import { assertEquals } from "@std/assert";
import { Metrics, type ServedHttp, serveHttp, type ServeHttpOptions } from "../../http.ts";
import { type Activation, createLog, Gateway, type GatewayOptions } from "../../mod.ts";
import { withDeadline } from "./deadline.ts";
import {
  type AnswerHead,
  HttpPort,
  type HttpWire,
  type RequestParts,
  type WireAnswer,
} from "./http_wire.ts";

/** How the gateway and its door are made. */
export interface HttpHostOptions extends Partial<Omit<ServeHttpOptions, "port" | "signal">> {
  readonly activations: readonly Activation[];
  /** Bounds of the gateway itself. */
  readonly core?: NonNullable<GatewayOptions["limits"]>;
  readonly store?: NonNullable<GatewayOptions["store"]>;
}

/** Ends what a test left running soon after the test. */
const GRACE_MS = 200;

/** A server on a port that the system chose; ends with the test. */
export class HttpHost implements AsyncDisposable {
  readonly metrics: Metrics;
  /** Lines of the server's log. */
  readonly log: string[] = [];
  readonly #gateway: Gateway;
  readonly #stop = new AbortController();
  readonly #service: ServedHttp;

  /** Starts to listen. */
  constructor({ activations, core, store = {}, metrics, ...options }: HttpHostOptions) {
    this.metrics = metrics ?? new Metrics();
    this.#gateway = new Gateway({
      server: { implementation: { name: "tested", version: "1.0.0" } },
      activations,
      limits: { graceMs: GRACE_MS, ...core },
      meter: this.metrics,
      store,
      log: createLog({ level: "debug", sink: (line) => void this.log.push(line) }),
    });
    this.#service = serveHttp(this.#gateway, {
      hostname: "127.0.0.1",
      metrics: this.metrics,
      ...options,
      port: 0,
      signal: this.#stop.signal,
    });
  }

  /** Where it listens. */
  get port(): number {
    return this.#service.port;
  }

  /** Where MCP is spoken. */
  get url(): string {
    return this.#service.url;
  }

  /** A number as `/metrics` tells it. */
  metric(name: string): number {
    const line = this.metrics.toText().split("\n").find((text) => text.startsWith(`${name} `));
    if (line === undefined) throw new Error(`No metric "${name}"`);
    return Number(line.slice(name.length + 1));
  }

  /** Waits until a number has this value: one that follows the loss of a connection takes a moment. */
  async settle(name: string, value: number): Promise<void> {
    for (let turn = 0; this.metric(name) !== value && turn < MAX_TURNS; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assertEquals(this.metric(name), value, name);
  }

  /** Waits until the server has logged this. */
  async untilLogged(part: string): Promise<void> {
    const isLogged = () => this.log.some((line) => line.includes(part));
    for (let turn = 0; !isLogged() && turn < MAX_TURNS; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assertEquals(isLogged(), true, `${part} is not in\n${this.log.join("\n")}`);
  }

  /** Sends a request on a connection of its own. */
  ask(parts: RequestParts): Promise<WireAnswer> {
    return new HttpPort(this.port).ask(parts);
  }

  /** Sends a request and hands out the connection behind the head of the answer. */
  open(parts: RequestParts): Promise<AnswerHead & { readonly wire: HttpWire }> {
    return new HttpPort(this.port).open(parts);
  }

  /** Begins the end: takes nothing new, lets finish what is under way. */
  stop(): void {
    this.#stop.abort();
  }

  /** Resolves when the service has ended. */
  get ended(): Promise<void> {
    return withDeadline(this.#service.ended, () => "The service did not end");
  }

  /** Ends everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.ended;
    await this.#gateway[Symbol.asyncDispose]();
  }
}

/** Long enough for a busy machine. */
const MAX_TURNS = 10_000;

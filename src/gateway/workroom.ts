// Where requests are worked on: the catalog, the validator, the places to run. Loaded when the first request needs it,
// so that a client is greeted before that costs anything.

import type { Activation, Change } from "../activation/activation.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Result } from "../mcp/model.ts";
import { buildCatalog, type Catalog } from "../router/catalog.ts";
import { SchemaValidator } from "../router/validation.ts";
import { type AskerSource, HandshakeAsker, StatelessAskers } from "./asker.ts";
import type { News } from "./audience.ts";
import type { Exchange } from "./exchange.ts";
import { RequestInquiry } from "./inquiry.ts";
import type { Limits } from "./limits.ts";
import { Listings } from "./listings.ts";
import type { Log } from "./log.ts";
import { HANDLERS } from "./methods.ts";
import type { OfferedMethod } from "./guard.ts";
import { RequestStates } from "./request_state.ts";
import type { Room } from "./room.ts";
import { Slots } from "./slots.ts";
import type { Store } from "./store.ts";
import { TaskListener } from "./task_listener.ts";
import { Tasks } from "./tasks.ts";

/** What a workroom is made of. */
export interface WorkroomOptions {
  readonly activations: readonly Activation[];
  readonly limits: Limits;
  readonly log: Log;
  /** Names of tools that are neither listed nor run. */
  readonly deniedTools: readonly string[];
  readonly store: Partial<Store>;
  /** Tells clients of news that no activation announced. */
  publish(news: News): void;
}

/** Answers the requests that activations answer. */
export class Workroom implements Room, Disposable {
  readonly activations: readonly Activation[];
  readonly limits: Limits;
  readonly log: Log;
  readonly validator: SchemaValidator = new SchemaValidator();
  readonly listings: Listings;
  readonly slots: Slots;
  readonly tasks: Tasks;
  readonly #publish: (news: News) => void;
  readonly #deniedTools: readonly string[];
  /** Seals what requests that ask something inside the answer come back with. */
  readonly states: RequestStates;
  readonly #handshakeAskers: AskerSource = {
    createAsker: (exchange) => this.#createHandshakeAsker(exchange),
  };
  #catalog: Catalog;

  /** Takes stock of the activations' tools. */
  constructor(options: WorkroomOptions) {
    this.activations = options.activations;
    this.limits = options.limits;
    this.log = options.log;
    this.#deniedTools = options.deniedTools;
    this.#publish = (news) => options.publish(news);
    this.listings = new Listings({
      activations: this.activations,
      limits: this.limits,
      log: this.log,
      publish: this.#publish,
    });
    this.slots = new Slots(this.limits);
    const { tasks, stateKey } = options.store;
    this.tasks = new Tasks({
      limits: this.limits,
      validator: this.validator,
      log: this.log,
      ...(tasks === undefined ? {} : { store: tasks }),
    });
    this.states = new RequestStates(this.limits.requestStateMs, { key: stateKey });
    this.#catalog = this.#takeStock();
  }

  /** All tools now. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  /** An activation's tools, resources or prompts have changed. */
  heed(activation: Activation, { kind }: Change): void {
    if (kind === "tools") this.#catalog = this.#takeStock(this.#catalog);
    else this.listings.forgive(kind, activation);
  }

  /** Looks for the tools of activations that broke, unless it did so a short while ago. */
  lookAgain(): Catalog {
    const { broken, hash } = this.#catalog;
    if (broken.some(({ activation }) => this.listings.isDue("tools", activation))) {
      this.#catalog = this.#takeStock(this.#catalog);
      if (this.#catalog.hash !== hash) this.#publish({ kind: "tools" });
    }
    return this.#catalog;
  }

  /** Answers a request. */
  handle(
    method: OfferedMethod,
    exchange: Exchange,
    params: JsonObject,
  ): Result | Promise<Result> {
    const handler = HANDLERS[method];
    if (exchange.wire.kind === "handshake") {
      return handler(this, new RequestInquiry(exchange, this.#handshakeAskers), params);
    }
    const askers = new StatelessAskers(this, method, params);
    const request = new RequestInquiry(exchange, askers);
    if (params.inputResponses === undefined && params.requestState === undefined) {
      return handler(this, request, params);
    }
    return askers.createAsker(exchange).load().then(() => handler(this, request, params));
  }

  /** Makes what tells a client of its tasks; nothing is watched yet. */
  createTaskListener(exchange: Exchange, meta: JsonObject): TaskListener {
    return new TaskListener(this.tasks, exchange, meta);
  }

  /** Ends what goes on without a request. */
  [Symbol.dispose](): void {
    this.tasks[Symbol.dispose]();
  }

  #createHandshakeAsker(exchange: Exchange): HandshakeAsker {
    const { wire } = exchange;
    if (wire.kind !== "handshake") throw new TypeError("Cannot ask: the client has no handshake");
    return new HandshakeAsker({
      exchange,
      pending: wire.pending,
      validator: this.validator,
      timeoutMs: this.limits.askTimeoutMs,
    });
  }

  #takeStock(previous?: Catalog): Catalog {
    const catalog = buildCatalog(this.activations, this.#deniedTools, previous);
    for (const reason of catalog.refused) this.log.write("warning", "tool_refused", { reason });
    for (const activation of this.activations) {
      const broken = catalog.broken.find((entry) => entry.activation === activation);
      if (broken === undefined) this.listings.mend("tools", activation);
      else this.listings.fail("tools", activation, broken.error);
    }
    return catalog;
  }
}

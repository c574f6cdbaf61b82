// The composition root: activations in, one server out. Connections come and go; this stays.

import type { Activation } from "../activation/activation.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { toSeal } from "../mcp/codec.ts";
import type { CacheHint, Features, Result, ServerIdentity } from "../mcp/model.ts";
import { Audience, type News } from "./audience.ts";
import type { Exchange } from "./exchange.ts";
import { DEFAULT_LIMITS, type Limits, settlesWithin } from "./limits.ts";
import { describeError, type Log } from "./log.ts";
import type { Meter } from "./metrics.ts";
import type { OfferedMethod } from "./guard.ts";
import type { Store } from "./store.ts";
import type { Workroom } from "./workroom.ts";

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly server: ServerIdentity;
  readonly activations: readonly Activation[];
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Offers lifecycle, ping and logging only, for diagnosis. */
  readonly minimal?: boolean;
  /** Names of tools that are neither listed nor run. */
  readonly deniedTools?: readonly string[];
  /** How long clients of the stateless wire may keep lists and contents. */
  readonly cache?: CacheHint;
  /** Counts requests. */
  readonly meter?: Meter;
  /** What is shared with other servers: sessions, tasks, the key of what clients carry; this process's own unless given. */
  readonly store?: Partial<Store>;
}

/** Of a key that nobody guesses. */
const MIN_KEY_BYTES = 32;

/** Nothing is known about how long a list or a resource stays as it is, nor who may see it. */
const NO_CACHE: CacheHint = { ttlMs: 0, scope: "private" };

/** All that connections share. */
export class Gateway implements AsyncDisposable {
  readonly server: ServerIdentity;
  readonly seal: JsonObject;
  readonly activations: readonly Activation[];
  readonly features: Features;
  readonly limits: Limits;
  readonly log: Log;
  readonly cache: CacheHint;
  readonly audience: Audience;
  readonly store: Partial<Store>;
  readonly deniedTools: readonly string[];
  readonly #ended = new AbortController();
  /** Watches requests that activations answer. */
  meter: Meter | undefined;
  #workroom: Workroom | Promise<Workroom> | undefined;

  /**
   * Takes over the activations and disposes of them at its end.
   *
   * @throws TypeError when two activations have one namespace, or the store's key is too short.
   */
  constructor(options: GatewayOptions) {
    this.server = options.server;
    this.seal = toSeal(options.server);
    this.activations = options.activations;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.log = options.log;
    this.cache = options.cache ?? NO_CACHE;
    this.meter = options.meter;
    this.store = options.store ?? {};
    this.deniedTools = options.deniedTools ?? [];
    this.features = options.minimal === true ? MINIMAL : findFeatures(this.activations);
    this.audience = new Audience({
      activations: this.activations,
      log: this.log,
      maxLength: this.limits.maxListeningLength,
    });
    refuseTwins(this.activations);
    refuseShortKey(this.store);
    for (const activation of this.activations) this.#follow(activation);
  }

  /** Where requests are worked on; a promise while that is being loaded. */
  get workroom(): Workroom | Promise<Workroom> {
    return this.#workroom ??= this.#loadWorkroom();
  }

  /** While something is being loaded that the next requests need too: resolves when that is over, even if it failed. */
  get loading(): Promise<unknown> | undefined {
    return this.#workroom instanceof Promise
      ? this.#workroom.catch(() => {})
      : this.#workroom?.validator.loading;
  }

  /** Whether the next call would have to wait for its turn. */
  get isBusy(): boolean {
    return this.#workroom !== undefined && !(this.#workroom instanceof Promise) &&
      this.#workroom.slots.isFull;
  }

  /** Answers a request that activations answer. */
  handle(method: OfferedMethod, exchange: Exchange, params: JsonObject): Result | Promise<Result> {
    if (this.meter !== undefined) exchange.watch = this.meter.begin(method);
    const { workroom } = this;
    return workroom instanceof Promise
      ? workroom.then((loaded) => loaded.handle(method, exchange, params))
      : workroom.handle(method, exchange, params);
  }

  /** Tells clients of a changed list, where they were told that they would hear of it. */
  publish(news: News): void {
    if (news.kind === "resource" || this.features.listChanges[news.kind]) {
      this.audience.publish(news);
    }
  }

  /** Ends every task and every activation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    const workroom = await Promise.resolve(this.#workroom).catch(() => undefined);
    workroom?.[Symbol.dispose]();
    if (workroom !== undefined) {
      // A change may wait for the one before it.
      await settlesWithin(workroom.tasks.written(), 2 * this.limits.storeTimeoutMs);
    }
    this.audience[Symbol.dispose]();
    const ends = this.activations.map((activation) => activation[Symbol.asyncDispose]());
    for (const end of await Promise.allSettled(ends)) {
      if (end.status === "fulfilled") continue;
      this.log.write("error", "activation_end_failed", { error: describeError(end.reason) });
    }
  }

  async #loadWorkroom(): Promise<Workroom> {
    const { Workroom } = await import("./workroom.ts");
    const workroom = new Workroom(this);
    this.#workroom = workroom;
    return workroom;
  }

  async #follow(activation: Activation): Promise<void> {
    try {
      const changes = activation.changes?.(this.#ended.signal);
      if (changes === undefined) return;
      for await (const change of changes) {
        if (this.#ended.signal.aborted) return;
        (await this.#workroom)?.heed(activation, change);
        this.publish(change);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      const { namespace } = activation;
      this.log.write("error", "changes_ended", { namespace, error: describeError(error) });
    }
  }
}

const MINIMAL: Features = {
  tools: false,
  resources: false,
  subscriptions: false,
  prompts: false,
  completions: false,
  listChanges: { tools: false, resources: false, prompts: false },
};

function findFeatures(activations: readonly Activation[]): Features {
  const announcing = activations.filter((activation) => activation.changes !== undefined);
  return {
    tools: true,
    resources: activations.some((activation) => activation.resources !== undefined),
    subscriptions: activations.some((activation) => activation.resources?.watch !== undefined),
    prompts: activations.some((activation) => activation.prompts !== undefined),
    completions: activations.some((activation) => activation.complete !== undefined),
    listChanges: {
      tools: announcing.length > 0,
      resources: announcing.some((activation) => activation.resources !== undefined),
      prompts: announcing.some((activation) => activation.prompts !== undefined),
    },
  };
}

function refuseShortKey({ stateKey }: Partial<Store>): void {
  if (stateKey === undefined || stateKey.length >= MIN_KEY_BYTES) return;
  throw new TypeError(
    `Cannot seal with a key of ${stateKey.length} bytes: give at least ${MIN_KEY_BYTES} random ones`,
  );
}

function refuseTwins(activations: readonly Activation[]): void {
  const seen = new Set<string>();
  for (const { namespace } of activations) {
    if (seen.has(namespace)) {
      throw new TypeError(`Cannot compose: two activations have the namespace "${namespace}"`);
    }
    seen.add(namespace);
  }
}

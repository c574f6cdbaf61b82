// The composition root: activations in, one catalog and one set of limits out. Connections come and go; this stays.

import type { Activation } from "../activation/activation.ts";
import type { CacheHint, Features, ServerIdentity } from "../mcp/model.ts";
import { buildCatalog, type Catalog } from "../router/catalog.ts";
import { SchemaValidator } from "../router/validation.ts";
import { Audience } from "./audience.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { describeError, type Log } from "./log.ts";
import { RequestStates } from "./request_state.ts";
import { Slots } from "./slots.ts";

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly server: ServerIdentity;
  readonly activations: readonly Activation[];
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Offers lifecycle, ping and logging only, for diagnosis. */
  readonly minimal?: boolean;
  /** How long clients of the stateless wire may keep lists and contents. */
  readonly cache?: CacheHint;
}

/** Nothing is known about how long a list or a resource stays as it is, nor who may see it. */
const NO_CACHE: CacheHint = { ttlMs: 0, scope: "private" };

/** All that connections share. */
export class Gateway implements AsyncDisposable {
  readonly server: ServerIdentity;
  readonly activations: readonly Activation[];
  readonly features: Features;
  readonly limits: Limits;
  readonly log: Log;
  readonly cache: CacheHint;
  readonly validator = new SchemaValidator();
  readonly slots: Slots;
  readonly states: RequestStates;
  readonly audience: Audience;
  readonly #ended = new AbortController();
  #catalog: Catalog;

  /**
   * Takes over the activations and disposes of them at its end.
   *
   * @throws TypeError when two activations have one namespace.
   */
  constructor(options: GatewayOptions) {
    this.server = options.server;
    this.activations = options.activations;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.log = options.log;
    this.cache = options.cache ?? NO_CACHE;
    this.features = options.minimal === true ? MINIMAL : findFeatures(this.activations);
    this.slots = new Slots(this.limits);
    this.states = new RequestStates(this.limits.requestStateMs);
    this.audience = new Audience(this.activations, this.log);
    refuseTwins(this.activations);
    this.#catalog = this.#buildCatalog();
    for (const activation of this.activations) this.#follow(activation);
  }

  /** All tools now. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  /** Ends every activation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.audience[Symbol.dispose]();
    const ends = this.activations.map((activation) => activation[Symbol.asyncDispose]());
    for (const end of await Promise.allSettled(ends)) {
      if (end.status === "fulfilled") continue;
      this.log.write("error", "activation_end_failed", { error: describeError(end.reason) });
    }
  }

  #buildCatalog(): Catalog {
    const catalog = buildCatalog(this.activations);
    for (const reason of catalog.refused) this.log.write("warning", "tool_refused", { reason });
    return catalog;
  }

  async #follow(activation: Activation): Promise<void> {
    const changes = activation.changes?.(this.#ended.signal);
    if (changes === undefined) return;
    try {
      for await (const change of changes) {
        if (this.#ended.signal.aborted) return;
        if (change.kind === "tools") this.#catalog = this.#buildCatalog();
        this.audience.publish(change);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      const { namespace } = activation;
      this.log.write("error", "changes_ended", { namespace, error: describeError(error) });
    }
  }
}

const MINIMAL: Features = { tools: false, resources: false, prompts: false, completions: false };

function findFeatures(activations: readonly Activation[]): Features {
  return {
    tools: true,
    resources: activations.some((activation) => activation.resources !== undefined),
    prompts: activations.some((activation) => activation.prompts !== undefined),
    completions: activations.some((activation) => activation.complete !== undefined),
  };
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

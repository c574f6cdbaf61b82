// What activations list, as far as they can. One that throws or hangs costs the others nothing: its part is left out
// and logged, and asked for again after a short while or when it announces a change.

import type { Activation, Change, Inquiry } from "../activation/activation.ts";
import { INTERNAL_ERROR, isObject, RpcError } from "../jsonrpc/message.ts";
import type { Prompt, Resource, ResourceTemplate } from "../mcp/model.ts";
import { AskError } from "./asker.ts";
import type { News } from "./audience.ts";
import { ListInquiry, type RequestInquiry } from "./inquiry.ts";
import type { Limits } from "./limits.ts";
import { describeError, type Log } from "./log.ts";

/** The lists that are read anew with each request, and what they hold. */
interface ReadLists {
  readonly resources: Resource;
  readonly templates: ResourceTemplate;
  readonly prompts: Prompt;
}

/** A list of an activation. */
export type ListName = "tools" | keyof ReadLists;

/** What listings are made of. */
export interface ListingsOptions {
  readonly activations: readonly Activation[];
  readonly limits: Pick<Limits, "listTimeoutMs" | "listRetryMs">;
  readonly log: Log;
  /** Takes the news that a list is whole again. */
  readonly publish: (news: News) => void;
}

/** What one activation lists, or the error that stands for it where nothing else is left. */
export type ListPart<Item> =
  | { readonly kind: "listed"; readonly items: readonly Item[] }
  | { readonly kind: "missing"; readonly error: RpcError };

/** What is known of a list that broke once. */
interface Breakage {
  isBroken: boolean;
  /** Not asked for before this. */
  restsUntil: number;
  /** When the log last told of it, and whether it told of this time. */
  loggedAt: number;
  isLogged: boolean;
}

const UNANSWERED = "The client did not answer a question about the list in time";

/** A list that keeps breaking is told of once in this time. */
const LOG_EVERY_MS = 60_000;

/** Lists that begin within this part of their time share one clock: a timeout cannot be taken back, so many pile up. */
const CLOCK_SHARE = 0.1;

const READ: {
  readonly [Name in keyof ReadLists]: (
    activation: Activation,
    inquiry: Inquiry,
  ) => Promise<readonly ReadLists[Name][]> | undefined;
} = {
  resources: ({ resources }, inquiry) => resources?.list(inquiry),
  templates: ({ resources }, inquiry) => resources?.templates(inquiry),
  prompts: ({ prompts }, inquiry) => prompts?.list(inquiry),
};

/** Reads lists, and remembers which are broken. */
export class Listings {
  readonly #options: ListingsOptions;
  readonly #breakages: Readonly<Record<ListName, Map<Activation, Breakage>>> = {
    tools: new Map(),
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
  };
  #clock: { readonly signal: AbortSignal; readonly startedAt: number } | undefined;

  /** Starts with nothing known to be broken. */
  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /**
   * The lists of all activations together, without those that are missing.
   *
   * @throws RpcError when every activation that has such a list is broken, or refuses it to this client.
   */
  async gather<Name extends keyof ReadLists>(
    name: Name,
    request: RequestInquiry,
  ): Promise<ReadLists[Name][]> {
    const sources = this.#options.activations.filter((activation) => hasList(activation, name));
    const parts = await Promise.all(
      sources.map((activation) => this.read(name, activation, request)),
    );
    const listed = parts.filter((part) => part.kind === "listed");
    const missing = parts.find((part) => part.kind === "missing");
    if (missing !== undefined && listed.length === 0) throw missing.error;
    return listed.flatMap(({ items }) => items);
  }

  /** The list of one activation, empty where it has none. */
  async read<Name extends keyof ReadLists>(
    name: Name,
    activation: Activation,
    request: RequestInquiry,
  ): Promise<ListPart<ReadLists[Name]>> {
    if (!this.isDue(name, activation)) return { kind: "missing", error: cannotList(name) };
    const deadline = this.#startClock();
    const inquiry = new ListInquiry(request, deadline);
    try {
      const work = READ[name](activation, inquiry);
      const items = work === undefined ? [] : await within(work, deadline, request);
      if (!isList(items)) throw new TypeError("It is no list of definitions");
      if (this.mend(name, activation)) {
        this.#options.publish({ kind: name === "templates" ? "resources" : name });
      }
      return { kind: "listed", items };
    } catch (error) {
      // What is told to this client, or owed to its silence, is no fault that others should suffer from.
      if (error instanceof RpcError) return { kind: "missing", error };
      if (error instanceof AskError || inquiry.isAsking) {
        const reason = error instanceof AskError ? error.message : UNANSWERED;
        return { kind: "missing", error: new RpcError(INTERNAL_ERROR, reason) };
      }
      // The list may have ended because its request did.
      if (!request.exchange.isOver) this.fail(name, activation, error);
      return { kind: "missing", error: cannotList(name) };
    }
  }

  /** Whether a list may be asked for: it is not broken, or has rested. */
  isDue(name: ListName, activation: Activation): boolean {
    const breakage = this.#breakages[name].get(activation);
    return breakage?.isBroken !== true || performance.now() >= breakage.restsUntil;
  }

  /** An activation says that its lists differ now: what was broken may be whole. */
  forgive(kind: Change["kind"], activation: Activation): void {
    for (const name of kind === "resources" ? ["resources", "templates"] as const : [kind]) {
      const breakage = this.#breakages[name].get(activation);
      if (breakage !== undefined) breakage.restsUntil = 0;
    }
  }

  /** A list cannot be had now. */
  fail(name: ListName, activation: Activation, error: unknown): void {
    const now = performance.now();
    const last = this.#breakages[name].get(activation);
    const isNews = last === undefined || now - last.loggedAt >= LOG_EVERY_MS;
    this.#breakages[name].set(activation, {
      isBroken: true,
      restsUntil: now + this.#options.limits.listRetryMs,
      loggedAt: isNews ? now : last.loggedAt,
      isLogged: isNews || (last.isBroken && last.isLogged),
    });
    if (isNews) this.#write("error", "list_failed", name, activation, describeError(error));
  }

  /** A list was had; tells whether it was broken before. */
  mend(name: ListName, activation: Activation): boolean {
    const breakage = this.#breakages[name].get(activation);
    if (breakage?.isBroken !== true) return false;
    breakage.isBroken = false;
    if (breakage.isLogged) this.#write("notice", "list_mended", name, activation);
    return true;
  }

  #write(
    level: "error" | "notice",
    event: string,
    list: ListName,
    { namespace }: Activation,
    error?: string,
  ): void {
    this.#options.log.write(level, event, { namespace, list, error });
  }

  #startClock(): AbortSignal {
    const now = performance.now();
    const { listTimeoutMs } = this.#options.limits;
    const shareMs = listTimeoutMs * CLOCK_SHARE;
    if (this.#clock === undefined || now - this.#clock.startedAt >= shareMs) {
      const signal = AbortSignal.timeout(Math.ceil(listTimeoutMs + shareMs));
      this.#clock = { signal, startedAt: now };
    }
    return this.#clock.signal;
  }
}

/** The refusal of a list that nobody can tell now. */
export function cannotList(name: ListName): RpcError {
  const things = name === "templates" ? "resource templates" : name;
  return new RpcError(
    INTERNAL_ERROR,
    `Cannot list ${things}: what offers them is broken; try again later, the server's log tells more`,
  );
}

function hasList({ resources, prompts }: Activation, name: keyof ReadLists): boolean {
  return (name === "prompts" ? prompts : resources) !== undefined;
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

/** Settles as `work` does, or rejects at the deadline, or when the request is canceled. */
function within<Value>(
  work: Promise<Value>,
  deadline: AbortSignal,
  { exchange }: RequestInquiry,
): Promise<Value> {
  const waiting = Promise.withResolvers<Value>();
  const late = () => waiting.reject(new Error("It did not answer in time"));
  // A timeout that is listened to keeps the process alive.
  const leave = () => deadline.removeEventListener("abort", late);
  if (deadline.aborted) late();
  deadline.addEventListener("abort", late, { once: true });
  exchange.onCancel((reason) => {
    waiting.reject(reason);
    leave();
  });
  // What is no promise, whatever its type says, is an answer too.
  Promise.resolve(work).then(waiting.resolve, waiting.reject).finally(leave);
  return waiting.promise;
}

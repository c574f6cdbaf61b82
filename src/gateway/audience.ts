// Who wants to hear of changes, the watching of resources on their behalf, and how a client is told. A resource is
// watched once, however many listen; nobody listens, nobody watches.

import type { Activation } from "../activation/activation.ts";
import { INTERNAL_ERROR, type JsonObject, notificationText, RpcError } from "../jsonrpc/message.ts";
import type { Outlet } from "../transport/outlet.ts";
import { Allowance } from "./limits.ts";
import { describeError, type Log } from "./log.ts";

/** Something differs now. */
export type News =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | { readonly kind: "resource"; readonly uri: string };

/** Hears news; decides itself which of them it wants. */
export interface Listener {
  hear(news: News): void;
}

interface Watch {
  readonly listeners: Set<Listener>;
  readonly controller: AbortController;
}

/** What an audience is made of. */
export interface AudienceOptions {
  readonly activations: readonly Activation[];
  readonly log: Log;
  /** Text that may be kept for all who listen, in characters. */
  readonly maxLength: number;
}

/** The listeners of a gateway. */
export class Audience implements Disposable {
  readonly #activations: readonly Activation[];
  readonly #log: Log;
  /** Text that is kept for those who listen. */
  readonly kept: Allowance;
  readonly #listeners = new Set<Listener>();
  readonly #watches = new Map<string, Watch>();
  /** What each listener watches. */
  readonly #watched = new Map<Listener, Set<string>>();

  /** Starts with nobody listening. */
  constructor({ activations, log, maxLength }: AudienceOptions) {
    this.#activations = activations;
    this.#log = log;
    this.kept = new Allowance(maxLength);
  }

  /** How many resources are watched. */
  get watched(): number {
    return this.#watches.size;
  }

  /** Tells a listener of changed lists from now on. */
  join(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Tells a listener nothing any more. */
  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    for (const uri of this.#watched.get(listener) ?? []) this.unwatch(uri, listener);
    this.#watched.delete(listener);
  }

  /** Tells of a changed list. */
  publish(news: News): void {
    for (const listener of this.#listeners) listener.hear(news);
  }

  /**
   * Tells a listener of changes of a resource; false when no activation can watch it.
   *
   * @throws What an activation threw, when no other can watch it.
   */
  watch(uri: string, listener: Listener): boolean {
    const watch = this.#watches.get(uri) ?? this.#start(uri);
    if (watch === undefined) return false;
    watch.listeners.add(listener);
    const watched = this.#watched.get(listener) ?? new Set();
    this.#watched.set(listener, watched.add(uri));
    return true;
  }

  /** As `watch`, for whoever does without what cannot be watched: false, too, when what would watch it is broken. */
  tryWatch(uri: string, listener: Listener): boolean {
    try {
      return this.watch(uri, listener);
    } catch {
      // The log has it.
      return false;
    }
  }

  /** Ends what `watch` began. */
  unwatch(uri: string, listener: Listener): void {
    this.#watched.get(listener)?.delete(uri);
    const watch = this.#watches.get(uri);
    if (watch === undefined) return;
    watch.listeners.delete(listener);
    if (watch.listeners.size > 0) return;
    this.#watches.delete(uri);
    watch.controller.abort();
  }

  /** Ends all watching. */
  [Symbol.dispose](): void {
    this.#listeners.clear();
    for (const watch of this.#watches.values()) watch.controller.abort();
    this.#watches.clear();
    this.#watched.clear();
  }

  #start(uri: string): Watch | undefined {
    const controller = new AbortController();
    const failures: unknown[] = [];
    for (const { namespace, resources } of this.#activations) {
      try {
        const updates = resources?.watch?.(uri, controller.signal);
        if (updates === undefined) continue;
        const watch = { listeners: new Set<Listener>(), controller };
        this.#watches.set(uri, watch);
        this.#follow(uri, updates, watch);
        return watch;
      } catch (error) {
        // One that is broken must not keep the next from being asked.
        this.#log.write("warning", "watch_failed", { namespace, uri, error: describeError(error) });
        failures.push(error);
      }
    }
    // Whoever took the signal and then threw learns that nothing came of it.
    controller.abort();
    if (failures.length > 0) throw failures[0];
    return undefined;
  }

  async #follow(uri: string, updates: AsyncIterable<void>, watch: Watch): Promise<void> {
    try {
      for await (const _update of updates) {
        if (watch.controller.signal.aborted) return;
        for (const listener of watch.listeners) listener.hear({ kind: "resource", uri });
      }
    } catch (error) {
      if (watch.controller.signal.aborted) return;
      this.#log.write("warning", "watch_ended", { uri, error: describeError(error) });
    } finally {
      // Nothing more will come: whoever watches next starts anew.
      if (this.#watches.get(uri) === watch) this.#watches.delete(uri);
    }
  }
}

/** Refuses one who would listen too. */
export function tooManyListen(): RpcError {
  return new RpcError(INTERNAL_ERROR, "Server busy: too much is listened to; try again later");
}

/** What a client hears and how it is told. */
export interface ClientListenerOptions {
  readonly outlet: Outlet;
  /** Whether the client wants these news. Of a watched resource it always does. */
  readonly wants: (kind: News["kind"]) => boolean;
  /** Goes into `_meta` of each notification. */
  readonly meta: JsonObject | undefined;
}

/** Tells a client of news. While it does not read, equal news wait once, so that nothing piles up. */
export class ClientListener implements Listener {
  readonly #options: ClientListenerOptions;
  readonly #waiting = new Set<string>();

  /** Starts with nothing told. */
  constructor(options: ClientListenerOptions) {
    this.#options = options;
  }

  /** Sends the notification, now or when the client reads again. */
  hear(news: News): void {
    if (!this.#options.wants(news.kind)) return;
    const text = this.#textOf(news);
    const ready = this.#options.outlet.ready();
    if (ready === undefined) {
      this.#options.outlet.send(text);
      return;
    }
    this.#waiting.add(text);
    if (this.#waiting.size === 1) ready.then(() => this.#flush());
  }

  #flush(): void {
    for (const text of this.#waiting) this.#options.outlet.send(text);
    this.#waiting.clear();
  }

  #textOf(news: News): string {
    const { meta } = this.#options;
    const params = meta === undefined ? {} : { _meta: meta };
    if (news.kind === "resource") {
      return notificationText("notifications/resources/updated", { ...params, uri: news.uri });
    }
    return notificationText(
      `notifications/${news.kind}/list_changed`,
      meta === undefined ? undefined : params,
    );
  }
}

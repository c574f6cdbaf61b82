// A store of sessions that takes its time, and a server that has one.

import {
  MemorySessionStore,
  type SessionRecord,
  type SessionStore,
  type StoredEvent,
} from "../../http.ts";
import type { Limits } from "../../mod.ts";
import { withDeadline } from "../harness/deadline.ts";
import { HttpClient, type HttpExchange } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { Led, progress } from "../harness/led.ts";
import { getOracle, type Oracle } from "../harness/oracle.ts";
import { scripted } from "../harness/scripted.ts";

/** The revision of all clients here: the last with sessions. */
export const revision = "2025-11-25";

/** What a store is asked for. */
export type Work = "save" | "find" | "append" | "drop" | "eventsAfter";

/** A store whose work waits, of the kinds that are held, until the test lets it go on. */
export class SlowStore implements SessionStore {
  readonly memory = new MemorySessionStore({ maxSessionLength: 1e6, maxLength: 1e6 });
  readonly events: { readonly session: string; readonly event: StoredEvent }[] = [];
  readonly expires: boolean;
  readonly #held = new Set<Work>();
  readonly #waiting: { readonly work: Work; readonly goOn: () => void }[] = [];
  #arrival = Promise.withResolvers<void>();

  constructor({ expires = false } = {}) {
    this.expires = expires;
  }

  /** Makes work of these kinds wait from now on. */
  hold(...kinds: readonly Work[]): void {
    for (const kind of kinds) this.#held.add(kind);
  }

  /** Waits until so much work of a kind waits. */
  async until(kind: Work, count = 1): Promise<void> {
    while (this.#waiting.filter(({ work }) => work === kind).length < count) {
      await withDeadline(this.#arrival.promise, () => `No ${count} times ${kind}`);
    }
  }

  /** Lets all work of these kinds go on, and none wait any more. */
  release(...kinds: readonly Work[]): void {
    for (const kind of kinds) {
      this.#held.delete(kind);
      while (this.step(kind, "first"));
    }
  }

  /** Lets one piece of work go on; false when none of its kind waits. */
  step(kind: Work, which: "first" | "last"): boolean {
    const fits = ({ work }: { readonly work: Work }) => work === kind;
    const at = which === "first"
      ? this.#waiting.findIndex(fits)
      : this.#waiting.findLastIndex(fits);
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    next?.goOn();
    return next !== undefined;
  }

  async save(record: SessionRecord): Promise<void> {
    await this.#turn("save");
    this.memory.save(record);
  }

  /** Looks at once, and tells later. */
  async find(id: string): Promise<SessionRecord | undefined> {
    const found = this.memory.find(id);
    await this.#turn("find");
    return found === undefined ? undefined : structuredClone(found);
  }

  async drop(id: string): Promise<void> {
    await this.#turn("drop");
    this.memory.drop(id);
    const left = this.events.filter(({ session }) => session !== id);
    this.events.splice(0, this.events.length, ...left);
  }

  /** Each by itself: a later one may be kept before the one that it follows. */
  async append(session: string, event: StoredEvent): Promise<void> {
    await this.#turn("append");
    this.events.push({ session, event });
  }

  async eventsAfter(session: string, stream: string, number: number): Promise<StoredEvent[]> {
    await this.#turn("eventsAfter");
    return this.events.filter((kept) => kept.session === session).map(({ event }) => event)
      .filter((event) => event.stream === stream && event.number > number)
      .toSorted((one, other) => one.number - other.number);
  }

  #turn(work: Work): Promise<void> | undefined {
    if (!this.#held.has(work)) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ work, goOn: resolve });
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
    return promise;
  }
}

/** Parameters of a call of the tool that a test leads. */
export const PARAMS = { name: "led", _meta: { progressToken: 1 } };

/** A server with a slow store, a tool that the test leads, and a client. */
export class Stage implements AsyncDisposable {
  readonly store = new SlowStore();
  readonly led = new Led();
  readonly host: HttpHost;
  readonly client: HttpClient;

  private constructor(oracle: Oracle, core: Partial<Limits>) {
    this.host = new HttpHost({
      activations: [scripted({ led: this.led.run })],
      store: { sessions: this.store },
      core,
    });
    this.client = new HttpClient(this.host, oracle, { revision });
  }

  static async open(core: Partial<Limits> = {}): Promise<Stage> {
    const stage = new Stage(await getOracle(), core);
    await stage.client.shakeHands();
    return stage;
  }

  /** Calls the tool, which tells something at once. */
  async begin(): Promise<HttpExchange> {
    this.led.emit(progress(1));
    return await this.client.post("tools/call", PARAMS);
  }

  /** Calls it and leaves behind the first event; tells its id. */
  async cutBehindFirst(): Promise<string | undefined> {
    using exchange = await this.begin();
    await exchange.next();
    exchange[Symbol.dispose]();
    await this.host.settle("bulkhead_connections", 0);
    return exchange.lastId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
  }
}

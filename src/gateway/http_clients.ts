// How much each client of an HTTP endpoint asks for: what it has under way, and how often it comes.

import type { EndpointLimits } from "./http_limits.ts";
import { shareOf } from "./limits.ts";

/** What a client has under way: a request until it is answered, or a stream that stays open. */
export type Holding = "request" | "stream";

/** What a client may ask for. */
export type ClientLimits = Pick<EndpointLimits, "maxRequestsPerClient" | "maxRate">;

/** So many clients are new before those are forgotten that were not heard of meanwhile. */
const GENERATION = 5_000;

interface Client {
  /** Requests and streams under way. */
  open: number;
  streams: number;
  /** Requests that may come at once, as of `at`. */
  tokens: number;
  at: number;
}

/** Remembers clients by name: all that have something under way, and those heard of lately. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #maxStreams: number;
  #recent = new Map<string, Client>();
  #older = new Map<string, Client>();
  #maxRecent = GENERATION;

  /** Starts with none. */
  constructor(limits: ClientLimits) {
    this.#limits = limits;
    // Who holds all the streams it may can still ask for something.
    this.#maxStreams = shareOf(limits.maxRequestsPerClient);
  }

  /** 0 when a request may come, or the seconds after which it may be tried again. */
  spend(name: string): number {
    const { maxRate } = this.#limits;
    if (maxRate === 0) return 0;
    const client = this.#find(name);
    const now = performance.now();
    // Two seconds' worth may come at once.
    client.tokens = Math.min(2 * maxRate, client.tokens + (now - client.at) * maxRate / 1000);
    client.at = now;
    if (client.tokens < 1) return Math.ceil((1 - client.tokens) / maxRate);
    client.tokens -= 1;
    return 0;
  }

  /** Counts something in until `leave`; false when the client has too much under way. */
  enter(name: string, holding: Holding): boolean {
    const client = this.#find(name);
    if (client.open >= this.#limits.maxRequestsPerClient) return false;
    if (holding === "stream") {
      if (client.streams >= this.#maxStreams) return false;
      client.streams += 1;
    }
    client.open += 1;
    return true;
  }

  /** Counts out what was counted in. */
  leave(name: string, holding: Holding): void {
    const client = this.#find(name);
    client.open -= 1;
    if (holding === "stream") client.streams -= 1;
  }

  #find(name: string): Client {
    const known = this.#recent.get(name);
    if (known !== undefined) return known;
    const client = this.#older.get(name) ??
      { open: 0, streams: 0, tokens: 2 * this.#limits.maxRate, at: performance.now() };
    if (this.#recent.size >= this.#maxRecent) this.#turn();
    this.#recent.set(name, client);
    return client;
  }

  /** Forgets who was not heard of for a generation and has nothing under way. */
  #turn(): void {
    const recent = new Map<string, Client>();
    for (const [name, client] of this.#older) {
      if (client.open > 0) recent.set(name, client);
    }
    this.#older = this.#recent;
    this.#recent = recent;
    this.#maxRecent = recent.size + GENERATION;
  }
}

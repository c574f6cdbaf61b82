// Counters for the people who run a server, in the text format of Prometheus. Names and numbers only: nothing of what
// clients send.

import type { Result } from "../mcp/model.ts";
import { CanceledError, type Watch } from "./exchange.ts";

/** Watches requests that activations answer. */
export interface Meter {
  /** The work on a request begins; what is returned counts it when it is over. */
  begin(method: string): Watch;
}

/** Upper ends of the latency buckets, in seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** A number that several servers have each a part of. */
interface Gauge {
  readonly help: string;
  readonly parts: Set<() => number>;
}

/** The counters of one server. */
export class Metrics implements Meter {
  readonly #gauges = new Map<string, Gauge>();
  readonly #denials = new Map<string, number>();
  readonly #buckets = new Array<number>(BUCKETS.length + 1).fill(0);
  #seconds = 0;
  #calls = 0;
  #failedCalls = 0;
  #errors = 0;
  #canceled = 0;
  #inFlight = 0;

  /** Adds a number that is read when it is asked for, until it is disposed of; what has one name is added up. */
  gauge(name: string, help: string, read: () => number): Disposable {
    const gauge = this.#gauges.get(name) ?? { help, parts: new Set() };
    this.#gauges.set(name, gauge);
    gauge.parts.add(read);
    return { [Symbol.dispose]: () => gauge.parts.delete(read) };
  }

  /** Counts a refusal. */
  deny(reason: string): void {
    this.#denials.set(reason, (this.#denials.get(reason) ?? 0) + 1);
  }

  /** The work on a request begins. */
  begin(method: string): Watch {
    this.#inFlight += 1;
    return new Stopwatch(this, method);
  }

  /** The work on a request is over; `error` where it had no result. */
  end(method: string, startMs: number, outcome: Result | { readonly error: unknown }): void {
    this.#inFlight -= 1;
    if (method === "tools/call") this.#time(startMs);
    if (!("error" in outcome)) {
      if (outcome.kind === "call" && outcome.isError) this.#failedCalls += 1;
    } else if (outcome.error instanceof CanceledError) this.#canceled += 1;
    else this.#errors += 1;
  }

  /** All counters as text. */
  toText(): string {
    const lines = [
      ...counter(
        "bulkhead_calls_total",
        "Tool calls that are over, however they ended.",
        this.#calls,
      ),
      ...counter(
        "bulkhead_call_failures_total",
        "Tool calls whose result is a failure.",
        this.#failedCalls,
      ),
      ...counter(
        "bulkhead_errors_total",
        "Requests to activations that ended with an error.",
        this.#errors,
      ),
      ...counter(
        "bulkhead_canceled_total",
        "Requests to activations that were canceled.",
        this.#canceled,
      ),
      "# HELP bulkhead_denials_total Requests that were not let in.",
      "# TYPE bulkhead_denials_total counter",
      ...[...this.#denials].map(([reason, count]) =>
        `bulkhead_denials_total{reason="${reason}"} ${count}`
      ),
      ...this.#histogram(),
      ...gauge("bulkhead_in_flight", "Requests under way.", this.#inFlight),
    ];
    for (const [name, { help, parts }] of this.#gauges) {
      lines.push(...gauge(name, help, [...parts].reduce((sum, read) => sum + read(), 0)));
    }
    return `${lines.join("\n")}\n`;
  }

  #time(startMs: number): void {
    this.#calls += 1;
    const seconds = (performance.now() - startMs) / 1000;
    this.#seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  #histogram(): string[] {
    const name = "bulkhead_call_seconds";
    const lines = [`# HELP ${name} How long tool calls took.`, `# TYPE ${name} histogram`];
    let total = 0;
    for (const [index, count] of this.#buckets.entries()) {
      total += count;
      lines.push(`${name}_bucket{le="${BUCKETS[index] ?? "+Inf"}"} ${total}`);
    }
    return [...lines, `${name}_sum ${this.#seconds}`, `${name}_count ${total}`];
  }
}

/** Counts one request with the counters of a server, once. */
class Stopwatch implements Watch {
  readonly #metrics: Metrics;
  readonly #method: string;
  readonly #startMs = performance.now();

  constructor(metrics: Metrics, method: string) {
    this.#metrics = metrics;
    this.#method = method;
  }

  succeed(result: Result): void {
    this.#metrics.end(this.#method, this.#startMs, result);
  }

  fail(error: unknown): void {
    this.#metrics.end(this.#method, this.#startMs, { error });
  }
}

function counter(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} counter`, `${name} ${value}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

// Counters for the people who run a server, in the text format of Prometheus. Names and numbers only: nothing of what
// clients send.

import type { Result } from "../mcp/model.ts";
import { CanceledError } from "./exchange.ts";

/** Watches requests that activations answer. */
export interface Meter {
  /** Counts a request when it is over; returns what it was given. */
  watch(method: string, result: Result | Promise<Result>): Result | Promise<Result>;
}

/** Upper ends of the latency buckets, in seconds. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** The counters of one server. */
export class Metrics implements Meter {
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>();
  readonly #denials = new Map<string, number>();
  readonly #buckets = new Array<number>(BUCKETS.length + 1).fill(0);
  #seconds = 0;
  #calls = 0;
  #failedCalls = 0;
  #errors = 0;
  #inFlight = 0;

  /** Adds a number that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read });
  }

  /** Counts a refusal. */
  deny(reason: string): void {
    this.#denials.set(reason, (this.#denials.get(reason) ?? 0) + 1);
  }

  /** Counts a request when it is over. */
  watch(method: string, result: Result | Promise<Result>): Result | Promise<Result> {
    if (!(result instanceof Promise)) {
      this.#record(method, 0, result);
      return result;
    }
    const start = performance.now();
    this.#inFlight += 1;
    return result.then(
      (value) => {
        this.#inFlight -= 1;
        this.#record(method, performance.now() - start, value);
        return value;
      },
      (error) => {
        this.#inFlight -= 1;
        if (!(error instanceof CanceledError)) this.#errors += 1;
        throw error;
      },
    );
  }

  /** All counters as text. */
  toText(): string {
    const lines = [
      ...counter("bulkhead_calls_total", "Tool calls that ended with a result.", this.#calls),
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
      "# HELP bulkhead_denials_total Requests that were not let in.",
      "# TYPE bulkhead_denials_total counter",
      ...[...this.#denials].map(([reason, count]) =>
        `bulkhead_denials_total{reason="${reason}"} ${count}`
      ),
      ...this.#histogram(),
      ...gauge("bulkhead_in_flight", "Requests under way.", this.#inFlight),
    ];
    for (const [name, { help, read }] of this.#gauges) lines.push(...gauge(name, help, read()));
    return `${lines.join("\n")}\n`;
  }

  #record(method: string, ms: number, result: Result): void {
    if (method !== "tools/call") return;
    this.#calls += 1;
    if (result.kind === "call" && result.isError) this.#failedCalls += 1;
    const seconds = ms / 1000;
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

function counter(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} counter`, `${name} ${value}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

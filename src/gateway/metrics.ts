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
  readonly #tally = new Tally();

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
    return new Stopwatch(this.#tally, method);
  }

  /** All counters as text. */
  toText(): string {
    const lines = [
      ...counter(
        "bulkhead_calls_total",
        "Tool calls that are over, however they ended.",
        this.#tally.calls,
      ),
      ...counter(
        "bulkhead_call_failures_total",
        "Tool calls whose result is a failure.",
        this.#tally.failedCalls,
      ),
      ...counter(
        "bulkhead_errors_total",
        "Requests to activations that ended with an error.",
        this.#tally.errors,
      ),
      ...counter(
        "bulkhead_canceled_total",
        "Requests to activations that were canceled.",
        this.#tally.canceled,
      ),
      "# HELP bulkhead_denials_total Requests that were not let in.",
      "# TYPE bulkhead_denials_total counter",
      ...[...this.#denials].map(([reason, count]) =>
        `bulkhead_denials_total{reason="${reason}"} ${count}`
      ),
      ...this.#histogram(),
      ...gauge("bulkhead_in_flight", "Requests under way.", this.#tally.inFlight),
    ];
    for (const [name, { help, parts }] of this.#gauges) {
      lines.push(...gauge(name, help, [...parts].reduce((sum, read) => sum + read(), 0)));
    }
    return `${lines.join("\n")}\n`;
  }

  #histogram(): string[] {
    const name = "bulkhead_call_seconds";
    const lines = [`# HELP ${name} How long tool calls took.`, `# TYPE ${name} histogram`];
    let total = 0;
    for (const [index, count] of this.#tally.buckets.entries()) {
      total += count;
      lines.push(`${name}_bucket{le="${BUCKETS[index] ?? "+Inf"}"} ${total}`);
    }
    return [...lines, `${name}_sum ${this.#tally.seconds}`, `${name}_count ${total}`];
  }
}

/** What the work on requests came to. */
class Tally {
  readonly buckets = new Array<number>(BUCKETS.length + 1).fill(0);
  seconds = 0;
  calls = 0;
  failedCalls = 0;
  errors = 0;
  canceled = 0;
  inFlight = 0;

  /** A call took so long. */
  time(seconds: number): void {
    this.calls += 1;
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}

/** Counts one request, once. */
class Stopwatch implements Watch {
  readonly #tally: Tally;
  readonly #method: string;
  readonly #startMs = performance.now();
  #isOver = false;

  constructor(tally: Tally, method: string) {
    this.#tally = tally;
    this.#method = method;
    tally.inFlight += 1;
  }

  succeed(result: Result): void {
    if (!this.#stop()) return;
    if (result.kind === "call" && result.isError) this.#tally.failedCalls += 1;
  }

  fail(error: unknown): void {
    if (!this.#stop()) return;
    if (error instanceof CanceledError) this.#tally.canceled += 1;
    else this.#tally.errors += 1;
  }

  /** Whether it still ran. */
  #stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#tally.inFlight -= 1;
    if (this.#method === "tools/call") {
      this.#tally.time((performance.now() - this.#startMs) / 1000);
    }
    return true;
  }
}

function counter(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} counter`, `${name} ${value}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}

// Counters in the text format of Prometheus.

import { assertEquals, assertMatch } from "@std/assert";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import { Metrics } from "../../../src/gateway/metrics.ts";
import type { Result } from "../../../src/mcp/model.ts";

const GOOD: Result = { kind: "call", content: [], isError: false };
const FAILED: Result = { kind: "call", content: [], isError: true };

function read(metrics: Metrics, name: string): number {
  const line = metrics.toText().split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

Deno.test("Metrics counts calls, failures, errors and cancellations", () => {
  const metrics = new Metrics();
  metrics.begin("tools/call").succeed(GOOD);
  metrics.begin("tools/call").succeed(FAILED);
  metrics.begin("tools/list").succeed({ kind: "empty" });
  // An activation that is not typed may add what it likes.
  metrics.begin("prompts/get").succeed({ ...GOOD, ...{ error: "none of ours" } });
  for (const method of ["tools/call", "tools/call", "prompts/get"]) {
    metrics.begin(method).fail(new Error("secret detail"));
  }
  metrics.begin("tools/call").fail(new CanceledError("nobody wants it"));
  metrics.begin("tools/call").fail(undefined);
  assertEquals(read(metrics, "bulkhead_calls_total"), 6);
  assertEquals(read(metrics, "bulkhead_call_failures_total"), 1);
  assertEquals(read(metrics, "bulkhead_errors_total"), 4);
  assertEquals(read(metrics, "bulkhead_canceled_total"), 1);
  assertEquals(read(metrics, "bulkhead_call_seconds_count"), 6);
  assertEquals(metrics.toText().includes("secret"), false);
});

Deno.test("Metrics knows what is under way", () => {
  const metrics = new Metrics();
  const watches = [metrics.begin("tools/call"), metrics.begin("tools/list")];
  assertEquals(read(metrics, "bulkhead_in_flight"), 2);
  watches[0]?.succeed(GOOD);
  assertEquals(read(metrics, "bulkhead_in_flight"), 1);
  watches[1]?.fail(new Error("broken"));
  assertEquals(read(metrics, "bulkhead_in_flight"), 0);
});

Deno.test("Metrics counts what it began once, however often that ends", () => {
  const metrics = new Metrics();
  const watch = metrics.begin("tools/call");
  watch.succeed(GOOD);
  watch.fail(new Error("after all"));
  watch.succeed(GOOD);
  const names = ["bulkhead_calls_total", "bulkhead_errors_total", "bulkhead_in_flight"];
  assertEquals(names.map((name) => read(metrics, name)), [1, 0, 0]);
});

Deno.test("Metrics counts denials by reason, and reads gauges when asked", () => {
  const metrics = new Metrics();
  let sessions = 3;
  metrics.gauge("bulkhead_sessions", "Sessions that are open.", () => sessions);
  metrics.deny("token");
  metrics.deny("token");
  metrics.deny("host");
  const text = metrics.toText();
  assertMatch(text, /^bulkhead_denials_total\{reason="token"\} 2$/m);
  assertMatch(text, /^bulkhead_denials_total\{reason="host"\} 1$/m);
  sessions = 4;
  assertEquals(read(metrics, "bulkhead_sessions"), 4);
});

Deno.test("Metrics adds up what several servers count under one name, until they end", () => {
  const metrics = new Metrics();
  const first = metrics.gauge("bulkhead_sessions", "Sessions that are open.", () => 3);
  using _second = metrics.gauge("bulkhead_sessions", "Sessions that are open.", () => 4);
  assertEquals(read(metrics, "bulkhead_sessions"), 7);
  first[Symbol.dispose]();
  assertEquals(read(metrics, "bulkhead_sessions"), 4);
});

Deno.test("Metrics is text that Prometheus reads: help and type before each, buckets that add up", () => {
  const metrics = new Metrics();
  metrics.begin("tools/call").succeed(GOOD);
  metrics.deny("rate");
  metrics.gauge("bulkhead_children", "Processes that were started and run.", () => 0);
  const lines = metrics.toText().split("\n");
  assertEquals(lines.pop(), "");
  let described = "";
  for (const line of lines) {
    const help = /^# (HELP|TYPE) (\w+) .+$/.exec(line);
    if (help !== null) {
      described = help[2] ?? "";
      continue;
    }
    const sample = /^(\w+)(?:\{\w+="[^"\\\n]*"\})? (?:\d+(?:\.\d+)?(?:e-\d+)?)$/.exec(line);
    assertEquals(sample?.[1]?.startsWith(described), true, line);
  }
  const buckets = lines.filter((line) => line.startsWith("bulkhead_call_seconds_bucket"));
  assertMatch(buckets.at(-1) ?? "", /\{le="\+Inf"\} 1$/);
  const counts = buckets.map((line) => Number(line.split(" ")[1]));
  assertEquals(counts, counts.toSorted((a, b) => a - b));
});

// Counters in the text format of Prometheus.

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import { Metrics } from "../../../src/gateway/metrics.ts";
import type { Result } from "../../../src/mcp/model.ts";

const GOOD: Result = { kind: "call", content: [], isError: false };
const FAILED: Result = { kind: "call", content: [], isError: true };

function read(metrics: Metrics, name: string): number {
  const line = metrics.toText().split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

Deno.test("Metrics counts calls, failures, errors and cancellations, and hands on what it watches", async () => {
  const metrics = new Metrics();
  const empty: Result = { kind: "empty" };
  assertEquals(metrics.watch("tools/call", () => GOOD), GOOD);
  assertEquals(await metrics.watch("tools/call", () => Promise.resolve(FAILED)), FAILED);
  assertEquals(await metrics.watch("tools/list", () => Promise.resolve(empty)), empty);
  const error = new Error("secret detail");
  const broken = [() => Promise.reject(error), () => {
    throw error;
  }];
  for (const work of broken) {
    await assertRejects(async () => await metrics.watch("tools/call", work), Error);
  }
  const canceled = () => Promise.reject(new CanceledError("nobody wants it"));
  await assertRejects(async () => await metrics.watch("tools/call", canceled), CanceledError);
  assertEquals(read(metrics, "bulkhead_calls_total"), 5);
  assertEquals(read(metrics, "bulkhead_call_failures_total"), 1);
  assertEquals(read(metrics, "bulkhead_errors_total"), 2);
  assertEquals(read(metrics, "bulkhead_canceled_total"), 1);
  assertEquals(read(metrics, "bulkhead_call_seconds_count"), 5);
  assertEquals(metrics.toText().includes("secret"), false);
});

Deno.test("Metrics knows what is under way", async () => {
  const metrics = new Metrics();
  const work = [Promise.withResolvers<Result>(), Promise.withResolvers<Result>()];
  const watched = work.map(({ promise }) => metrics.watch("tools/call", () => promise));
  assertEquals(read(metrics, "bulkhead_in_flight"), 2);
  work[0]?.resolve(GOOD);
  await watched[0];
  assertEquals(read(metrics, "bulkhead_in_flight"), 1);
  work[1]?.reject(new Error("broken"));
  await Promise.allSettled(watched);
  assertEquals(read(metrics, "bulkhead_in_flight"), 0);
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
  metrics.watch("tools/call", () => GOOD);
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

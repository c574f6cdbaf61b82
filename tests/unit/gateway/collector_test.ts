// Events of a call as one result: never more than one, never longer than the bound.

import { assertEquals } from "@std/assert";
import type { CallEvent } from "../../../src/activation/activation.ts";
import { Collector, failedResult } from "../../../src/gateway/collector.ts";
import { Notifier } from "../../../src/gateway/notifier.ts";
import type { ToolResult } from "../../../src/mcp/model.ts";
import { recordExchange } from "./recorded_exchange.ts";

function collectorOf(maxLength = 1000) {
  const { exchange, outlet } = recordExchange({ progressToken: "t", level: "debug" });
  return { collector: new Collector(new Notifier(exchange, 100), maxLength), outlet };
}

function collect(events: readonly CallEvent[], maxLength?: number): ToolResult {
  const { collector } = collectorOf(maxLength);
  for (const event of events) collector.add(event);
  return collector.toResult();
}

function text(text: string) {
  return { type: "text", text } as const;
}

function domain(data: (CallEvent & { readonly kind: "event" })["data"]): CallEvent {
  return { kind: "event", data };
}

const LONG = "x".repeat(101);
const TOO_LONG = failedResult(
  "The result is longer than 100 characters and was left out; ask for less",
);

const OVER_THE_BOUND: readonly (readonly [string, readonly CallEvent[]])[] = [
  ["text", [{ kind: "content", block: text(LONG) }]],
  ["an image", [{ kind: "content", block: { type: "image", data: LONG, mimeType: "a/b" } }]],
  ["a resource", [{
    kind: "content",
    block: { type: "resource", resource: { uri: "a:b", text: LONG } },
  }]],
  ["structured content", [{ kind: "structured", value: { a: LONG } }]],
  ["a failure", [{ kind: "failure", message: LONG }]],
  ["the details of a failure", [{ kind: "failure", message: "m", details: { a: LONG } }]],
  ["text of domain events", [domain("x".repeat(60)), domain("x".repeat(60))]],
  ["an unknown domain event", [domain({ a: LONG })]],
  ["the result of a domain event", [domain({ type: "complete", result: LONG })]],
  ["many empty blocks", Array.from({ length: 10 }, () => ({ kind: "content", block: text("") }))],
  ["many empty failures", Array.from({ length: 10 }, () => ({ kind: "failure", message: "" }))],
];

Deno.test("Collector leaves out a result that is too long, whatever made it so", async (t) => {
  for (const [name, events] of OVER_THE_BOUND) {
    await t.step(name, () => {
      const { collector } = collectorOf(100);
      for (const event of events) collector.add(event);
      assertEquals(collector.isFull, true);
      assertEquals(collector.toResult(), TOO_LONG);
    });
  }
});

Deno.test("Collector takes a result that is just short enough", () => {
  const { collector } = collectorOf(100);
  collector.add(domain("x".repeat(100)));
  assertEquals(collector.isFull, false);
  assertEquals(collector.toResult().isError, false);
});

const RESULTS: readonly (readonly [string, readonly CallEvent[], ToolResult])[] = [
  ["nothing", [], { kind: "call", content: [], isError: false }],
  ["a failure", [{ kind: "failure", message: "no" }], failedResult("no")],
  [
    "content before a failure, which stays",
    [{ kind: "content", block: text("a") }, { kind: "failure", message: "no", code: "c" }],
    { kind: "call", content: [text("a"), text("no")], isError: true },
  ],
  [
    "a failure with details",
    [{ kind: "failure", message: "no", details: { a: 1 } }],
    { kind: "call", content: [text("no")], structured: { a: 1 }, isError: true },
  ],
  [
    "details do not replace structured content",
    [{ kind: "structured", value: 1 }, { kind: "failure", message: "no", details: { a: 1 } }],
    { kind: "call", content: [text("no")], structured: 1, isError: true },
  ],
  [
    "an error event",
    [domain({ type: "error", message: "no" })],
    failedResult("no"),
  ],
  [
    "structured content alone, also as text",
    [{ kind: "structured", value: { a: 1 } }],
    { kind: "call", content: [text('{"a":1}')], structured: { a: 1 }, isError: false },
  ],
  [
    "the last structured content",
    [{ kind: "structured", value: 1 }, { kind: "structured", value: null }],
    { kind: "call", content: [text("null")], structured: null, isError: false },
  ],
  [
    "structured content beside text, without repeating itself",
    [{ kind: "structured", value: { a: 1 } }, { kind: "content", block: text("a") }],
    { kind: "call", content: [text("a")], structured: { a: 1 }, isError: false },
  ],
  [
    "text of domain events as one block, in front",
    [domain({ type: "text", text: "b" }), domain("a"), domain({ type: "stdout", line: "c" })],
    { kind: "call", content: [text("ac\n"), text("b")], isError: false },
  ],
  [
    "the result of a stream that said nothing else",
    [domain({ type: "complete", result: { a: 1 } })],
    { kind: "call", content: [text('{\n  "a": 1\n}')], isError: false },
  ],
  [
    "no result of a stream that said something",
    [domain("a"), domain({ type: "complete", result: { a: 1 } })],
    { kind: "call", content: [text("a")], isError: false },
  ],
];

Deno.test("Collector.toResult() makes one result of everything", async (t) => {
  for (const [name, events, result] of RESULTS) {
    await t.step(name, () => assertEquals(collect(events), result));
  }
});

Deno.test("Collector.isFull once the stream has said that it is done", () => {
  const { collector } = collectorOf();
  collector.add(domain({ type: "exit", code: 3 }));
  assertEquals(collector.isFull, false);
  collector.add(domain({ type: "done" }));
  assertEquals(collector.isFull, true);
});

Deno.test("Collector hands live events to the client at once", () => {
  const { collector, outlet } = collectorOf();
  collector.add({ kind: "progress", progress: 1 });
  collector.add({ kind: "log", level: "info", data: "d" });
  collector.add(domain("a"));
  collector.add(domain({ type: "tool_use", name: "t" }));
  assertEquals(
    outlet.sent.map((line) => {
      const { method, params } = JSON.parse(line);
      return [method, params.progress ?? params.data, params.message];
    }),
    [
      ["notifications/progress", 1, undefined],
      ["notifications/message", "d", undefined],
      ["notifications/progress", 2, "[Tool: t] {}"],
    ],
  );
});

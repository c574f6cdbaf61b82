// Notifications of a call: the client's token, rising values, the wished level, and no more than the rate.

import { assertEquals } from "@std/assert";
import { Notifier } from "../../../src/gateway/notifier.ts";
import type { LogLevel } from "../../../src/mcp/params.ts";
import { type RecordedOptions, recordExchange } from "./recorded_exchange.ts";

function notifierOf(options: RecordedOptions, maxPerMinute = 100) {
  const recorded = recordExchange(options);
  const clock = { now: 0 };
  const notifier = new Notifier(recorded.exchange, maxPerMinute, () => clock.now);
  const progress = (value: number) => notifier.progress({ kind: "progress", progress: value });
  const log = (level: LogLevel) => notifier.log({ kind: "log", level, data: "d" });
  return { ...recorded, notifier, clock, progress, log };
}

Deno.test("Notifier.progress() says nothing without a token", () => {
  const { outlet, progress } = notifierOf({});
  progress(1);
  assertEquals(outlet.sent, []);
});

Deno.test("Notifier.progress() sends strictly rising values only", () => {
  const { outlet, progress } = notifierOf({ progressToken: 0 });
  for (const value of [0, 0, -1, 1, 0.5, 1, NaN, 1.5, Infinity, 2]) progress(value);
  assertEquals(
    outlet.sent.map((text) => JSON.parse(text).params.progress),
    [0, 1, 1.5, 2],
  );
});

Deno.test("Notifier says nothing once the exchange is over", () => {
  for (const end of ["answer", "cancel"] as const) {
    const { exchange, outlet, progress, log } = notifierOf({ progressToken: "t", level: "debug" });
    exchange[end]("x");
    progress(1);
    log("error");
    assertEquals(outlet.sent, [], end);
  }
});

Deno.test("Notifier.log() goes by the level that the client wants, none for none", () => {
  const silent = notifierOf({ level: undefined });
  silent.log("emergency");
  assertEquals(silent.outlet.sent, []);
  const { outlet, log } = notifierOf({ level: "warning" });
  for (const level of ["debug", "info", "notice", "warning", "error"] as const) log(level);
  assertEquals(outlet.sent.map((text) => JSON.parse(text).params.level), ["warning", "error"]);
});

Deno.test("Notifier sends no more than the rate in any minute, progress and log together", () => {
  const { outlet, clock, progress, log } = notifierOf({ progressToken: 1, level: "debug" }, 3);
  progress(1);
  clock.now = 30_000;
  log("info");
  progress(2);
  progress(3);
  log("info");
  assertEquals(outlet.sent.length, 3);
  clock.now = 59_999;
  progress(4);
  assertEquals(outlet.sent.length, 3);
  // The first has left the window; the two of half a minute later have not.
  clock.now = 60_000;
  progress(5);
  progress(6);
  assertEquals(outlet.sent.length, 4);
  clock.now = 200_000;
  for (let value = 10; value < 20; value++) progress(value);
  assertEquals(outlet.sent.length, 7);
});

Deno.test("Notifier.progress() lets a value that the rate left out be followed by a lesser one", () => {
  const { outlet, clock, progress } = notifierOf({ progressToken: 1 }, 1);
  progress(1);
  progress(50);
  clock.now = 60_000;
  progress(20);
  assertEquals(outlet.sent.map((text) => JSON.parse(text).params.progress), [1, 20]);
});

Deno.test("Notifier writes in the client's revision, with the client's own token", () => {
  const event = { kind: "progress", progress: 1, total: 2, message: "m" } as const;
  const old = notifierOf({ progressToken: "t", revision: "2024-11-05" });
  old.notifier.progress(event);
  assertEquals(old.outlet.messages, [{
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "t", progress: 1, total: 2 },
  }]);
  const recent = notifierOf({ progressToken: 0, revision: "2026-07-28", level: "info" });
  recent.notifier.progress(event);
  recent.notifier.log({ kind: "log", level: "info", logger: "l", data: { a: 1 } });
  assertEquals(recent.outlet.messages, [
    {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 0, progress: 1, total: 2, message: "m" },
    },
    {
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", logger: "l", data: { a: 1 } },
    },
  ]);
});

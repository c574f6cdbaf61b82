// The events of a running tool: taken until there is a reason to stop, which is told once.

import { assertEquals } from "@std/assert";
import type { CallEvent } from "../../../src/activation/activation.ts";
import { Collector } from "../../../src/gateway/collector.ts";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import { type CallHost, gather } from "../../../src/gateway/run_tool.ts";

const GONE = new CanceledError("nobody wants it");

/** What became of a stream: how its end was told, and how often it was asked to clean up. */
class Stage implements CallHost {
  readonly told: unknown[] = [];
  cleanUps = 0;
  cancel: (reason: CanceledError) => void = () => {};
  readonly outlet = { ready: () => undefined };

  onCancel(canceler: (reason: CanceledError) => void): void {
    this.cancel = canceler;
  }

  detach(): void {}

  complete(): void {
    this.told.push("complete");
  }

  fail(error: unknown): void {
    this.told.push(error);
  }

  /** Plays the steps one after the other, and returns when nothing moves any more. */
  async play(steps: readonly (() => CallEvent | undefined)[], maxLength = 1000): Promise<void> {
    const rest = steps.values();
    const iterator: AsyncIterator<CallEvent> = {
      next: () =>
        Promise.try(() => {
          const value = rest.next().value?.();
          return value === undefined ? { done: true, value } : { done: false, value };
        }),
      return: () => {
        this.cleanUps += 1;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    const teller = { progress: () => this.cancel(GONE), log() {} };
    const collector = new Collector(teller, maxLength);
    gather({ [Symbol.asyncIterator]: () => iterator }, collector, this, this);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

const CONTENT: CallEvent = { kind: "content", block: { type: "text", text: "x".repeat(100) } };
const PROGRESS: CallEvent = { kind: "progress", progress: 1 };

Deno.test("gather() tells the end of a stream, which needs no cleaning up", async () => {
  const stage = new Stage();
  await stage.play([() => CONTENT]);
  stage.cancel(GONE);
  assertEquals([stage.told, stage.cleanUps], [["complete"], 0]);
});

Deno.test("gather() stops when the result is full, and a cancellation comes too late", async () => {
  const stage = new Stage();
  await stage.play([() => CONTENT, () => CONTENT], 50);
  stage.cancel(GONE);
  assertEquals([stage.told, stage.cleanUps], [["complete"], 1]);
});

Deno.test("gather() tells a fault of the stream, which has ended by it", async () => {
  const stage = new Stage();
  const fault = new Error("broken");
  await stage.play([() => CONTENT, () => {
    throw fault;
  }]);
  stage.cancel(GONE);
  assertEquals([stage.told, stage.cleanUps], [[fault], 0]);
});

Deno.test("gather() tells a cancellation, and takes nothing that comes after it", async () => {
  const stage = new Stage();
  await stage.play([() => PROGRESS, () => CONTENT]);
  assertEquals([stage.told, stage.cleanUps], [[GONE], 1]);
});

Deno.test("gather() tells a cancellation once that comes with the event that fills the result", async () => {
  const stage = new Stage();
  // A note is told as progress, and is part of the result.
  const note: CallEvent = { kind: "event", data: "x".repeat(100) };
  await stage.play([() => note], 50);
  assertEquals([stage.told, stage.cleanUps], [[GONE], 1]);
});

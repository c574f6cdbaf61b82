// Who hears of changes: each resource is watched once, and only while somebody listens.

import { assertEquals, assertThrows } from "@std/assert";
import type { Activation, ResourceSource } from "../../../src/activation/activation.ts";
import { Audience, type Listener, type News } from "../../../src/gateway/audience.ts";
import { createLog } from "../../../src/gateway/log.ts";
import { settle } from "./recorded_exchange.ts";

/** Watches `known` and counts how often; each watch is a queue that the test feeds. */
class WatchedActivation implements Activation {
  readonly namespace = "w";
  readonly starts: string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #known: ReadonlySet<string>;
  #next = Promise.withResolvers<"update" | "end" | "fail">();
  readonly resources = {
    list: () => Promise.resolve([]),
    templates: () => Promise.resolve([]),
    read: () => Promise.resolve(undefined),
    watch: (uri: string, signal: AbortSignal) => {
      if (!this.#known.has(uri)) return undefined;
      this.starts.push(uri);
      this.signals.push(signal);
      return this.#updates();
    },
  };

  constructor(known: readonly string[]) {
    this.#known = new Set(known);
  }

  tools() {
    return [];
  }

  async *call() {}

  async [Symbol.asyncDispose]() {}

  async tell(event: "update" | "end" | "fail"): Promise<void> {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers();
    resolve(event);
    await settle();
  }

  async *#updates(): AsyncGenerator<void> {
    while (true) {
      const event = await this.#next.promise;
      if (event === "end") return;
      if (event === "fail") throw new Error("watch broke");
      yield;
    }
  }
}

const NO_RESOURCES: ResourceSource = {
  list: () => Promise.resolve([]),
  templates: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

/** Throws whatever is to be watched. */
const THROWING: Activation = {
  namespace: "t",
  tools: () => [],
  async *call() {},
  resources: {
    ...NO_RESOURCES,
    watch() {
      throw new Error("no watching today");
    },
  },
  async [Symbol.asyncDispose]() {},
};

class RecordingListener implements Listener {
  readonly heard: News[] = [];

  hear(news: News): void {
    this.heard.push(news);
  }
}

function audienceOf(...activations: readonly Activation[]) {
  const lines: string[] = [];
  const log = createLog({ level: "debug", sink: (line) => lines.push(line) });
  return { audience: new Audience({ activations, log, maxLength: 1000 }), lines };
}

const A: News = { kind: "resource", uri: "a:1" };

Deno.test("Audience.watch() refuses what no activation can watch", () => {
  const { audience } = audienceOf(new WatchedActivation([]));
  assertEquals(audience.watch("a:1", new RecordingListener()), false);
  assertEquals(audience.watched, 0);
  assertEquals(audienceOf().audience.watch("a:1", new RecordingListener()), false);
});

Deno.test("Audience.watch() asks the next activation when one throws, and logs that", async () => {
  const activation = new WatchedActivation(["a:1"]);
  const { audience, lines } = audienceOf(THROWING, activation);
  const listener = new RecordingListener();
  assertEquals(audience.watch("a:1", listener), true);
  await settle();
  await activation.tell("update");
  assertEquals(listener.heard, [A]);
  const [line = "{}"] = lines;
  const { event, namespace, uri, error } = JSON.parse(line);
  assertEquals({ event, namespace, uri, error }, {
    event: "watch_failed",
    namespace: "t",
    uri: "a:1",
    error: "Error: no watching today",
  });
});

Deno.test("Audience.watch() throws what its activation threw when no other can watch", () => {
  const { audience } = audienceOf(new WatchedActivation([]), THROWING);
  assertThrows(
    () => audience.watch("a:1", new RecordingListener()),
    Error,
    "no watching today",
  );
  assertEquals(audience.tryWatch("a:1", new RecordingListener()), false);
  assertEquals(audience.watched, 0);
});

Deno.test("Audience.watch() aborts the signal of an activation that takes it and throws", () => {
  const signals: AbortSignal[] = [];
  const { audience } = audienceOf({
    ...THROWING,
    resources: {
      ...NO_RESOURCES,
      watch(_uri, signal) {
        signals.push(signal);
        throw new Error("no watching today");
      },
    },
  });
  assertEquals(audience.tryWatch("a:1", new RecordingListener()), false);
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
});

Deno.test("Audience.watch() starts anew after a watch has failed, and logs the failure", async () => {
  const activation = new WatchedActivation(["a:1"]);
  const { audience, lines } = audienceOf(activation);
  const listener = new RecordingListener();
  audience.watch("a:1", listener);
  await settle();
  await activation.tell("fail");
  assertEquals(audience.watched, 0);
  assertEquals(lines.map((line) => JSON.parse(line).event), ["watch_ended"]);
  audience.watch("a:1", listener);
  await settle();
  await activation.tell("update");
  assertEquals(activation.starts, ["a:1", "a:1"]);
  assertEquals(listener.heard, [A]);
});

Deno.test("Audience.watch() starts anew after a watch has ended", async () => {
  const activation = new WatchedActivation(["a:1"]);
  const { audience, lines } = audienceOf(activation);
  audience.watch("a:1", new RecordingListener());
  await settle();
  await activation.tell("end");
  assertEquals([audience.watched, lines.length], [0, 0]);
  assertEquals(audience.watch("a:1", new RecordingListener()), true);
  assertEquals(activation.starts.length, 2);
});

Deno.test("Audience watches once for many and stops with the last of them", async () => {
  const activation = new WatchedActivation(["a:1"]);
  const { audience } = audienceOf(new WatchedActivation(["b:1"]), activation);
  const [first, second] = [new RecordingListener(), new RecordingListener()];
  for (const listener of [first, second, first]) {
    assertEquals(audience.watch("a:1", listener), true);
  }
  await settle();
  await activation.tell("update");
  assertEquals([activation.starts.length, first.heard, second.heard], [1, [A], [A]]);
  audience.unwatch("a:1", first);
  assertEquals([audience.watched, activation.signals[0]?.aborted], [1, false]);
  await activation.tell("update");
  assertEquals([first.heard.length, second.heard.length], [1, 2]);
  audience.unwatch("a:1", second);
  assertEquals([audience.watched, activation.signals[0]?.aborted], [0, true]);
  await activation.tell("update");
  assertEquals(second.heard.length, 2);
});

Deno.test("Audience.unwatch() of what is not watched does nothing", () => {
  const { audience } = audienceOf(new WatchedActivation(["a:1"]));
  audience.unwatch("a:1", new RecordingListener());
  assertEquals(audience.watched, 0);
});

Deno.test("Audience.publish() reaches those who joined, until they leave", () => {
  const activation = new WatchedActivation(["a:1"]);
  const { audience } = audienceOf(activation);
  const listener = new RecordingListener();
  audience.publish({ kind: "tools" });
  audience.join(listener);
  audience.watch("a:1", listener);
  audience.publish({ kind: "prompts" });
  audience.leave(listener);
  audience.publish({ kind: "tools" });
  assertEquals(listener.heard, [{ kind: "prompts" }]);
  assertEquals([audience.watched, activation.signals[0]?.aborted], [0, true]);
});

Deno.test("Audience ends all watching when it is disposed of", () => {
  const activation = new WatchedActivation(["a:1", "a:2"]);
  const { audience } = audienceOf(activation);
  const listener = new RecordingListener();
  audience.join(listener);
  audience.watch("a:1", listener);
  audience.watch("a:2", listener);
  audience[Symbol.dispose]();
  audience.publish({ kind: "tools" });
  assertEquals([audience.watched, listener.heard], [0, []]);
  assertEquals(activation.signals.map(({ aborted }) => aborted), [true, true]);
});

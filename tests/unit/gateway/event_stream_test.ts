// One stream of events: what goes out, what is kept, and how a client goes on with it.

import { assertEquals } from "@std/assert";
import { EventStream, eventText, parseEventId } from "../../../src/gateway/event_stream.ts";
import { MemorySessionStore, type SessionStore } from "../../../src/gateway/store.ts";
import type { HttpStream } from "../../../src/transport/http.ts";

/** Remembers what is sent. */
class RecordedStream implements HttpStream {
  text = "";
  isEnded = false;

  send(text: string): void {
    this.text += text;
  }

  ready(): Promise<void> | undefined {
    return undefined;
  }

  end(): void {
    this.isEnded = true;
  }
}

function createStore(): MemorySessionStore {
  return new MemorySessionStore({ maxSessionLength: 1e6, maxLength: 1e6 });
}

function createStream(store: SessionStore = createStore()): EventStream {
  return new EventStream({ session: "s", id: "a", store });
}

const IDS: readonly (readonly [string, unknown])[] = [
  ["a-1", { stream: "a", number: 1 }],
  ["0xyz9-0", { stream: "0xyz9", number: 0 }],
  ["a-999999999999", { stream: "a", number: 999999999999 }],
  ["", undefined],
  ["a", undefined],
  ["a-", undefined],
  ["-1", undefined],
  ["a--1", undefined],
  ["a-1-1", undefined],
  ["A-1", undefined],
  ["a-1e1", undefined],
  ["a-1 ", undefined],
  ["a-1\n", undefined],
  ["a".repeat(13) + "-1", undefined],
  ["a-" + "1".repeat(13), undefined],
];

Deno.test("parseEventId() reads only ids that could be ours", async (t) => {
  for (const [id, position] of IDS) {
    await t.step(JSON.stringify(id), () => assertEquals<unknown>(parseEventId(id), position));
  }
});

Deno.test("eventText() is one event, with an id only where it is told one", () => {
  assertEquals(eventText("{}"), "event: message\ndata: {}\n\n");
  assertEquals(eventText("{}", "a-1"), "event: message\nid: a-1\ndata: {}\n\n");
});

Deno.test("EventStream.prime() names the last event sent, so that nothing comes twice", async () => {
  const stream = createStream();
  stream.attach(new RecordedStream());
  stream.send("1");
  stream.send("2");
  const again = new RecordedStream();
  stream.attach(again);
  stream.prime(500);
  assertEquals(again.text, "id: a-2\nretry: 500\ndata:\n\n");
  const resumed = new RecordedStream();
  assertEquals(await stream.resume(2, { open: () => resumed, goesOn: stream }), "resumed");
  assertEquals(resumed.text, "");
});

Deno.test("EventStream numbers what it sends and keeps it while nobody listens", async () => {
  const stream = createStream();
  const first = new RecordedStream();
  stream.attach(first);
  stream.prime(500);
  stream.send("1");
  stream.lose(first);
  assertEquals(stream.isAttached, false);
  stream.send("2");
  assertEquals(
    first.text,
    "id: a-0\nretry: 500\ndata:\n\nevent: message\nid: a-1\ndata: 1\n\n",
  );
  const second = new RecordedStream();
  assertEquals(await stream.resume(1, { open: () => second, goesOn: stream }), "resumed");
  stream.send("3");
  assertEquals(second.text, eventText("2", "a-2") + eventText("3", "a-3"));
});

Deno.test("EventStream is left by its own connection only", () => {
  const stream = createStream();
  const old = new RecordedStream();
  const current = new RecordedStream();
  stream.attach(old);
  stream.attach(current);
  assertEquals([old.isEnded, current.isEnded], [true, false]);
  stream.lose(old);
  assertEquals(stream.isAttached, true);
});

Deno.test("EventStream ends its connection when it ends, and sends no more", () => {
  const store = createStore();
  const stream = createStream(store);
  const sink = new RecordedStream();
  stream.attach(sink);
  stream.end();
  stream.send("late");
  stream.keepAlive();
  assertEquals([sink.isEnded, sink.text, store.length], [true, "", 0]);
});

Deno.test("EventStream lets a client go without ending", async () => {
  const stream = createStream();
  const sink = new RecordedStream();
  stream.attach(sink);
  stream.release(200);
  assertEquals([sink.isEnded, sink.text], [true, "retry: 200\n\n"]);
  stream.send("1");
  const next = new RecordedStream();
  await stream.resume(0, { open: () => next, goesOn: stream });
  assertEquals(next.text, eventText("1", "a-1"));
});

Deno.test("EventStream that is over ends behind its last event", async () => {
  const store = createStore();
  const live = createStream(store);
  live.send("1");
  live.send("2");
  live.end();
  const sink = new RecordedStream();
  const over = createStream(store);
  assertEquals(await over.resume(1, { open: () => sink, goesOn: undefined }), "resumed");
  assertEquals([sink.isEnded, sink.text], [true, eventText("2", "a-2")]);
});

Deno.test("EventStream opens nothing when it cannot go on without a gap", async () => {
  const store = new MemorySessionStore({ maxSessionLength: 150, maxLength: 1e6 });
  const stream = createStream(store);
  for (let count = 0; count < 10; count++) stream.send("x");
  const open = () => {
    throw new Error("Nothing must be opened");
  };
  assertEquals(await stream.resume(2, { open, goesOn: stream }), "lost");
  assertEquals(await stream.resume(11, { open, goesOn: stream }), "lost");
  assertEquals(await createStream().resume(0, { open, goesOn: undefined }), "lost");
});

Deno.test("EventStream resumed before its first event waits for it", async () => {
  const stream = createStream();
  const sink = new RecordedStream();
  assertEquals(await stream.resume(0, { open: () => sink, goesOn: stream }), "resumed");
  stream.send("1");
  assertEquals(sink.text, eventText("1", "a-1"));
});

Deno.test("EventStream goes on as another one where it is told so", async () => {
  const store = createStore();
  const before = createStream(store);
  before.send("1");
  const after = new EventStream({ session: "s", id: "b", store });
  const sink = new RecordedStream();
  await createStream(store).resume(0, { open: () => sink, goesOn: after });
  after.send("2");
  assertEquals(sink.text, eventText("1", "a-1") + eventText("2", "b-1"));
});

Deno.test("EventStream loses nothing that is sent while a slow store is asked", async () => {
  const memory = createStore();
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow: SessionStore = {
    save: (record) => memory.save(record),
    find: (id) => memory.find(id),
    drop: (id) => memory.drop(id),
    append: (session, event) => memory.append(session, event),
    async eventsAfter(session, stream, number) {
      const events = memory.eventsAfter(session, stream, number);
      asked.resolve();
      await released.promise;
      return events;
    },
  };
  const stream = createStream(slow);
  stream.send("1");
  stream.send("2");
  const sink = new RecordedStream();
  const resumed = stream.resume(1, { open: () => sink, goesOn: stream });
  await asked.promise;
  stream.send("3");
  stream.send("4");
  released.resolve();
  assertEquals(await resumed, "resumed");
  stream.send("5");
  const all = [2, 3, 4, 5].map((number) => eventText(`${number}`, `a-${number}`));
  assertEquals(sink.text, all.join(""));
});

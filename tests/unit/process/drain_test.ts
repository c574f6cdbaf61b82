import { assert, assertEquals } from "@std/assert";
import { drainHead, drainTail } from "../../../src/process/drain.ts";
import { Slots } from "../../../src/process/slots.ts";

function toStream(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

Deno.test("drainHead() overflows once, keeps the head and reads on", async () => {
  let overflows = 0;
  const drain = drainHead(toStream("abc", "def", "ghi"), 4, () => overflows += 1);
  const { bytes, total } = await drain.done;
  assertEquals(new TextDecoder().decode(bytes), "abcd");
  assertEquals([total, overflows, drain.isDone()], [9, 1, true]);
});

Deno.test("drainHead() keeps everything up to the limit", async () => {
  const { bytes } = await drainHead(toStream("ab", "cd"), 4, () => assert(false)).done;
  assertEquals(new TextDecoder().decode(bytes), "abcd");
  assertEquals((await drainHead(toStream(), 4, () => assert(false)).done).bytes.length, 0);
});

Deno.test("drainHead() settles with what it has when given up", async () => {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([1, 2])),
  });
  const drain = drainHead(stream, 10, () => {});
  assertEquals(drain.isDone(), false);
  await Promise.resolve();
  drain.giveUp();
  assertEquals((await drain.done).total <= 2, true);
});

Deno.test("drainTail() keeps the end of a long stream", async () => {
  const chunks = Array.from({ length: 100 }, (_, index) => String(index % 10));
  const drain = drainTail(toStream(...chunks), 5);
  const { bytes, total } = await drain.done;
  assertEquals([new TextDecoder().decode(bytes), total], ["56789", 100]);
  assertEquals(new TextDecoder().decode(drain.tail()), "56789");
});

Deno.test("Slots gives places in order and forgets who no longer waits", async () => {
  const slots = new Slots(1);
  const never = new AbortController().signal;
  assertEquals(await slots.acquire(AbortSignal.abort()), "canceled");
  assertEquals(await slots.acquire(never), "acquired");
  const cancel = new AbortController();
  const canceled = slots.acquire(cancel.signal);
  const second = slots.acquire(never);
  cancel.abort();
  assertEquals(await canceled, "canceled");
  slots.release();
  assertEquals(await second, "acquired");
  assertEquals(slots.tryAcquire(), false);
  slots.release();
  assertEquals(slots.tryAcquire(), true);
});

Deno.test("Slots refuses more than it can let wait", async () => {
  const slots = new Slots(1);
  const end = new AbortController();
  assertEquals(slots.tryAcquire(), true);
  const waiting = Array.from({ length: 64 }, () => slots.acquire(end.signal));
  assertEquals(await slots.acquire(end.signal), "full");
  end.abort();
  assertEquals(new Set(await Promise.all(waiting)), new Set(["canceled"]));
});

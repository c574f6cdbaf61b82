// Tasks in memory: found by their owner alone, final once ended, mortal, and never too many.

import { assertEquals, assertRejects } from "@std/assert";
import { MemoryTaskStore } from "../../../src/gateway/task_store.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";
import type { Task, TaskState } from "../../../src/mcp/model.ts";

const LIMITS = { maxTasks: 4, maxTasksPerOwner: 3, maxTaskResultsLength: 1000 };

function taskOf(taskId: string, parts: Partial<Task> = {}): Task {
  return {
    taskId,
    createdAt: 0,
    updatedAt: 0,
    ttlMs: 1000,
    pollIntervalMs: 1,
    state: { status: "working" },
    ...parts,
  };
}

function completed(text: string): TaskState {
  const content = [{ type: "text", text }] as const;
  return { status: "completed", result: { kind: "call", content, isError: false } };
}

/** A store whose clock stands where the test puts it. */
function storeAt(clock: { now: number } = { now: 0 }, limits = LIMITS): MemoryTaskStore {
  return new MemoryTaskStore(limits, () => clock.now);
}

async function kept(store: MemoryTaskStore, owner: string, ids: string): Promise<string> {
  const found = await Promise.all([...ids].map((id) => store.find(id, owner)));
  return found.map((task) => task?.taskId ?? "-").join("");
}

Deno.test("MemoryTaskStore.find() finds nothing of another owner", async () => {
  const store = storeAt();
  const task = taskOf("a");
  await store.create("ada", task);
  assertEquals(await store.find("a", "ada"), task);
  for (const owner of ["", "Ada", "eve", "__proto__"]) {
    assertEquals(await store.find("a", owner), undefined);
  }
  assertEquals(await store.find("b", "ada"), undefined);
});

Deno.test("MemoryTaskStore.create() refuses when all others of the owner are under way", async () => {
  const store = storeAt();
  for (const id of "abc") await store.create("ada", taskOf(id));
  const error = await assertRejects(() => store.create("ada", taskOf("d")), RpcError);
  assertEquals([error.code, error.message], [
    -32603,
    "Server busy: 3 tasks are under way; wait for one to end, or cancel one",
  ]);
  await store.create("eve", taskOf("d"));
  await assertRejects(() => store.create("eve", taskOf("e")), RpcError, "Server busy: 4 tasks");
  assertEquals([store.size, await kept(store, "ada", "abcd")], [4, "abc-"]);
});

Deno.test("MemoryTaskStore.create() lets the owner's oldest ended task give way first", async () => {
  const store = storeAt();
  await store.create("eve", taskOf("e"));
  for (const id of "abc") await store.create("ada", taskOf(id));
  for (const id of "ecb") await store.update(taskOf(id, { state: { status: "cancelled" } }));
  await store.create("ada", taskOf("d"));
  assertEquals(await kept(store, "ada", "abcd"), "a-cd");
  await store.create("eve", taskOf("f"));
  assertEquals([await kept(store, "ada", "abcd"), await kept(store, "eve", "ef")], ["a-cd", "-f"]);
  // Nothing of their own has ended: another's does.
  await store.create("eve", taskOf("g"));
  assertEquals([await kept(store, "ada", "abcd"), await kept(store, "eve", "fg")], ["a--d", "fg"]);
  assertEquals(store.size, 4);
});

Deno.test("MemoryTaskStore.update() leaves ended tasks as they are, and makes none", async () => {
  const store = storeAt();
  await store.create("", taskOf("a"));
  const done = taskOf("a", { state: completed("x") });
  await store.update(done);
  await store.update(taskOf("a", { state: { status: "cancelled" } }));
  await store.update(taskOf("a"));
  assertEquals(await store.find("a", ""), done);
  await store.update(taskOf("b"));
  assertEquals([store.size, await store.find("b", "")], [1, undefined]);
});

Deno.test("MemoryTaskStore.update() keeps no more text than the bound, the newest first", async () => {
  const store = storeAt({ now: 0 }, { ...LIMITS, maxTasks: 100, maxTasksPerOwner: 100 });
  await store.create("", taskOf("w"));
  for (const id of "abcdef") {
    await store.create("", taskOf(id));
    await store.update(taskOf(id, { state: completed("x".repeat(300)) }));
    assertEquals(store.length <= 1000, true);
  }
  assertEquals(await kept(store, "", "wabcdef"), "w----ef");
  await store.create("", taskOf("g"));
  await store.update(taskOf("g", { state: completed("x".repeat(5000)) }));
  assertEquals(await kept(store, "", "wefg"), "w--g");
  await store.create("", taskOf("h"));
  await store.update(taskOf("h", { state: completed("") }));
  assertEquals([await kept(store, "", "wgh"), store.length < 100], ["w-h", true]);
});

Deno.test("MemoryTaskStore finds nothing after its time, and sweep() lets go of it", async () => {
  const clock = { now: 0 };
  const store = storeAt(clock);
  await store.create("", taskOf("a", { ttlMs: 10 }));
  await store.create("", taskOf("b", { ttlMs: 20 }));
  await store.update(taskOf("a", { ttlMs: 10, state: completed("x") }));
  clock.now = 9;
  assertEquals(await kept(store, "", "ab"), "ab");
  assertEquals(await store.sweep(), { expired: [], left: 2 });
  clock.now = 10;
  assertEquals([await kept(store, "", "ab"), store.size], ["-b", 2]);
  assertEquals(await store.sweep(), { expired: ["a"], left: 1 });
  assertEquals([store.size, store.length], [1, 0]);
  clock.now = 1e15;
  assertEquals(await store.sweep(), { expired: ["b"], left: 0 });
});

Deno.test("MemoryTaskStore.update() takes from who has most, never the last of another", async () => {
  const store = storeAt();
  await store.create("eve", taskOf("e"));
  await store.update(taskOf("e", { state: completed("x".repeat(100)) }));
  for (const id of "abc") {
    await store.create("ada", taskOf(id));
    await store.update(taskOf(id, { state: completed("x".repeat(300)) }));
  }
  assertEquals([await kept(store, "eve", "e"), await kept(store, "ada", "abc")], ["e", "-bc"]);
  assertEquals(store.length <= LIMITS.maxTaskResultsLength, true);
});

Deno.test("MemoryTaskStore.update() keeps to the bound although one result is longest of all", async () => {
  const store = storeAt();
  await store.create("eve", taskOf("e"));
  await store.update(taskOf("e", { state: completed("x".repeat(300)) }));
  await store.create("ada", taskOf("a"));
  await store.update(taskOf("a", { state: completed("x".repeat(700)) }));
  assertEquals([await kept(store, "eve", "e"), await kept(store, "ada", "a")], ["-", "a"]);
});

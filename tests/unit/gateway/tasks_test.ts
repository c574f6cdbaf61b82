// The tasks of a gateway, without any wire: whose they are, how long they live, and who wins a race.

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { CanceledError, type Exchange } from "../../../src/gateway/exchange.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/gateway/limits.ts";
import { createLog } from "../../../src/gateway/log.ts";
import type { RunningTask, TaskWork } from "../../../src/gateway/running_task.ts";
import { MemoryTaskStore, type Sweeping } from "../../../src/gateway/task_store.ts";
import { TaskListener } from "../../../src/gateway/task_listener.ts";
import { Tasks, type TasksOptions } from "../../../src/gateway/tasks.ts";
import { RpcError } from "../../../src/jsonrpc/message.ts";
import type { Task, ToolResult } from "../../../src/mcp/model.ts";
import { SchemaValidator } from "../../../src/router/validation.ts";
import { withDeadline } from "../../harness/deadline.ts";
import { NAME } from "../../harness/questions.ts";
import { stay } from "../../harness/stay.ts";
import { recordExchange, settle } from "./recorded_exchange.ts";

const DONE: ToolResult = { kind: "call", content: [], isError: false };
const ADA = { action: "accept", content: { name: "Ada" } };
const HOUR = 3_600_000;

interface Clock {
  now: number;
}

function tasksAt(
  clock: Clock,
  limits: Partial<Limits> = {},
  options: Partial<TasksOptions> = {},
): Tasks {
  return new Tasks({
    limits: { ...DEFAULT_LIMITS, ...limits },
    validator: new SchemaValidator(),
    log: createLog({ level: "error", sink: () => {} }),
    now: () => clock.now,
    ...options,
  });
}

/** A call that does nothing but notice that it was canceled. */
class Work implements TaskWork {
  readonly exchange: Exchange;
  readonly canceled: Promise<CanceledError>;
  readonly cancel: (reason: CanceledError) => void;

  constructor(owner = "") {
    const capabilities = { elicitation: {} };
    this.exchange = recordExchange({ revision: "2026-07-28", owner, capabilities }).exchange;
    const { promise, resolve } = Promise.withResolvers<CanceledError>();
    this.canceled = promise;
    this.cancel = resolve;
  }
}

async function stateOf(tasks: Tasks, running: RunningTask, owner = ""): Promise<unknown> {
  return (await tasks.find(running.task.taskId, owner))?.state.status;
}

Deno.test("Tasks.handle() knows nothing of another owner's task", async () => {
  using tasks = tasksAt({ now: 0 });
  const running = await tasks.open(new Work("ada"), undefined);
  const { taskId } = running.task;
  const unknown = await assertRejects(() => tasks.handle("tasks/get", "ada", { taskId: "x" }));
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"] as const) {
    for (const owner of ["eve", "", "Ada"]) {
      const error = await assertRejects(() => tasks.handle(method, owner, { taskId }), RpcError);
      assert(unknown instanceof RpcError);
      assertEquals([error.code, error.message], [unknown.code, unknown.message]);
    }
  }
  assertEquals(await stateOf(tasks, running, "ada"), "working");
});

Deno.test("Tasks.open() keeps no more of requests than there is room for, until tasks end", async () => {
  const { length } = new Work().exchange;
  using tasks = tasksAt({ now: 0 }, { maxQueuedLength: 2 * length });
  const first = await tasks.open(new Work(), undefined);
  await tasks.open(new Work(), undefined);
  const error = await assertRejects(() => tasks.open(new Work(), undefined), RpcError);
  assertEquals(
    error.message,
    "Server busy: 2 tasks are under way; wait for one to end, or cancel one",
  );
  first.end({ status: "completed", result: DONE });
  await settle();
  await tasks.open(new Work(), undefined);
});

Deno.test("Tasks.open() lets no owner keep all the room for requests", async () => {
  const { length } = new Work("ada").exchange;
  using tasks = tasksAt({ now: 0 }, { maxQueuedLength: 4 * length });
  for (let count = 0; count < 3; count++) await tasks.open(new Work("ada"), undefined);
  await assertRejects(() => tasks.open(new Work("ada"), undefined), RpcError, "Server busy");
  await tasks.open(new Work("eve"), undefined);
  await assertRejects(() => tasks.open(new Work("eve"), undefined), RpcError, "Server busy");
});

Deno.test("Tasks.open() gives every task another long id", async () => {
  using tasks = tasksAt({ now: 0 });
  const ids = new Set<string>();
  for (let count = 0; count < 100; count++) {
    ids.add((await tasks.open(new Work(), undefined)).task.taskId);
  }
  assertEquals(ids.size, 100);
  for (const id of ids) assert(/^[A-Za-z0-9_-]{32}$/.test(id), id);
});

Deno.test("Tasks.open() asks clients to come back after a whole, sensible time", async () => {
  using tasks = tasksAt({ now: 0 });
  const CASES = [
    [undefined, 1000],
    [200, 200],
    [0.5, 1000],
    [1.2, 2],
    [0, 1000],
    [-5, 1000],
    [NaN, 1000],
    [Infinity, HOUR],
  ] as const;
  for (const [retryMs, expected] of CASES) {
    const { task } = await tasks.open(new Work(), retryMs);
    assertEquals(task.pollIntervalMs, expected, String(retryMs));
  }
});

Deno.test("Tasks end what runs too long, when the next one comes", async () => {
  const clock = { now: 0 };
  using tasks = tasksAt(clock);
  const work = new Work();
  const running = await tasks.open(work, undefined);
  const other = await tasks.open(new Work(), undefined);
  other.end({ status: "completed", result: DONE });
  clock.now = HOUR - 1;
  await tasks.open(new Work(), undefined);
  assertEquals([await stateOf(tasks, running), await stateOf(tasks, other)], [
    "working",
    "completed",
  ]);
  clock.now = HOUR;
  assertEquals([await stateOf(tasks, running), await stateOf(tasks, other)], [
    undefined,
    undefined,
  ]);
  await tasks.open(new Work(), undefined);
  assertEquals(
    (await work.canceled).message,
    "The request was canceled: it has run longer than a task may",
  );
  assertEquals(tasks.running, 2);
});

Deno.test("Tasks end what runs too long, even when nobody comes any more", async () => {
  const clock = { now: 0 };
  using tasks = tasksAt(clock, { taskTtlMs: 8 });
  const work = new Work();
  await tasks.open(work, undefined);
  clock.now = 8;
  // The task's own timer keeps no process alive; the deadline's does.
  await withDeadline(work.canceled, () => "The task was not ended");
  assertEquals(tasks.running, 0);
});

Deno.test("Tasks can be asked for long enough after their end", async () => {
  const clock = { now: 0 };
  using tasks = tasksAt(clock);
  const early = await tasks.open(new Work(), undefined);
  const late = await tasks.open(new Work(), undefined);
  early.end({ status: "completed", result: DONE });
  clock.now = HOUR - 1;
  late.end({ status: "completed", result: DONE });
  assertEquals([early.task.ttlMs, late.task.ttlMs], [HOUR, HOUR - 1 + 600_000]);
  clock.now = HOUR + 1;
  assertEquals([await stateOf(tasks, early), await stateOf(tasks, late)], [
    undefined,
    "completed",
  ]);
});

Deno.test("Tasks: whoever ends a task first has the last word", async () => {
  using tasks = tasksAt({ now: 0 });
  const finished = await tasks.open(new Work(), undefined);
  const { taskId } = finished.task;
  finished.end({ status: "completed", result: DONE });
  await tasks.handle("tasks/cancel", "", { taskId });
  finished.cancel("late");
  assertEquals(await stateOf(tasks, finished), "completed");
  const canceled = await tasks.open(new Work(), undefined);
  canceled.cancel("first");
  canceled.end({ status: "completed", result: DONE });
  canceled.describe("busy");
  await assertRejects(() => canceled.ask("late", NAME), CanceledError);
  assertEquals(await stateOf(tasks, canceled), "cancelled");
  assertEquals(tasks.running, 0);
});

Deno.test("Tasks take each answer once, however many come at the same time", async () => {
  using tasks = tasksAt({ now: 0 });
  const running = await tasks.open(new Work(), undefined);
  const { taskId } = running.task;
  const heard: string[] = [];
  await tasks.watch(taskId, "", { hear: (task: Task) => void heard.push(task.state.status) });
  const answer = running.ask("who", NAME);
  const update = (name: string) =>
    tasks.handle("tasks/update", "", {
      taskId,
      inputResponses: { who: { action: "accept", content: { name } } },
    });
  await Promise.all([update("Ada"), update("Eve"), update("Mallory")]);
  assertEquals(await answer, { kind: "elicited", action: "accept", content: { name: "Ada" } });
  assertEquals(heard, ["input_required", "working"]);
});

Deno.test("Tasks: an answer and a cancellation at once harm nobody", async () => {
  using tasks = tasksAt({ now: 0 });
  const running = await tasks.open(new Work(), undefined);
  const { taskId } = running.task;
  const answer = running.ask("who", NAME);
  const update = tasks.handle("tasks/update", "", { taskId, inputResponses: { who: ADA } });
  const cancel = tasks.handle("tasks/cancel", "", { taskId });
  await Promise.allSettled([update, cancel, answer]);
  assertEquals(await stateOf(tasks, running), "cancelled");
});

Deno.test("Tasks are all canceled at the end, those too that open meanwhile", async () => {
  const tasks = tasksAt({ now: 0 });
  const first = new Work();
  const second = new Work();
  await tasks.open(first, undefined);
  const opening = tasks.open(second, undefined);
  tasks[Symbol.dispose]();
  await opening;
  for (const { canceled } of [first, second]) {
    assertEquals((await canceled).message, "The request was canceled: the server has ended");
  }
  assertEquals(tasks.running, 0);
});

Deno.test("Tasks do not wait for ever for a store that never answers, and the log tells", async () => {
  using _stay = stay();
  class SilentStore extends MemoryTaskStore {
    isSilent = false;
    override create(owner: string, task: Task): Promise<void> {
      return this.isSilent ? new Promise(() => {}) : super.create(owner, task);
    }
    override update(): Promise<void> {
      return new Promise(() => {});
    }
    override find(): Promise<Task | undefined> {
      return new Promise(() => {});
    }
  }
  const lines: string[] = [];
  const log = createLog({ level: "error", sink: (line) => void lines.push(line) });
  const store = new SilentStore(DEFAULT_LIMITS);
  using tasks = tasksAt({ now: 0 }, { storeTimeoutMs: 1 }, { store, log });
  const running = await tasks.open(new Work(), undefined);
  running.end({ status: "completed", result: DONE });
  await tasks.written();
  assertEquals(lines.length, 1);
  assertEquals(await tasks.find(running.task.taskId, ""), undefined);
  store.isSilent = true;
  await assertRejects(
    () => tasks.open(new Work(), undefined),
    Error,
    "The store of tasks gave no answer within 1 ms",
  );
  for (const line of lines) assert(line.includes("gave no answer within 1 ms"), line);
});

/** A store of tasks that does its work and tells of it when the test lets it. */
class LateStore extends MemoryTaskStore {
  readonly #gate = Promise.withResolvers<void>();
  late: "create" | "sweep" | undefined;

  release(): void {
    this.late = undefined;
    this.#gate.resolve();
  }

  override async create(owner: string, task: Task): Promise<void> {
    if (this.late === "create") await this.#gate.promise;
    await super.create(owner, task);
  }

  override async sweep(): Promise<Sweeping> {
    const swept = await super.sweep();
    if (this.late === "sweep") await this.#gate.promise;
    return swept;
  }
}

Deno.test("Tasks that a store creates too late count for nobody", async () => {
  using _stay = stay();
  const store = new LateStore({ ...DEFAULT_LIMITS, maxTasksPerOwner: 1 }, () => 0);
  using tasks = tasksAt({ now: 0 }, { storeTimeoutMs: 1 }, { store });
  store.late = "create";
  await assertRejects(() => tasks.open(new Work("ada"), undefined), Error, "gave no answer");
  store.release();
  await settle();
  const running = await tasks.open(new Work("ada"), undefined);
  assertEquals(await stateOf(tasks, running, "ada"), "working");
});

Deno.test("Tasks that have expired end although their store tells so too late", async () => {
  using _stay = stay();
  const clock = { now: 0 };
  const store = new LateStore(DEFAULT_LIMITS, () => clock.now);
  using tasks = tasksAt(clock, { storeTimeoutMs: 1, taskTtlMs: HOUR }, { store });
  const running = await tasks.open(new Work("ada"), undefined);
  clock.now = 2 * HOUR;
  store.late = "sweep";
  await assertRejects(() => tasks.open(new Work("eve"), undefined), Error, "gave no answer");
  store.release();
  await settle();
  assertEquals([running.task.state.status, tasks.running], ["cancelled", 0]);
});

Deno.test("Tasks are canceled at another server although the store is slow to keep that", async () => {
  using _stay = stay();
  class SlowToKeep extends MemoryTaskStore {
    override update(): Promise<void> {
      return new Promise(() => {});
    }
    override async order(...order: Parameters<MemoryTaskStore["order"]>): Promise<boolean> {
      // Both servers wait for the store, this one from before to behind the other.
      await new Promise((resolve) => setTimeout(resolve, 2));
      return await super.order(...order);
    }
  }
  const store = new SlowToKeep(DEFAULT_LIMITS, () => 0);
  using here = tasksAt({ now: 0 }, { storeTimeoutMs: 20 }, { store });
  using there = tasksAt({ now: 0 }, { storeTimeoutMs: 20 }, { store });
  const { task: { taskId } } = await there.open(new Work(), undefined);
  assertEquals(await here.handle("tasks/cancel", "", { taskId }), { kind: "empty" });
  assertEquals(there.running, 0);
});

Deno.test("Tasks are kept in the order of their states although the store is slow", async () => {
  const kept: string[] = [];
  const gates: (() => void)[] = [];
  class OneByOne extends MemoryTaskStore {
    override async update(task: Task): Promise<void> {
      await new Promise<void>((resolve) => gates.push(resolve));
      kept.push(task.state.status);
      await super.update(task);
    }
  }
  using tasks = tasksAt({ now: 0 }, {}, { store: new OneByOne(DEFAULT_LIMITS, () => 0) });
  const running = await tasks.open(new Work(), undefined);
  const asked = running.ask("name", NAME);
  await settle();
  await running.answer({ name: ADA });
  await asked;
  running.end({ status: "completed", result: DONE });
  await settle();
  assertEquals(gates.length, 1, "one at a time");
  while (gates.length > 0) {
    gates.shift()?.();
    await settle();
  }
  assertEquals(kept, ["input_required", "completed"]);
});

Deno.test("Tasks can be canceled however often they tell of themselves to a store that hangs", async () => {
  using _stay = stay();
  class Hanging extends MemoryTaskStore {
    override update(): Promise<void> {
      return new Promise(() => {});
    }
  }
  const store = new Hanging(DEFAULT_LIMITS, () => 0);
  using tasks = tasksAt({ now: 0 }, { storeTimeoutMs: 10 }, { store });
  const running = await tasks.open(new Work(), undefined);
  running.describe("busy");
  let told = 0;
  const telling = setInterval(() => running.describe(`busy ${told += 1}`), 1);
  try {
    const { taskId } = running.task;
    const canceled = tasks.handle("tasks/cancel", "", { taskId });
    assertEquals(await withDeadline(canceled, () => "It is not canceled"), { kind: "empty" });
  } finally {
    clearInterval(telling);
  }
  assertEquals([running.task.state.status, tasks.running], ["cancelled", 0]);
});

Deno.test("Tasks live on when their store fails, and the log tells", async () => {
  class BrokenStore extends MemoryTaskStore {
    override update(task: Task): Promise<void> {
      const gone = new TypeError("The store is gone");
      if (task.state.status === "cancelled") throw gone;
      return Promise.reject(gone);
    }
    override find(): Promise<Task | undefined> {
      return Promise.reject(new TypeError("The store is gone"));
    }
  }
  const lines: string[] = [];
  const log = createLog({ level: "error", sink: (line) => void lines.push(line) });
  using tasks = tasksAt({ now: 0 }, {}, { store: new BrokenStore(DEFAULT_LIMITS), log });
  const running = await tasks.open(new Work(), undefined);
  running.end({ status: "completed", result: DONE });
  await settle();
  assertEquals(lines.length, 1);
  assertEquals(await tasks.find(running.task.taskId, ""), undefined);
  assertEquals(lines.length, 2);
  (await tasks.open(new Work(), undefined)).end({ status: "cancelled" });
  assertEquals(lines.length, 3);
  for (const line of lines) assert(line.includes("task_lost"));
});

Deno.test("TaskListener keeps only ids for a client that does not read", async () => {
  using tasks = tasksAt({ now: 0 });
  const { exchange, outlet } = recordExchange({ id: 3, revision: "2026-07-28" });
  const first = await tasks.open(new Work(), undefined);
  const second = await tasks.open(new Work("eve"), undefined);
  using listener = new TaskListener(tasks, exchange, { id: 3 });
  const ids = [first.task.taskId, second.task.taskId];
  assertEquals(await listener.watch(ids), [first.task.taskId]);
  outlet.block();
  listener.start();
  first.ask("who", NAME).catch(() => {});
  first.end({ status: "completed", result: DONE });
  second.end({ status: "completed", result: DONE });
  await settle();
  assertEquals(outlet.sent, []);
  outlet.unblock();
  await settle();
  assertEquals(outlet.messages.map(statusOf), ["completed"]);
});

Deno.test("TaskListener says nothing before it starts nor after its end", async () => {
  using tasks = tasksAt({ now: 0 });
  const { exchange, outlet } = recordExchange({ revision: "2026-07-28" });
  const running = await tasks.open(new Work(), undefined);
  const listener = new TaskListener(tasks, exchange, {});
  await listener.watch([running.task.taskId]);
  running.ask("who", NAME).catch(() => {});
  await settle();
  assertEquals(outlet.sent, []);
  listener.start();
  await settle();
  running.ask("who", NAME).catch(() => {});
  assertEquals(outlet.messages.map(statusOf), ["input_required", "input_required"]);
  listener[Symbol.dispose]();
  running.end({ status: "cancelled" });
  listener.start();
  await settle();
  assertEquals(outlet.sent.length, 2);
  assertNotEquals(outlet.sent[0], outlet.sent[1]);
});

function statusOf(message: unknown): unknown {
  return Object(Object(message).params).status;
}

Deno.test("Tasks that share a store end what runs at another when its time is over", async () => {
  const clock = { now: 0 };
  const store = new MemoryTaskStore(DEFAULT_LIMITS, () => clock.now);
  using here = tasksAt(clock, {}, { store });
  using there = tasksAt(clock, {}, { store });
  const work = new Work();
  await here.open(work, undefined);
  clock.now = HOUR;
  await there.open(new Work(), undefined);
  assert((await work.canceled).message.endsWith("it has run longer than a task may"));
});

Deno.test("Tasks whose server is gone can be canceled, and stay so", async () => {
  const store = new MemoryTaskStore(DEFAULT_LIMITS, () => 0);
  using tasks = tasksAt({ now: 0 }, {}, { store });
  const orphan: Task = {
    taskId: "orphan",
    createdAt: 0,
    updatedAt: 0,
    ttlMs: HOUR,
    pollIntervalMs: 1,
    state: { status: "working" },
  };
  await store.create("", orphan);
  await tasks.handle("tasks/update", "", { taskId: "orphan", inputResponses: {} });
  assertEquals((await tasks.find("orphan", ""))?.state.status, "working");
  const heard: string[] = [];
  await tasks.watch("orphan", "", { hear: ({ state }) => heard.push(state.status) });
  await tasks.handle("tasks/cancel", "", { taskId: "orphan" });
  assertEquals((await tasks.find("orphan", ""))?.state.status, "cancelled");
  assertEquals(heard, ["cancelled"]);
});

/** A store that is told late. */
class SlowStore extends MemoryTaskStore {
  readonly #telling = Promise.withResolvers<void>();

  constructor() {
    super(DEFAULT_LIMITS, () => 0);
  }

  override async update(task: Task): Promise<void> {
    await this.#telling.promise;
    await super.update(task);
  }

  goOn(): void {
    this.#telling.resolve();
  }
}

Deno.test("Tasks are found as they stand although the store is still being told", async () => {
  const store = new SlowStore();
  using tasks = tasksAt({ now: 0 }, {}, { store });
  const running = await tasks.open(new Work(), undefined);
  running.end({ status: "completed", result: DONE });
  const found = tasks.find(running.task.taskId, "");
  store.goOn();
  assertEquals((await found)?.state.status, "completed");
});

Deno.test("Tasks that have ended at one server are not canceled at another, nor heard of too early", async () => {
  const store = new SlowStore();
  using here = tasksAt({ now: 0 }, {}, { store });
  using there = tasksAt({ now: 0 }, {}, { store });
  const running = await here.open(new Work(), undefined);
  const { taskId } = running.task;
  const heard: string[] = [];
  await there.watch(taskId, "", { hear: ({ state }) => heard.push(state.status) });
  running.end({ status: "completed", result: DONE });
  const canceled = there.handle("tasks/cancel", "", { taskId });
  await settle();
  assertEquals(heard, []);
  store.goOn();
  await canceled;
  assertEquals([(await there.find(taskId, ""))?.state.status, heard], ["completed", ["completed"]]);
});

Deno.test("Tasks go on although their store shares nothing, and say so", async () => {
  class LonelyStore extends MemoryTaskStore {
    override join(): never {
      throw new Error("the bus is away");
    }
  }
  class ClingingStore extends MemoryTaskStore {
    override join(): Disposable {
      return {
        [Symbol.dispose]: () => {
          throw new Error("the bus is away");
        },
      };
    }
  }
  for (const Store of [LonelyStore, ClingingStore]) {
    const lines: string[] = [];
    const log = createLog({ level: "error", sink: (line) => void lines.push(line) });
    const tasks = tasksAt({ now: 0 }, {}, { store: new Store(DEFAULT_LIMITS), log });
    const running = await tasks.open(new Work(), undefined);
    tasks[Symbol.dispose]();
    assertEquals(running.task.state.status, "cancelled");
    assertEquals(lines.filter((line) => line.includes("task_lost")).length, 1);
  }
});

// Calls that become tasks, canceled at every moment there is: each ends once, and every place is free again.

import { assertEquals, assertRejects } from "@std/assert";
import type { Call, CallEvent, JsonObject } from "../../../mod.ts";
import { callTool } from "../../../src/gateway/call_tool.ts";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import { RequestInquiry } from "../../../src/gateway/inquiry.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/gateway/limits.ts";
import { Listings } from "../../../src/gateway/listings.ts";
import { createLog } from "../../../src/gateway/log.ts";
import type { Room } from "../../../src/gateway/room.ts";
import { Slots } from "../../../src/gateway/slots.ts";
import { MemoryTaskStore } from "../../../src/gateway/task_store.ts";
import { Tasks } from "../../../src/gateway/tasks.ts";
import type { Result, Task } from "../../../src/mcp/model.ts";
import { buildCatalog, type Catalog } from "../../../src/router/catalog.ts";
import { SchemaValidator } from "../../../src/router/validation.ts";
import { Dice } from "../../harness/dice.ts";
import { NAME } from "../../harness/questions.ts";
import { say, scripted, type ScriptedTool } from "../../harness/scripted.ts";
import { TASK_CAPABILITIES } from "../../harness/task_client.ts";
import { recordExchange, settle } from "./recorded_exchange.ts";

/** A store that finishes writing only when it is told to. */
class SlowStore extends MemoryTaskStore {
  readonly begun = Promise.withResolvers<string>();
  readonly written = Promise.withResolvers<void>();

  override async create(owner: string, task: Task): Promise<void> {
    await super.create(owner, task);
    this.begun.resolve(task.taskId);
    await this.written.promise;
  }
}

/** Loaded before any test, so that no call waits for that in the middle. */
const VALIDATOR = new SchemaValidator();
await VALIDATOR.judge({ type: "object" }, {});

class TestRoom implements Room, Disposable {
  readonly activations;
  readonly catalog;
  readonly validator = VALIDATOR;
  readonly log = createLog({ level: "error", sink: () => {} });
  readonly limits: Limits;
  readonly listings: Listings;
  readonly slots: Slots;
  readonly tasks: Tasks;

  constructor(
    tools: Readonly<Record<string, ScriptedTool>>,
    limits: Partial<Limits> = {},
    store?: MemoryTaskStore,
  ) {
    this.activations = [scripted(tools)];
    this.catalog = buildCatalog(this.activations);
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.slots = new Slots(this.limits);
    const { activations, validator, log } = this;
    this.listings = new Listings({ activations, limits: this.limits, log, publish: () => {} });
    this.tasks = new Tasks({
      limits: this.limits,
      validator,
      log,
      ...(store === undefined ? {} : { store }),
    });
  }

  lookAgain(): Catalog {
    return this.catalog;
  }

  /** Calls a tool as a client that knows tasks, and wants to hear everything. */
  call(name: string): ReturnType<typeof recordExchange> & { readonly result: Promise<Result> } {
    const recorded = recordExchange({
      revision: "2026-07-28",
      capabilities: TASK_CAPABILITIES,
      progressToken: "p",
      level: "debug",
    });
    const { exchange } = recorded;
    const asker = { ask: () => Promise.reject(new Error("Nothing is asked before the task")) };
    const request = new RequestInquiry(exchange, { createAsker: () => asker });
    return { ...recorded, result: callTool(this, request, { name }) };
  }

  /** Places in use and tasks under way: none once all is over. */
  get load(): readonly number[] {
    const { slots, tasks } = this;
    return [slots.running, slots.waiting, tasks.slots.running, tasks.slots.waiting, tasks.running];
  }

  [Symbol.dispose](): void {
    this.tasks[Symbol.dispose]();
  }
}

const IDLE = [0, 0, 0, 0, 0];

Deno.test("DetachableCall canceled while its task is written leaves a canceled task", async () => {
  for (const tool of ["declared", "detaching"]) {
    const store = new SlowStore(DEFAULT_LIMITS);
    const aborted: boolean[] = [];
    using room = new TestRoom(
      {
        declared: { task: "optional", run: () => [say("never")] },
        async *detaching({ signal }) {
          try {
            yield { kind: "detach" };
            yield say("never");
          } finally {
            aborted.push(signal.aborted);
          }
        },
      },
      {},
      store,
    );
    const { exchange, result } = room.call(tool);
    const taskId = await store.begun.promise;
    exchange.cancel("no more");
    await settle();
    store.written.resolve();
    await assertRejects(() => result, CanceledError);
    await settle();
    assertEquals(room.load, IDLE, tool);
    assertEquals((await store.find(taskId, ""))?.state.status, "cancelled");
    assertEquals(aborted, tool === "detaching" ? [true] : []);
  }
});

Deno.test("DetachableCall gives its place to others while it waits for a person", async () => {
  using room = new TestRoom({
    ask: {
      task: "optional",
      async *run(call: Call): AsyncGenerator<CallEvent> {
        await Promise.all([call.ask("a", NAME), call.ask("b", NAME)]);
        await call.ask("c", NAME);
        yield say("done");
      },
    },
    quick: { task: "optional", run: () => [say("quick")] },
  }, { maxConcurrentTasks: 1 });
  const asking = await idOf(room.call("ask").result);
  await settle();
  assertEquals(room.load, [0, 0, 0, 0, 1]);
  const answer = (key: string) => {
    const inputResponses = { [key]: { action: "decline" } };
    return room.tasks.handle("tasks/update", "", { taskId: asking, inputResponses });
  };
  for (const key of ["a", "b", "c"]) {
    const quick = await idOf(room.call("quick").result);
    await settle();
    assertEquals((await room.tasks.find(quick, ""))?.state.status, "completed");
    await answer(key);
    await settle();
  }
  assertEquals((await room.tasks.find(asking, ""))?.state.status, "completed");
  assertEquals(room.load, IDLE);
});

Deno.test("DetachableCall tells nothing any more, even before its answer has left", async () => {
  using room = new TestRoom({
    *tell() {
      yield { kind: "log", level: "error", data: "before" };
      yield { kind: "detach" };
      yield { kind: "log", level: "error", data: "after" };
      yield { kind: "progress", progress: 1, message: "after" };
      yield say("done");
    },
  });
  const { result, outlet, answers } = room.call("tell");
  await idOf(result);
  await settle();
  assertEquals([outlet.sent.length, answers.length, room.load], [1, 0, IDLE]);
});

async function idOf(result: Promise<Result>): Promise<string> {
  const created = await result;
  return created.kind === "task_created" ? created.task.taskId : `no task: ${created.kind}`;
}

/** A tool that takes as many turns as it is told, and detaches, asks or fails on the way. */
function wanderer(dice: Dice): ScriptedTool {
  const task = dice.isOneIn(2) ? { task: "optional" as const } : {};
  const steps = Array.from({ length: dice.below(6) }, () => dice.below(8));
  return {
    ...task,
    async *run(call: Call): AsyncGenerator<CallEvent> {
      for (const step of steps) {
        if (step === 0) yield { kind: "detach" };
        else if (step === 1) yield { kind: "progress", progress: 1, message: "on the way" };
        else if (step === 2) throw new TypeError("lost");
        else await settle(step);
      }
      yield { kind: "detach" };
      if (dice.isOneIn(2)) call.ask("idle", NAME);
      if (dice.isOneIn(3)) await call.ask("who", NAME);
      yield say("arrived");
    },
  };
}

Deno.test("DetachableCall loses no place, whatever is canceled when", async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    await t.step(`seed ${seed}`, async () => {
      const dice = new Dice(seed);
      const names = Array.from({ length: 12 }, (_, index) => `tool_${index}`);
      using room = new TestRoom(
        Object.fromEntries(names.map((name) => [name, wanderer(dice)])),
        { maxConcurrentTasks: 2, maxConcurrentCalls: 2, maxTasks: 8 },
      );
      const created: string[] = [];
      const ends = names.map(async (name) => {
        const { exchange, result } = room.call(name);
        if (dice.isOneIn(3)) settle(dice.below(30)).then(() => exchange.cancel("by chance"));
        const answer = await result.catch(() => undefined);
        exchange.answer("answered");
        if (answer?.kind !== "task_created") return;
        const { taskId } = answer.task;
        created.push(taskId);
        await settle(dice.below(30));
        await act(room, dice, taskId);
      });
      await Promise.all(ends);
      // What still waits for a person or for its turn is canceled, in the order of creation.
      for (const taskId of created) await act(room, dice, taskId, "tasks/cancel");
      await settle(100);
      assertEquals(room.load, IDLE);
    });
  }
});

async function act(
  room: TestRoom,
  dice: Dice,
  taskId: string,
  method = dice.pick(["tasks/get", "tasks/update", "tasks/cancel"] as const),
): Promise<void> {
  const inputResponses: JsonObject = { who: { action: "decline" }, idle: { action: "cancel" } };
  // An ended task may have given way to another meanwhile.
  await room.tasks.handle(method, "", { taskId, inputResponses }).catch(() => {});
}

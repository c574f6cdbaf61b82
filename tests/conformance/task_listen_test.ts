// Tasks that are heard of instead of asked for, how many there may be, and their end with the server.

import { assert, assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { connectProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { NAME } from "../harness/questions.ts";
import { Held, say, type Script, scripted, textOf } from "../harness/scripted.ts";
import {
  createTask,
  getStatus,
  openTaskClient,
  SUBSCRIPTION_ID,
  TASK_CAPABILITIES,
  untilStatus,
} from "../harness/task_client.ts";

const ADA = { action: "accept", content: { name: "Ada" } };

/** Listens to tasks and returns what was acknowledged. */
async function listen(client: TestClient, id: string, taskIds: string[]): Promise<JsonObject> {
  await client.post("subscriptions/listen", { notifications: { taskIds } }, id);
  const ack = await client.waitFor(
    ({ method, params }) => method?.toString().endsWith("acknowledged") === true && has(params, id),
    "an acknowledgement",
  );
  assert(isObject(ack.params) && isObject(ack.params.notifications));
  return ack.params.notifications;
}

function has(params: unknown, id: string): boolean {
  return isObject(params) && isObject(params._meta) && params._meta[SUBSCRIPTION_ID] === id;
}

/** The statuses that were heard by one listening, in order. */
function statuses(client: TestClient, id: string): unknown[] {
  return client.notifications("notifications/tasks")
    .map(({ params }) => params)
    .filter((params) => has(params, id))
    .map((params) => isObject(params) ? params.status : undefined);
}

function asTask(run: Script): { readonly task: "optional"; readonly run: Script } {
  return { task: "optional", run };
}

forEachRevision("mcp.tasks.listen", "tells each state with all that belongs to it", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({
      ask: asTask(async function* (call) {
        yield* held.run(call);
        yield say(JSON.stringify(await call.ask("who", NAME)));
      }),
    })],
  });
  const taskId = await createTask(client, "ask");
  assertEquals(await listen(client, "l", [taskId]), { taskIds: [taskId] });
  held.release();
  await untilStatus(client, taskId, "input_required");
  await client.result("tasks/update", { taskId, inputResponses: { who: ADA } });
  const task = await untilStatus(client, taskId, "completed");
  assertEquals(statuses(client, "l"), ["working", "input_required", "working", "completed"]);
  const { params } = client.notifications("notifications/tasks").findLast(({ params }) =>
    has(params, "l")
  ) ?? {};
  const { resultType: _type, _meta: _own, ...told } = task;
  assertEquals(params, { ...told, _meta: { [SUBSCRIPTION_ID]: "l" } });
});

forEachRevision(
  "mcp.tasks.listen",
  "begins with where a task stands, even at its end",
  async () => {
    await using client = await openTaskClient({ activations: [new EverythingActivation()] });
    const taskId = await createTask(client, "slow_compute");
    await untilStatus(client, taskId, "completed");
    await listen(client, "late", [taskId]);
    await client.waitFor(() => statuses(client, "late").length > 0, "where the task stands");
    assertEquals(statuses(client, "late"), ["completed"]);
  },
);

forEachRevision("mcp.tasks.listen", "names only tasks that are there", async () => {
  await using client = await openTaskClient({ activations: [new EverythingActivation()] });
  const taskId = await createTask(client, "slow_compute", { seconds: 600 });
  assertEquals(await listen(client, "a", ["x", taskId, taskId, ""]), { taskIds: [taskId] });
  assertEquals(await listen(client, "b", ["x"]), { taskIds: [] });
  assertEquals(await listen(client, "c", []), { taskIds: [] });
  for (const taskIds of [5, "x", [5], { 0: taskId }]) {
    const { code } = await client.error("subscriptions/listen", { notifications: { taskIds } });
    assertEquals(code, -32602, JSON.stringify(taskIds));
  }
});

forEachRevision("mcp.tasks.listen", "ends when the client has heard enough", async () => {
  await using client = await openTaskClient({
    activations: [new EverythingActivation()],
    limits: { maxSubscriptions: 2 },
  });
  const taskId = await createTask(client, "slow_compute", { seconds: 600 });
  await listen(client, "ended", [taskId]);
  await client.waitFor(() => statuses(client, "ended").length > 0, "where the task stands");
  await client.notify("notifications/cancelled", { requestId: "ended" });
  await client.result("tasks/cancel", { taskId });
  await untilStatus(client, taskId, "cancelled");
  assertEquals(statuses(client, "ended"), ["working"]);
  const notifications = { taskIds: ["a", "b", "c"] };
  assertEquals((await client.error("subscriptions/listen", { notifications })).code, -32602);
});

forEachRevision("mcp.tasks.bounds", "refuse a task too many while all others run", async () => {
  const held = [new Held(), new Held(), new Held()];
  await using client = await openTaskClient({
    activations: [scripted(Object.fromEntries(
      held.map(({ run }, index) => [`held_${index}`, asTask(run)]),
    ))],
    limits: { maxTasksPerOwner: 2 },
  });
  const first = await createTask(client, "held_0");
  const second = await createTask(client, "held_1");
  const { code, message } = await client.error("tools/call", { name: "held_2" });
  assertEquals([code, message], [
    -32603,
    "Server busy: 2 tasks are under way; wait for one to end, or cancel one",
  ]);
  await client.result("tasks/cancel", { taskId: second });
  const third = await createTask(client, "held_2");
  assertEquals((await client.error("tasks/get", { taskId: second })).code, -32602);
  for (const taskId of [first, third]) assertEquals(await getStatus(client, taskId), "working");
});

forEachRevision("mcp.tasks.bounds", "make tasks wait for each other, never calls", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({
      held: asTask(held.run),
      next: asTask(() => [say("next")]),
      call: () => [say("called")],
    })],
    limits: { maxConcurrentTasks: 1, maxConcurrentCalls: 1 },
  });
  await createTask(client, "held");
  await held.started;
  const next = await createTask(client, "next");
  const canceled = await createTask(client, "next");
  assertEquals(textOf(await client.call("call")), "called");
  assertEquals(await getStatus(client, next), "working");
  await client.result("tasks/cancel", { taskId: canceled });
  held.release();
  await untilStatus(client, next, "completed");
  assertEquals(await getStatus(client, canceled), "cancelled");
});

forEachRevision("mcp.tasks.bounds", "let a call that detaches go on where it is", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({
      held: asTask(held.run),
      *detach() {
        yield { kind: "detach" };
        yield say("after all");
      },
    })],
    limits: { maxTasks: 1 },
  });
  await createTask(client, "held");
  const result = await client.call("detach");
  assertEquals([result.resultType, textOf(result)], ["complete", "after all"]);
});

forEachRevision("mcp.tasks.bounds", "end every task with the server", async () => {
  const held = new Held();
  const parked = Promise.withResolvers<string>();
  const client = await openTaskClient({
    activations: [scripted({
      held: asTask(held.run),
      asking: asTask(async function* (call) {
        await call.ask("who", NAME).catch((error) => parked.resolve(error.name));
        yield say("late");
      }),
    })],
  });
  await createTask(client, "held");
  await untilStatus(client, await createTask(client, "asking"), "input_required");
  await held.started;
  await client[Symbol.asyncDispose]();
  assertEquals(await held.ended, "aborted");
  assertEquals(await parked.promise, "CanceledError");
});

forEachRevision("mcp.tasks.bounds", "hold a thousand at once, and the process ends", async () => {
  const program = ["run", "--no-prompt", "--quiet", "fixtures/servers/everything/main.ts"];
  await using client = await connectProcess(program, {
    revision: "2026-07-28",
    capabilities: TASK_CAPABILITIES,
  });
  const call = { name: "slow_compute", arguments: { seconds: 3600 } };
  const answers = await Promise.all(
    Array.from({ length: 1000 }, () => client.request("tools/call", call)),
  );
  const created = answers.flatMap(({ result }) => isObject(result) ? [result.taskId] : []);
  const refused = answers.flatMap(({ error }) => isObject(error) ? [error.code] : []);
  assertEquals([created.length, refused.length], [256, 744]);
  assertEquals([new Set(created).size, new Set(refused)], [256, new Set([-32603])]);
  assertEquals(textOf(await client.call("greet", { name: "Ada" })), "Hello, Ada!");
  assertEquals(await client.close(), 0);
});

// Questions around tasks: asked before the task is there, they go with the request; asked later, they park the task.

import { assert, assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import type { TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { NAME } from "../harness/questions.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";
import {
  createTask,
  getStatus,
  openTaskClient,
  TASK_CAPABILITIES,
  untilStatus,
} from "../harness/task_client.ts";

const YES = { action: "accept", content: { confirm: true } };

function everything(): Promise<TestClient> {
  return openTaskClient({ activations: [new EverythingActivation()] });
}

function named(name: string | number): JsonObject {
  return { action: "accept", content: { name } };
}

function keysOf(task: JsonObject): string[] {
  assert(isObject(task.inputRequests));
  return Object.keys(task.inputRequests);
}

async function update(
  client: TestClient,
  taskId: string,
  inputResponses: JsonObject,
): Promise<void> {
  const { _meta, ...ack } = await client.result("tasks/update", { taskId, inputResponses });
  assertEquals(ack, { resultType: "complete" });
}

function textOfResult(task: JsonObject): string {
  assert(isObject(task.result));
  return textOf(task.result);
}

forEachRevision("mcp.tasks.input", "parks the task until it is there", async () => {
  await using client = await everything();
  const taskId = await createTask(client, "confirm_delete", { filename: "a" });
  const parked = await untilStatus(client, taskId, "input_required");
  assertEquals(parked.inputRequests, {
    confirm: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Delete it?",
        requestedSchema: {
          type: "object",
          properties: { confirm: { type: "boolean" } },
          required: ["confirm"],
        },
      },
    },
  });
  await update(client, taskId, { confirm: YES });
  const task = await untilStatus(client, taskId, "completed");
  assertEquals(textOfResult(task), 'accept {"confirm":true}');
  // Nothing is asked any more, so nothing counts.
  await update(client, taskId, { confirm: { action: "decline" } });
  assertEquals(await client.result("tasks/get", { taskId }), task);
});

forEachRevision(
  "mcp.tasks.input",
  "may come in parts, and what nobody asked is ignored",
  async () => {
    await using client = await everything();
    const taskId = await createTask(client, "multi_input");
    assertEquals(keysOf(await untilStatus(client, taskId, "input_required")), ["first", "second"]);
    await update(client, taskId, { third: 5, ["__proto__"]: named("x"), First: named("x") });
    await update(client, taskId, {});
    assertEquals(keysOf(await client.result("tasks/get", { taskId })), ["first", "second"]);
    await update(client, taskId, { first: named("Ada"), other: null });
    assertEquals(keysOf(await client.result("tasks/get", { taskId })), ["second"]);
    await update(client, taskId, { first: named("Eve"), second: named("Grace") });
    const task = await untilStatus(client, taskId, "completed");
    assertEquals(textOfResult(task), 'accept {"name":"Ada"}; accept {"name":"Grace"}');
  },
);

forEachRevision(
  "mcp.tasks.input",
  "that does not fit is refused whole and asked still",
  async () => {
    await using client = await everything();
    const taskId = await createTask(client, "multi_input");
    await untilStatus(client, taskId, "input_required");
    const unfit = [12345, null, [], {}, { action: "agree" }, { action: "accept" }, named(5)];
    for (const second of unfit) {
      const inputResponses = { first: named("Ada"), second };
      const error = await client.error("tasks/update", { taskId, inputResponses });
      assertEquals(error.code, -32602, JSON.stringify(second));
      assert(String(error.message).includes('"second"'), String(error.message));
    }
    for (const inputResponses of [5, "x", true, []]) {
      assertEquals((await client.error("tasks/update", { taskId, inputResponses })).code, -32602);
    }
    assertEquals(keysOf(await client.result("tasks/get", { taskId })), ["first", "second"]);
    await update(client, taskId, { first: { action: "decline" }, second: { action: "cancel" } });
    const task = await untilStatus(client, taskId, "completed");
    assertEquals(textOfResult(task), "decline {}; cancel {}");
  },
);

forEachRevision("mcp.tasks.input", "has a key of its own for every question", async () => {
  await using client = await openTaskClient({
    activations: [scripted({
      ask: {
        task: "optional",
        async *run(call) {
          for (let time = 0; time < 3; time++) {
            yield say(JSON.stringify(await call.ask("who", NAME)));
          }
          yield say(JSON.stringify(await call.ask("who-2", NAME)));
        },
      },
    })],
  });
  const taskId = await createTask(client, "ask");
  const keys: string[] = [];
  for (const name of ["a", "b", "c", "d"]) {
    const task = await untilStatus(client, taskId, "input_required");
    const [key = ""] = keysOf(task);
    keys.push(key);
    await update(client, taskId, { [key]: named(name) });
  }
  assertEquals(keys, ["who", "who-2", "who-3", "who-2-2"]);
  const task = await untilStatus(client, taskId, "completed");
  assertEquals(textOfResult(task).match(/"name":"."/g)?.length, 4);
});

forEachRevision("mcp.tasks.input", "that the client cannot give fails the task", async () => {
  await using client = await openTaskClient({
    activations: [new EverythingActivation()],
    capabilities: { extensions: TASK_CAPABILITIES.extensions },
  });
  const task = await untilStatus(client, await createTask(client, "confirm_delete"), "failed");
  assert(isObject(task.error));
  assertEquals([task.error.code, task.error.data], [-32021, {
    requiredCapabilities: { elicitation: {} },
  }]);
});

forEachRevision("mcp.tasks.input", "nobody waits for once the task is canceled", async () => {
  const outcome = Promise.withResolvers<string>();
  await using client = await openTaskClient({
    activations: [scripted({
      ask: {
        task: "optional",
        async *run(call) {
          // Asked and never waited for: that must harm nobody.
          call.ask("idle", NAME);
          await call.ask("who", NAME).catch((error) => outcome.resolve(error.name));
          yield say("late");
        },
      },
    })],
  });
  const taskId = await createTask(client, "ask");
  assertEquals(keysOf(await untilStatus(client, taskId, "input_required")), ["idle", "who"]);
  await client.result("tasks/cancel", { taskId });
  assertEquals(await outcome.promise, "CanceledError");
  await update(client, taskId, { who: named("Ada") });
  assertEquals(await getStatus(client, taskId), "cancelled");
});

forEachRevision("mcp.tasks.mrtr", "is over before there is a task", async () => {
  await using client = await everything();
  const name = "test_tool_with_task";
  const asked = await client.call(name);
  assertEquals([asked.resultType, asked.taskId], ["input_required", undefined]);
  const created = await client.call(name, undefined, {
    inputResponses: { user_name: named("Alice") },
    requestState: asked.requestState,
  });
  assertEquals([created.resultType, created.requestState], ["task", undefined]);
  const task = await untilStatus(client, String(created.taskId), "completed");
  assertEquals(textOfResult(task), "Hello, Alice!");
});

forEachRevision("mcp.tasks.mrtr", "comes first even where a tool does not wait", async () => {
  const detached: string[] = [];
  await using client = await openTaskClient({
    activations: [scripted({
      async *hasty(call) {
        const answer = call.ask("who", NAME);
        answer.catch(() => {});
        yield { kind: "detach" };
        detached.push("hasty");
        yield say(JSON.stringify(await answer));
      },
      async *deaf(call) {
        await call.ask("who", NAME).catch(() => {});
        yield { kind: "detach" };
        detached.push("deaf");
        yield say("done");
      },
    })],
  });
  for (const name of ["hasty", "deaf"]) {
    const asked = await client.call(name);
    assertEquals([asked.resultType, keysOf(asked)], ["input_required", ["who"]], name);
    await client.settle();
    assertEquals(detached.includes(name), false, name);
    const inputResponses = { who: named("Ada") };
    const created = await client.call(name, undefined, { inputResponses });
    assertEquals(created.resultType, "task", name);
    await untilStatus(client, String(created.taskId), "completed");
  }
});

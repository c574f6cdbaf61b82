// Calls that go on as tasks: who gets one, what it comes to, and how it is ended.

import { assert, assertEquals, assertFalse } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { RpcError } from "../../mod.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, say, scripted, textOf } from "../harness/scripted.ts";
import {
  createTask,
  getStatus,
  openTaskClient,
  TASK_CAPABILITIES,
  TASKS,
  untilStatus,
} from "../harness/task_client.ts";

const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const MISSING = {
  code: -32021,
  message: `The client does not offer what this request needs: ${TASKS}`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

function everything(): Promise<TestClient> {
  return openTaskClient({ activations: [new EverythingActivation()] });
}

/** The result inside a task that has completed. */
function resultOf(task: JsonObject): JsonObject {
  assertEquals(task.status, "completed");
  assert(isObject(task.result));
  return task.result;
}

forEachRevision("mcp.tasks.create", "answers at once, and can be asked for at once", async () => {
  await using client = await everything();
  const created = await client.call("slow_compute", { seconds: 600 });
  const { taskId, createdAt, lastUpdatedAt, _meta, ...rest } = created;
  assert(typeof taskId === "string" && taskId.length >= 32);
  assertEquals(createdAt, lastUpdatedAt);
  assert(isObject(_meta));
  assertEquals(rest, {
    resultType: "task",
    status: "working",
    ttlMs: 3_600_000,
    pollIntervalMs: 1000,
  });
  const task = await client.result("tasks/get", { taskId });
  assertEquals([task.resultType, task.taskId, task.status], ["complete", taskId, "working"]);
});

forEachRevision("mcp.tasks.create", "is for tools that declare it, not for others", async () => {
  await using client = await everything();
  assertEquals(textOf(await client.call("greet", { name: "Ada" })), "Hello, Ada!");
  const hinted = await client.call("greet", { name: "Ada" }, { task: { ttl: 60_000 } });
  assertEquals([hinted.resultType, textOf(hinted)], ["complete", "Hello, Ada!"]);
  assertEquals((await client.error("tools/call", { name: "nothing" })).code, -32602);
  const refused = await client.call("slow_compute", { seconds: -1 });
  assertEquals([refused.resultType, refused.isError], ["complete", true]);
  const { tools } = await client.result("tools/list");
  assert(Array.isArray(tools) && tools.length > 0);
  for (const tool of tools) {
    assertFalse("task" in tool || "execution" in tool, JSON.stringify(tool));
  }
});

forEachRevision("mcp.tasks.capability", "counts on its own request alone", async () => {
  await using client = await everything();
  const undeclared = [
    {},
    { extensions: {} },
    { extensions: { [TASKS]: null } },
    { extensions: { [TASKS]: true } },
    { extensions: [TASKS] },
    { extensions: { "io.modelcontextprotocol/task": {} } },
    { tasks: {} },
  ];
  const held = await createTask(client, "slow_compute", { seconds: 600 });
  for (const capabilities of undeclared) {
    const params = { _meta: { [CLIENT_CAPABILITIES]: capabilities } };
    const result = await client.call("slow_compute", { label: "now" }, params);
    assertEquals([result.resultType, textOf(result)], ["complete", "Computed now"]);
    assertEquals(await client.error("tools/call", { name: "failing_job", ...params }), MISSING);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const request = { taskId: held, inputResponses: {}, ...params };
      assertEquals(await client.error(method, request), MISSING, method);
    }
    const notifications = { taskIds: [held] };
    assertEquals(await client.error("subscriptions/listen", { notifications, ...params }), MISSING);
  }
  assertEquals(await getStatus(client, held), "working");
});

forEachRevision("mcp.tasks.handshake", "is unknown; tools run to their end", async (revision) => {
  await using client = await openInProcess({
    activations: [new EverythingActivation()],
    revision,
    capabilities: TASK_CAPABILITIES,
  });
  assertEquals(textOf(await client.call("slow_compute", { label: "x" })), "Computed x");
  assertEquals(textOf(await client.call("failing_job")), "The job failed");
  assertEquals(textOf(await client.call("test_reconnection")), "Reconnected");
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list"]) {
    assertEquals((await client.error(method, { taskId: "a" })).code, -32601, method);
  }
});

forEachRevision("mcp.tasks.get", "tells what the call came to", async (_revision, t) => {
  await using client = await openTaskClient({
    activations: [
      new EverythingActivation(),
      scripted({
        crash: {
          task: "optional",
          run: () => {
            throw new TypeError("/secret/path");
          },
        },
        lie: {
          task: "optional",
          outputSchema: { type: "object", required: ["answer"] },
          run: () => [{ kind: "structured", value: { other: 1 } }],
        },
        coded: {
          task: "optional",
          run: () => {
            throw new RpcError(-32001, "Out of tea", { cups: 0 });
          },
        },
      }),
    ],
  });
  await t.step("a result", async () => {
    const taskId = await createTask(client, "slow_compute", { label: "all" });
    const task = await untilStatus(client, taskId, "completed");
    assertEquals(resultOf(task), {
      content: [{ type: "text", text: "Computed all" }],
      resultType: "complete",
    });
    assert(String(task.lastUpdatedAt) >= String(task.createdAt));
  });
  await t.step("a failure of the tool", async () => {
    const task = await untilStatus(client, await createTask(client, "failing_job"), "completed");
    const { isError } = resultOf(task);
    assertEquals([isError, textOf(resultOf(task))], [true, "The job failed"]);
  });
  await t.step("an error of the protocol", async () => {
    const task = await untilStatus(client, await createTask(client, "coded"), "failed");
    assertEquals(task.error, { code: -32001, message: "Out of tea", data: { cups: 0 } });
    assertEquals([task.statusMessage, task.result], ["Out of tea", undefined]);
  });
  await t.step("a fault of the tool, without telling of the host", async () => {
    const task = await untilStatus(client, await createTask(client, "crash"), "completed");
    assertEquals(resultOf(task).isError, true);
    assertFalse(JSON.stringify(task).includes("secret"));
  });
  await t.step("an output that its schema does not allow", async () => {
    const task = await untilStatus(client, await createTask(client, "lie"), "completed");
    assert(textOf(resultOf(task)).includes("output schema"));
  });
});

forEachRevision("mcp.tasks.get", "refuses ids that are not there or malformed", async () => {
  await using client = await everything();
  const taskId = await createTask(client, "slow_compute", { seconds: 600 });
  const altered = [...taskId].map((character, index) =>
    taskId.slice(0, index) + (character === "A" ? "B" : "A") + taskId.slice(index + 1)
  );
  const forged = [...altered, "", "__proto__", taskId.slice(1), `${taskId} `, taskId.toUpperCase()];
  for (const unknown of forged) {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const error = await client.error(method, { taskId: unknown, inputResponses: {} });
      assertEquals(error, {
        code: -32602,
        message: "Unknown task: it has expired, or there never was one with this id",
      });
    }
  }
  for (const malformed of [undefined, null, 5, [taskId], { taskId }]) {
    assertEquals((await client.error("tasks/get", { taskId: malformed })).code, -32602);
  }
  for (const method of ["tasks/result", "tasks/list", "tasks/", "tasks/gets"]) {
    assertEquals((await client.error(method, { taskId })).code, -32601, method);
  }
  assertEquals(await getStatus(client, taskId), "working");
});

forEachRevision("mcp.tasks.silence", "holds once a call has become a task", async () => {
  await using client = await openTaskClient({
    activations: [scripted({
      *half() {
        yield { kind: "progress", progress: 1, message: "before" };
        yield { kind: "log", level: "info", data: "before" };
        yield { kind: "detach", retryMs: 250.5 };
        yield { kind: "progress", progress: 2, message: "after" };
        yield { kind: "log", level: "info", data: "after" };
        yield { kind: "detach" };
        yield say("done");
      },
    })],
  });
  const created = await client.call("half", undefined, {
    _meta: { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" },
  });
  assertEquals([created.resultType, created.pollIntervalMs], ["task", 251]);
  const task = await untilStatus(client, String(created.taskId), "completed");
  assertEquals(textOf(resultOf(task)), "done");
  await client.close();
  assertEquals(client.notifications("notifications/progress").length, 1);
  assertEquals(client.notifications("notifications/message").length, 1);
});

forEachRevision("mcp.tasks.get", "tells what a task is about while it works", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({
      work: {
        task: "optional",
        async *run(call) {
          yield { kind: "progress", progress: 1, message: "x".repeat(501) };
          yield { kind: "progress", progress: 2, message: "Sorting" };
          yield* held.run(call);
        },
      },
    })],
  });
  const taskId = await createTask(client, "work");
  await held.started;
  assertEquals((await client.result("tasks/get", { taskId })).statusMessage, "Sorting");
  held.release();
  const task = await untilStatus(client, taskId, "completed");
  assertEquals(task.statusMessage, undefined);
});

forEachRevision("mcp.tasks.cancel", "ends the call, and is answered alike ever after", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({ held: { task: "optional", run: held.run } })],
  });
  const taskId = await createTask(client, "held");
  await held.started;
  for (let time = 0; time < 3; time++) {
    const { _meta, ...ack } = await client.result("tasks/cancel", { taskId });
    assertEquals(ack, { resultType: "complete" });
    assertEquals(await getStatus(client, taskId), "cancelled");
  }
  assertEquals(await held.ended, "aborted");
});

forEachRevision("mcp.tasks.cancel", "leaves a task that has ended as it is", async () => {
  await using client = await everything();
  const taskId = await createTask(client, "slow_compute", { label: "done" });
  const before = await untilStatus(client, taskId, "completed");
  await client.result("tasks/cancel", { taskId });
  assertEquals(await client.result("tasks/get", { taskId }), before);
});

forEachRevision("mcp.tasks.cancel", "does not wait for a tool that takes no notice", async () => {
  const ended = Promise.withResolvers<void>();
  await using client = await openTaskClient({
    limits: { maxConcurrentTasks: 1 },
    activations: [scripted({
      stubborn: {
        task: "optional",
        async *run() {
          await ended.promise;
          yield say("too late");
        },
      },
      quick: { task: "optional", run: () => [say("quick")] },
    })],
  });
  const taskId = await createTask(client, "stubborn");
  await client.result("tasks/cancel", { taskId });
  // Its place is free again.
  await untilStatus(client, await createTask(client, "quick"), "completed");
  ended.resolve();
  await client.settle();
  assertEquals(await getStatus(client, taskId), "cancelled");
});

forEachRevision(
  "mcp.tasks.request",
  "canceled after its answer leaves the task alone",
  async () => {
    const held = new Held();
    await using client = await openTaskClient({
      activations: [scripted({ held: { task: "optional", run: held.run } })],
    });
    const { result } = await client.request("tools/call", { name: "held" }, 7);
    assert(isObject(result));
    await client.notify("notifications/cancelled", { requestId: 7 });
    await client.settle();
    assertEquals(await getStatus(client, String(result.taskId)), "working");
    held.release();
    await untilStatus(client, String(result.taskId), "completed");
    assertEquals(await held.ended, "answered");
  },
);

forEachRevision("mcp.tasks.request", "canceled before its answer ends the call", async () => {
  const held = new Held();
  await using client = await openTaskClient({
    activations: [scripted({
      async *late(call) {
        yield* held.run(call);
        yield { kind: "detach" };
      },
    })],
  });
  await client.post("tools/call", { name: "late" }, 7);
  await held.started;
  await client.notify("notifications/cancelled", { requestId: 7 });
  assertEquals(await held.ended, "aborted");
  await client.close();
  assertEquals(client.responses(7), []);
});

// A client that knows tasks, and waiting for what becomes of one without asking over and over.

import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { type InProcessOptions, openInProcess } from "./client.ts";
import type { TestClient } from "./test_client.ts";

/** The extension's id. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** What a client says that knows tasks and answers questions. */
export const TASK_CAPABILITIES = { elicitation: {}, extensions: { [TASKS]: {} } };

/** The key that ties a notification to its listening. */
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** Opens a client of a gateway in this process that knows tasks. */
export function openTaskClient(options: InProcessOptions): Promise<TestClient> {
  return openInProcess({ revision: "2026-07-28", capabilities: TASK_CAPABILITIES, ...options });
}

/** Calls a tool that becomes a task, and returns its id. */
export async function createTask(
  client: TestClient,
  name: string,
  given?: JsonObject,
): Promise<string> {
  const { resultType, taskId } = await client.call(name, given);
  if (resultType !== "task" || typeof taskId !== "string") {
    throw new TypeError(`"${name}" is no task: ${resultType}`);
  }
  return taskId;
}

/** The task once it has this status; the client hears of it by listening. */
export async function untilStatus(
  client: TestClient,
  taskId: string,
  status: string,
): Promise<JsonObject> {
  const id = await client.post("subscriptions/listen", { notifications: { taskIds: [taskId] } });
  await client.waitFor(({ method, params }) => {
    if (method !== "notifications/tasks" || !isObject(params) || !isObject(params._meta)) {
      return false;
    }
    return params._meta[SUBSCRIPTION_ID] === id && params.status === status;
  }, `task ${taskId} to be "${status}"`);
  await client.notify("notifications/cancelled", { requestId: id });
  return await client.result("tasks/get", { taskId });
}

/** Where a task stands. */
export async function getStatus(client: TestClient, taskId: string): Promise<unknown> {
  return (await client.result("tasks/get", { taskId })).status;
}

// Tasks over HTTP: they belong to the token that began them, at every server that shares the store, and to no other.

import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/gateway/limits.ts";
import { MemoryTaskStore } from "../../src/gateway/task_store.ts";
import { isObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { HttpClient, type HttpExchange } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { NAME } from "../harness/questions.ts";
import { Held, say, scripted } from "../harness/scripted.ts";
import { TASK_CAPABILITIES } from "../harness/task_client.ts";

const TOKENS = ["first-token-first-token", "second-token-second-token"];
const ADA = { action: "accept", content: { name: "Ada" } };

async function openClient(host: HttpHost, token: string): Promise<HttpClient> {
  return await HttpClient.open(host, {
    revision: "2026-07-28",
    capabilities: TASK_CAPABILITIES,
    headers: { Authorization: `Bearer ${token}` },
  });
}

async function codeOf(client: HttpClient, method: string, params: JsonObject): Promise<unknown> {
  const { error } = await client.ask(method, params);
  return isObject(error) ? error.code : undefined;
}

/** The ids of tasks that a listener is told it will hear of. */
async function listenTo(client: HttpClient, taskId: string): Promise<unknown> {
  using exchange = await client.post("subscriptions/listen", {
    notifications: { taskIds: [taskId] },
  });
  const { params } = await exchange.next() ?? {};
  return isObject(params) && isObject(params.notifications)
    ? params.notifications.taskIds
    : undefined;
}

/** Listens until a task is told to have this status. */
async function untilStatus(listening: HttpExchange, wanted: string): Promise<void> {
  let status: unknown;
  while (status !== wanted) {
    const { params } = await listening.next() ?? {};
    status = isObject(params) ? params.status : undefined;
  }
}

Deno.test("mcp.tasks.owner of a token: its own are asked for, answered, heard of; another's are unknown", async () => {
  const owners: unknown[] = [];
  await using host = new HttpHost({
    tokens: TOKENS,
    activations: [scripted({
      ask: {
        task: "required",
        async *run(call) {
          owners.push(call.owner);
          yield say(JSON.stringify(await call.ask("who", NAME)));
        },
      },
    })],
  });
  const [own, other] = [await openClient(host, TOKENS[0]!), await openClient(host, TOKENS[1]!)];
  const { taskId } = await own.call("ask");
  assertEquals(typeof taskId, "string");
  const named = { taskId: String(taskId) };
  const answered = { ...named, inputResponses: { who: ADA } };
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    assertEquals(await codeOf(other, method, answered), -32602, method);
  }
  assertEquals(await listenTo(other, named.taskId), []);
  assertEquals(await listenTo(own, named.taskId), [named.taskId]);
  assertEquals((await own.result("tasks/get", named)).status, "input_required");
  assertEquals(await codeOf(own, "tasks/update", answered), undefined);
  using listening = await own.post("subscriptions/listen", {
    notifications: { taskIds: [named.taskId] },
  });
  await untilStatus(listening, "completed");
  const { taskId: second } = await own.call("ask");
  assertEquals(await codeOf(own, "tasks/cancel", { taskId: String(second) }), undefined);
  assertEquals((await own.result("tasks/get", { taskId: String(second) })).status, "cancelled");
  assertEquals(owners, ["token-1", "token-1"]);
});

Deno.test("mcp.tasks.owner at one server is answered, heard of and canceled at another that shares the store", async () => {
  const held = new Held();
  const options = {
    tokens: TOKENS,
    store: { tasks: new MemoryTaskStore(DEFAULT_LIMITS) },
    activations: [scripted({
      ask: {
        task: "required",
        async *run(call) {
          yield say(JSON.stringify(await call.ask("who", NAME)));
        },
      },
      hold: { task: "required", run: held.run },
    })],
  } as const;
  await using first = new HttpHost(options);
  await using second = new HttpHost(options);
  const [here, there] = [
    await openClient(first, TOKENS[0]!),
    await openClient(second, TOKENS[0]!),
  ];
  const stranger = await openClient(second, TOKENS[1]!);
  const { taskId } = await here.call("ask");
  const named = { taskId: String(taskId) };
  using listening = await there.post("subscriptions/listen", {
    notifications: { taskIds: [named.taskId] },
  });
  await untilStatus(listening, "input_required");
  const answer = (given: unknown) => ({ ...named, inputResponses: { who: given as JsonObject } });
  assertEquals(await codeOf(stranger, "tasks/update", answer(ADA)), -32602);
  assertEquals(await codeOf(there, "tasks/update", answer({ action: "dance" })), -32602);
  assertEquals(await codeOf(there, "tasks/update", answer(ADA)), undefined);
  await untilStatus(listening, "completed");
  const longer = String((await here.call("hold")).taskId);
  await held.started;
  assertEquals(await codeOf(stranger, "tasks/cancel", { taskId: longer }), -32602);
  assertEquals(await codeOf(there, "tasks/cancel", { taskId: longer }), undefined);
  assertEquals(await held.ended, "aborted");
  assertEquals((await there.result("tasks/get", { taskId: longer })).status, "cancelled");
});

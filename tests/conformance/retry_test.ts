// Questions on the stateless wire: a result that asks, and the same request again with the answers.

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { scripted, textOf } from "../harness/scripted.ts";

const CAPABILITIES = { sampling: {}, roots: {}, elicitation: {} };
const ADA = { action: "accept", content: { name: "Ada" } };
const PARIS = { role: "assistant", model: "m", content: { type: "text", text: "Paris" } };
const GREET = "test_input_required_result_elicitation";

function open(capabilities: JsonObject = CAPABILITIES): Promise<TestClient> {
  const activations = [new EverythingActivation()];
  return openInProcess({ activations, revision: "2026-07-28", capabilities });
}

/** The keys that a result asks for, and its state; fails when it asks for nothing. */
function read(result: JsonObject): { readonly keys: string[]; readonly state: string } {
  const { resultType, inputRequests, requestState } = result;
  assertEquals(resultType, "input_required");
  assert(isObject(inputRequests) && typeof requestState === "string");
  return { keys: Object.keys(inputRequests), state: requestState };
}

/** Sends a tool call again with what the client now has. */
function retry(
  client: TestClient,
  name: string,
  inputResponses: JsonValue,
  requestState?: string,
): Promise<JsonObject> {
  return client.call(name, undefined, {
    inputResponses,
    ...(requestState === undefined ? {} : { requestState }),
  });
}

forEachRevision("mcp.ask.retry", "asks, then completes with the answer", async () => {
  await using client = await open();
  const first = await client.call(GREET);
  assertEquals(first.inputRequests, {
    user_name: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "What is your name?",
        requestedSchema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        },
      },
    },
  });
  assertEquals([first.ttlMs, first.cacheScope, first.content], [undefined, undefined, undefined]);
  const { state } = read(first);
  const second = await retry(client, GREET, { user_name: ADA }, state);
  assertEquals([second.resultType, textOf(second)], ["complete", "Hello, Ada!"]);
  const stateless = await retry(client, GREET, { user_name: ADA });
  assertEquals(textOf(stateless), "Hello, Ada!");
});

forEachRevision("mcp.ask.retry", "asks again while the answer is missing or unfit", async () => {
  await using client = await open();
  const { state } = read(await client.call(GREET));
  const unfit: readonly JsonObject[] = [
    {},
    { other: ADA },
    { USER_NAME: ADA },
    { user_name: 12345 },
    { user_name: null },
    { user_name: [] },
    { user_name: {} },
    { user_name: { action: "agree" } },
    { user_name: { action: "accept" } },
    { user_name: { action: "accept", content: { name: 5 } } },
    { user_name: PARIS },
  ];
  for (const responses of unfit) {
    const result = await retry(client, GREET, responses, state);
    assertEquals(read(result).keys, ["user_name"], JSON.stringify(responses));
  }
  const extra = await retry(client, GREET, { user_name: ADA, other: 5, __proto__x: null }, state);
  assertEquals(textOf(extra), "Hello, Ada!");
});

forEachRevision("mcp.ask.retry", "refuses answers that are no object", async () => {
  await using client = await open();
  for (const inputResponses of [null, 5, "x", true, []]) {
    const { code } = await client.error("tools/call", { name: GREET, inputResponses });
    assertEquals(code, -32602, JSON.stringify(inputResponses));
  }
});

forEachRevision("mcp.ask.retry", "takes a refusal of the user as an answer", async () => {
  await using client = await open();
  const name = "test_streaming_elicitation";
  for (const action of ["decline", "cancel"]) {
    const result = await retry(client, name, { user_name: { action } });
    assertEquals(textOf(result), `${action} {}`);
  }
});

forEachRevision("mcp.ask.retry", "goes on for several rounds, each with a new state", async () => {
  await using client = await open();
  const name = "test_input_required_result_multi_round";
  const one = read(await client.call(name));
  assertEquals(one.keys, ["step1"]);
  const first = { step1: { action: "accept", content: { name: "a" } } };
  const two = read(await retry(client, name, first, one.state));
  assertEquals(two.keys, ["step2"]);
  assertNotEquals(two.state, one.state);
  const second = { step2: { action: "accept", content: { color: "b" } } };
  const done = await retry(client, name, second, two.state);
  assertEquals(textOf(done), 'accept {"name":"a"} then accept {"color":"b"}');
  // The state of the first round holds no answer yet.
  assertEquals(read(await retry(client, name, second, one.state)).keys, ["step1"]);
});

forEachRevision(
  "mcp.ask.retry",
  "asks several questions at once and takes part answers",
  async () => {
    await using client = await open();
    const name = "test_input_required_result_multiple_inputs";
    const first = await client.call(name);
    assert(isObject(first.inputRequests));
    const methods = Object.entries(first.inputRequests).map(([key, request]) => [
      key,
      isObject(request) ? request.method : undefined,
    ]);
    assertEquals(methods, [
      ["user_name", "elicitation/create"],
      ["capital_question", "sampling/createMessage"],
      ["client_roots", "roots/list"],
    ]);
    const two = read(await retry(client, name, { capital_question: PARIS }, read(first).state));
    assertEquals(two.keys, ["user_name", "client_roots"]);
    const rest = { "user_name": ADA, "client_roots": { roots: [{ uri: "file:///a" }] } };
    const done = await retry(client, name, rest, two.state);
    assertEquals(done.resultType, "complete");
    for (const word of ["Ada", "Paris", "file:///a"]) assert(textOf(done).includes(word), word);
  },
);

forEachRevision("mcp.ask.retry", "works for prompts and resources too", async () => {
  await using client = await open();
  const prompt = { name: "test_input_required_result_prompt" };
  const { keys, state } = read(await client.result("prompts/get", prompt));
  assertEquals(keys, ["user_context"]);
  const { messages } = await client.result("prompts/get", {
    ...prompt,
    inputResponses: { user_context: { action: "accept", content: { context: "sea" } } },
    requestState: state,
  });
  assert(JSON.stringify(messages).includes("sea"));

  await using reader = await openInProcess({
    activations: [scripted({}, {
      resources: {
        list: () => Promise.resolve([]),
        templates: () => Promise.resolve([]),
        async read(uri, inquiry) {
          const answer = await inquiry.ask("roots", { kind: "roots" });
          return [{ uri, text: JSON.stringify(answer) }];
        },
      },
    })],
    revision: "2026-07-28",
    capabilities: CAPABILITIES,
  });
  assertEquals(read(await reader.result("resources/read", { uri: "a:b" })).keys, ["roots"]);
  const { contents } = await reader.result("resources/read", {
    uri: "a:b",
    inputResponses: { roots: { roots: [] } },
  });
  assertEquals(contents, [{ uri: "a:b", text: '{"kind":"roots","roots":[]}' }]);
});

forEachRevision("mcp.ask.retry", "asks only what the request's own client can answer", async () => {
  const name = "test_input_required_result_capabilities";
  await using sampler = await open({ sampling: {} });
  const { inputRequests } = await sampler.call(name);
  assert(isObject(inputRequests) && isObject(inputRequests.offered));
  assertEquals(inputRequests.offered.method, "sampling/createMessage");
  await using mute = await open({});
  assertEquals(textOf(await mute.call(name)), "Nothing can be asked");
});

forEachRevision("mcp.ask.state", "that was altered in any place is refused", async () => {
  await using client = await open();
  const name = "test_input_required_result_tampered_state";
  const { state } = read(await client.call(name));
  const altered = [...state].map((character, index) => {
    const other = character === "A" ? "B" : "A";
    return state.slice(0, index) + other + state.slice(index + 1);
  });
  const [payload = "", signature = ""] = state.split(".");
  const others: readonly JsonValue[] = [
    `${state}-TAMPERED`,
    ` ${state}`,
    `${state}=`,
    `${state}.`,
    `.${state}`,
    state.slice(1),
    state.slice(0, -1),
    payload,
    `${payload}.`,
    `.${signature}`,
    `${signature}.${payload}`,
    "",
    ".",
    null,
    5,
    {},
    [state],
  ];
  for (const requestState of [...altered, ...others]) {
    const params = { name, inputResponses: { user_name: ADA }, requestState };
    assertEquals((await client.error("tools/call", params)).code, -32602, `${requestState}`);
  }
  assertEquals(textOf(await retry(client, name, { user_name: ADA }, state)), "Hello, Ada!");
});

forEachRevision("mcp.ask.state", "that has expired is refused", async () => {
  await using client = await openInProcess({
    activations: [new EverythingActivation()],
    revision: "2026-07-28",
    capabilities: CAPABILITIES,
    limits: { requestStateMs: -1 },
  });
  const { state } = read(await client.call(GREET));
  const params = { name: GREET, inputResponses: { user_name: ADA }, requestState: state };
  const { code, message } = await client.error("tools/call", params);
  assertEquals(code, -32602);
  assert(String(message).includes("expired"));
});

forEachRevision("mcp.ask.state", "of a server with the same key is good", async () => {
  const store = { stateKey: crypto.getRandomValues(new Uint8Array(32)) };
  const opening = [1, 2].map(() =>
    openInProcess({
      activations: [new EverythingActivation()],
      revision: "2026-07-28",
      capabilities: CAPABILITIES,
      store,
    })
  );
  const [one, other] = await Promise.all(opening);
  await using client = one!;
  await using replica = other!;
  const { state } = read(await client.call(GREET));
  assertEquals(textOf(await retry(replica, GREET, { user_name: ADA }, state)), "Hello, Ada!");
});

forEachRevision("mcp.ask.state", "of another request or server is refused", async () => {
  await using client = await open();
  await using stranger = await open();
  const name = "confirm_delete";
  const given = { filename: "a", options: { deep: 1, force: true } };
  const { state } = read(await client.call(name, given));
  const requestState = state;
  const answer = { confirm: { action: "accept", content: { confirm: true } } };
  const others = [
    { name, arguments: { ...given, filename: "b" } },
    { name, arguments: { ...given, options: { deep: 2, force: true } } },
    { name },
    { name: "test_tool_with_task", arguments: given },
  ];
  for (const params of others) {
    const { code } = await client.error("tools/call", {
      ...params,
      inputResponses: answer,
      requestState,
    });
    assertEquals(code, -32602, JSON.stringify(params));
  }
  const prompt = { name: "test_input_required_result_prompt", requestState };
  assertEquals((await client.error("prompts/get", prompt)).code, -32602);
  const same = { name, arguments: given, inputResponses: answer, requestState };
  assertEquals((await stranger.error("tools/call", same)).code, -32602);
  // The same request, its members in another order.
  const reordered = { options: { force: true, deep: 1 }, filename: "a" };
  const { resultType } = await client.result("tools/call", { ...same, arguments: reordered });
  assertEquals(resultType, "complete");
});

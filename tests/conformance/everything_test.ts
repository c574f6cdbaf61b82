// Every tool, resource and prompt of the everything fixture in every revision: whatever comes back fits the schema.

import { assert, assertEquals } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";

/** Arguments of the tools that need some. */
const GIVEN: Readonly<Record<string, JsonObject>> = {
  greet: { name: "Ada" },
  "json_schema_2020_12_tool": { name: "Ada", contactMethod: "phone", phone: "1", email: "a@b" },
  "test_sampling": { prompt: "Hi" },
  "test_elicitation": { message: "Who?" },
};

const ANSWERS = {
  "elicitation/create": () => ({ action: "decline" }),
  "sampling/createMessage": () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "Paris" },
  }),
  "roots/list": () => ({ roots: [{ uri: "file:///a" }] }),
} as const;

/** Most rounds of questions that a request of the fixture needs. */
const MAX_ROUNDS = 3;

/** Sends a request, on the stateless wire as often as it asks; returns the last response. */
async function complete(
  client: TestClient,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  let more: JsonObject = {};
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    const response = await client.request(method, { ...params, ...more });
    const { result } = response;
    if (!isObject(result) || result.resultType !== "input_required") return response;
    assert(isObject(result.inputRequests));
    const inputResponses: Record<string, JsonValue> = {};
    for (const [key, request] of Object.entries(result.inputRequests)) {
      inputResponses[key] = answer(isObject(request) ? request.method : undefined);
    }
    more = { inputResponses, requestState: result.requestState };
  }
  throw new Error(`"${method}" asks without end: ${JSON.stringify(params)}`);
}

function answer(method: JsonValue | undefined): JsonValue {
  const found = Object.entries(ANSWERS).find(([name]) => name === method);
  assert(found !== undefined, `no answer for ${method}`);
  return found[1]();
}

forEachRevision("mcp.tools.call", "of every tool of the fixture is answered", async (revision) => {
  const activation = new EverythingActivation();
  await using client = await openInProcess({
    activations: [activation],
    revision,
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    answers: ANSWERS,
  });
  for (const { name } of activation.tools()) {
    const response = await complete(client, "tools/call", {
      name,
      arguments: GIVEN[name],
      _meta: { progressToken: name },
    });
    // A client that does not know tasks cannot have what is one always.
    const failed = name === "protocol_error_job" ||
      (name === "failing_job" && revision === "2026-07-28");
    assertEquals(response.error !== undefined, failed, `${name}: ${JSON.stringify(response)}`);
  }
});

forEachRevision("mcp.resources.read", "of all that is listed succeeds", async (revision) => {
  await using client = await openInProcess({ activations: [new EverythingActivation()], revision });
  const { resources } = await client.result("resources/list");
  assert(Array.isArray(resources) && resources.length > 0);
  for (const { uri } of resources) await client.result("resources/read", { uri });
});

forEachRevision("mcp.prompts.get", "of all that is listed succeeds", async (revision) => {
  await using client = await openInProcess({
    activations: [new EverythingActivation()],
    revision,
    capabilities: { elicitation: {} },
    answers: ANSWERS,
  });
  const { prompts } = await client.result("prompts/list");
  assert(Array.isArray(prompts) && prompts.length > 0);
  for (const prompt of prompts) {
    const names: string[] = (prompt.arguments ?? []).map((one: { name: string }) => one.name);
    const given = Object.fromEntries(names.map((name) => [name, "test://static-text"]));
    const response = await complete(client, "prompts/get", { name: prompt.name, arguments: given });
    // Elicitation is younger than the first two revisions.
    const asks = prompt.name === "test_input_required_result_prompt";
    assertEquals(response.error !== undefined, asks && revision < "2025-06-18", prompt.name);
  }
});

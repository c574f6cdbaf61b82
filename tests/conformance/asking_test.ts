// Questions on the handshake wire: requests of the server, their answers, and all the ways to get none.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import type { Question } from "../../mod.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import { openInProcess, type SchemaRevision, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { asking, LOGIN, MULTIPLE, NAME, sampling } from "../harness/questions.ts";
import { textOf } from "../harness/scripted.ts";

const CAPABILITIES = { sampling: {}, roots: {}, elicitation: {} };

interface Opening {
  readonly question: Question;
  readonly revision: SchemaRevision;
  readonly capabilities?: JsonObject;
  readonly answer?: JsonValue;
}

function open({ question, revision, capabilities, answer }: Opening): Promise<TestClient> {
  const reply = () => answer ?? null;
  return openInProcess({
    activations: [asking(question)],
    revision,
    capabilities: capabilities ?? CAPABILITIES,
    answers: answer === undefined ? {} : {
      "elicitation/create": reply,
      "sampling/createMessage": reply,
      "roots/list": reply,
    },
  });
}

/** The server's requests so far. */
function questions(client: TestClient): JsonObject[] {
  return client.received.filter((message) =>
    message.method !== undefined && message.id !== undefined
  );
}

forEachRevision(
  "mcp.ask.request",
  "goes out for the model and the roots, and its result comes back",
  async (revision) => {
    const sampled = { role: "assistant", model: "m", content: { type: "text", text: "Paris" } };
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "Capital?" } }],
      maxTokens: 10,
    };
    await using model = await open({
      question: { kind: "sampling", params },
      revision,
      answer: sampled,
    });
    assertEquals(JSON.parse(textOf(await model.call("ask"))), {
      kind: "sampled",
      message: sampled,
    });
    const [request] = questions(model);
    assertEquals([request?.method, request?.params], ["sampling/createMessage", params]);

    const roots = [{ uri: "file:///a", name: "a" }, { uri: "file:///b" }];
    await using rooted = await open({ question: { kind: "roots" }, revision, answer: { roots } });
    assertEquals(JSON.parse(textOf(await rooted.call("ask"))), { kind: "roots", roots });
    assertEquals(questions(rooted).map((message) => message.method), ["roots/list"]);
  },
);

forEachRevision(
  "mcp.ask.elicitation",
  "asks the user with a form; accept, decline and cancel come back",
  async (revision) => {
    for (const action of ["accept", "decline", "cancel"] as const) {
      const content = action === "accept" ? { name: "Ada" } : {};
      const answer = action === "accept" ? { action, content } : { action };
      await using client = await open({ question: NAME, revision, answer });
      assertEquals(JSON.parse(textOf(await client.call("ask"))), {
        kind: "elicited",
        action,
        content,
      });
      assertEquals(questions(client).map((message) => message.params), [{
        ...(revision === "2025-06-18" ? {} : { mode: "form" }),
        message: "Who?",
        requestedSchema: NAME.schema,
      }]);
    }
  },
);

forEachRevision(
  "mcp.ask.url",
  "sends the user to a page where the revision and the client know that",
  async (revision) => {
    const capabilities = { elicitation: { form: {}, url: {} } };
    const answer = { action: "accept" };
    await using client = await open({ question: LOGIN, revision, capabilities, answer });
    const { inputRequests, ...result } = await client.call("ask");
    switch (revision) {
      case "2025-11-25": {
        assertEquals(JSON.parse(textOf(result)).action, "accept");
        const params = questions(client)[0]?.params;
        assert(isObject(params) && typeof params.elicitationId === "string");
        assertEquals([params.mode, params.url], ["url", "https://example.com/login"]);
        break;
      }
      case "2026-07-28":
        assertEquals(inputRequests, {
          key: {
            method: "elicitation/create",
            params: { mode: "url", message: "Log in", url: "https://example.com/login" },
          },
        });
        break;
      default:
        assertEquals(result.isError, true);
        assertEquals(questions(client), []);
    }
  },
);

interface Unasked {
  readonly question: Question;
  readonly capabilities: JsonObject;
  readonly required: JsonObject;
}

/** Questions for which the client has not what they need. */
const UNASKED: readonly Unasked[] = [
  { question: NAME, capabilities: {}, required: { elicitation: {} } },
  { question: NAME, capabilities: { elicitation: { url: {} } }, required: { elicitation: {} } },
  { question: NAME, capabilities: { elicitation: true }, required: { elicitation: {} } },
  { question: LOGIN, capabilities: { elicitation: {} }, required: { elicitation: { url: {} } } },
  { question: { kind: "roots" }, capabilities: { sampling: {} }, required: { roots: {} } },
  {
    question: { kind: "sampling", params: { messages: [], maxTokens: 1 } },
    capabilities: { roots: {} },
    required: { sampling: {} },
  },
  {
    question: { kind: "sampling", params: { messages: [], maxTokens: 1, tools: [] } },
    capabilities: { sampling: {} },
    required: { sampling: { tools: {} } },
  },
];

forEachRevision(
  "mcp.ask.capability",
  "that the client lacks is not asked of it: -32021 on the stateless wire, isError before",
  async (revision) => {
    for (const { question, capabilities, required } of UNASKED) {
      await using client = await open({ question, revision, capabilities });
      const [name = ""] = Object.keys(required);
      if (revision === "2026-07-28") {
        const { code, message, data } = await client.error("tools/call", { name: "ask" });
        assertEquals([code, data], [-32021, { requiredCapabilities: required }]);
        assertStringIncludes(String(message), name);
      } else {
        const result = await client.call("ask");
        assertEquals(result.isError, true);
        assertStringIncludes(textOf(result), name);
      }
      assertEquals(questions(client), []);
    }
  },
);

forEachRevision(
  "mcp.ask.capability",
  "that the revision lacks is not asked of the client either",
  async (revision) => {
    const cases = [
      { question: NAME, since: "2025-06-18" },
      { question: MULTIPLE, since: "2025-11-25" },
      { question: sampling({ type: "image", data: "AAAA", mimeType: "image/png" }), since: "" },
      {
        question: sampling({ type: "audio", data: "AAAA", mimeType: "audio/wav" }),
        since: "2025-03-26",
      },
      { question: sampling([{ type: "text", text: "hi" }]), since: "2025-11-25" },
    ];
    const sampled = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    for (const { question, since } of cases) {
      const answer = question.kind === "form" ? { action: "decline" } : sampled;
      await using client = await open({ question, revision, answer });
      const result = await client.call("ask");
      const askable = revision >= since;
      assertEquals(result.isError, askable ? undefined : true, JSON.stringify(question));
      if (!askable) assertEquals(questions(client), []);
    }
  },
);

forEachRevision(
  "mcp.ask.request",
  "without a usable answer ends the call with isError",
  async (revision) => {
    const answers = [null, 5, [], {}, { roots: null }, { roots: [5] }, { roots: [{ name: "a" }] }];
    for (const answer of answers) {
      await using client = await open({ question: { kind: "roots" }, revision, answer });
      const result = await client.call("ask");
      assertEquals(result.isError, true, JSON.stringify(answer));
      assertStringIncludes(textOf(result), "roots/list");
    }
  },
);

forEachRevision(
  "mcp.ask.elicitation",
  "with an answer that does not fit the form ends the call with isError",
  async (revision) => {
    const misfits = [
      { action: "accept" },
      { action: "accept", content: { name: 5 } },
      { action: "accept", content: [] },
      { action: "agree", content: { name: "Ada" } },
    ];
    for (const answer of misfits) {
      await using client = await open({ question: NAME, revision, answer });
      assertEquals((await client.call("ask")).isError, true, JSON.stringify(answer));
    }
  },
);

forEachRevision(
  "mcp.ask.request",
  "that the client refuses ends the call with its words",
  async (revision) => {
    await using client = await open({ question: { kind: "roots" }, revision });
    const id = await client.post("tools/call", { name: "ask" });
    const asked = await client.waitFor((message) => message.method === "roots/list", "a question");
    const error = { code: -1, message: "The user rejected it" };
    await client.send({ jsonrpc: "2.0", id: asked.id, error });
    const { result } = await client.waitFor((message) => message.id === id, "the result");
    assert(isObject(result));
    assertEquals([result.isError, textOf(result)], [
      true,
      "The client refused: The user rejected it",
    ]);
    await client.send({ jsonrpc: "2.0", id: asked.id, result: { roots: [] } });
    await client.settle();
  },
);

forEachRevision(
  "mcp.ask.request",
  "is withdrawn when its call is canceled, and when time is up",
  async (revision) => {
    await using client = await open({ question: { kind: "roots" }, revision });
    const id = await client.post("tools/call", { name: "ask" });
    const asked = await client.waitFor((message) => message.method === "roots/list", "a question");
    await client.notify("notifications/cancelled", { requestId: id });
    const [told] = await client.waitForNotifications("notifications/cancelled");
    assertEquals(isObject(told?.params) ? told.params.requestId : undefined, asked.id);
    await client.send({ jsonrpc: "2.0", id: asked.id, result: { roots: [] } });
    await client.close();
    assertEquals(client.responses(id), []);

    await using slow = await openInProcess({
      activations: [asking({ kind: "roots" })],
      revision,
      capabilities: CAPABILITIES,
      limits: { askTimeoutMs: 1 },
    });
    assertEquals((await slow.call("ask")).isError, true);
    assertEquals(slow.notifications("notifications/cancelled").length, 1);
  },
);

forEachRevision(
  "mcp.ask.elicitation",
  "works for prompts, whose failure is told in words",
  async (revision) => {
    const name = "test_input_required_result_prompt";
    await using client = await openInProcess({
      activations: [new EverythingActivation()],
      revision,
      capabilities: { elicitation: {} },
      answers: { "elicitation/create": () => ({ action: "accept", content: { context: "sea" } }) },
    });
    assertStringIncludes(JSON.stringify(await client.result("prompts/get", { name })), "sea");
    await using mute = await openInProcess({
      activations: [new EverythingActivation()],
      revision,
    });
    const { code, message } = await mute.error("prompts/get", { name });
    assertEquals(code, -32603);
    assertStringIncludes(String(message), "elicitation");
    assertEquals(mute.stderr, "");
  },
);

// Resources, prompts and completion: what is found, what is not, and how that is told.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { EverythingActivation } from "../../fixtures/servers/everything/activation.ts";
import { openInProcess, type SchemaRevision, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { scripted } from "../harness/scripted.ts";

function open(revision: SchemaRevision): Promise<TestClient> {
  return openInProcess({ activations: [new EverythingActivation()], revision });
}

forEachRevision("mcp.resources.read", "returns text, bytes and templates", async (revision) => {
  await using client = await open(revision);
  const uris = ["test://static-text", "test://static-binary", "test://template/123/data"];
  for (const uri of uris) {
    const { contents } = await client.result("resources/read", { uri });
    const [content] = Array.isArray(contents) ? contents : [];
    assertEquals(content.uri, uri);
    assertEquals(typeof (uri.endsWith("binary") ? content.blob : content.text), "string");
  }
});

forEachRevision(
  "mcp.resources.not_found",
  "is told in the number of the revision, with the URI",
  async (revision) => {
    await using client = await open(revision);
    for (const uri of ["test://nothing", "", "no URI at all"]) {
      assertEquals(await client.error("resources/read", { uri }), {
        code: revision === "2026-07-28" ? -32602 : -32002,
        message: "Resource not found",
        data: { uri },
      });
    }
    for (const uri of [undefined, null, 5, ["test://static-text"]]) {
      assertEquals((await client.error("resources/read", { uri })).code, -32602);
    }
  },
);

forEachRevision("mcp.prompts.get", "renders with the arguments", async (revision) => {
  await using client = await open(revision);
  const { messages } = await client.result("prompts/get", {
    name: "test_prompt_with_arguments",
    arguments: { arg1: "one", arg2: "{{arg1}}" },
  });
  assertEquals(messages, [{
    role: "user",
    content: { type: "text", text: "Prompt with arguments: arg1='one', arg2='{{arg1}}'" },
  }]);
  await client.result("prompts/get", { name: "test_simple_prompt" });
});

forEachRevision("mcp.prompts.get", "refuses what it cannot render", async (revision) => {
  await using client = await open(revision);
  const name = "test_prompt_with_arguments";
  const cases = [
    { params: {}, names: '"name"' },
    { params: { name: 5 }, names: '"name"' },
    { params: { name: "nobody" }, names: '"nobody"' },
    { params: { name }, names: '"arg1", "arg2"' },
    { params: { name, arguments: { arg1: "x" } }, names: '"arg2"' },
    { params: { name, arguments: { arg1: "x", arg2: 5 } }, names: '"arguments.arg2"' },
    { params: { name, arguments: ["x", "y"] }, names: '"arguments"' },
  ];
  for (const { params, names } of cases) {
    const { code, message } = await client.error("prompts/get", params);
    assertEquals(code, -32602, names);
    assertStringIncludes(String(message), names);
  }
});

forEachRevision(
  "mcp.completion.values",
  "are at most 100, and it is told that there are more",
  async (revision, t) => {
    const cases = [
      { count: 0, values: 0, rest: { hasMore: false } },
      { count: 1, values: 1, rest: { total: 1, hasMore: false } },
      { count: 100, values: 100, rest: { total: 100, hasMore: false } },
      { count: 101, values: 100, rest: { total: 101, hasMore: true } },
      { count: 5, total: 500, values: 5, rest: { total: 500, hasMore: true } },
    ];
    for (const { count, total, values, rest } of cases) {
      await t.step(`${count} of ${total ?? count}`, async () => {
        const found = Array.from({ length: count }, (_, index) => `v${index}`);
        const complete = () =>
          Promise.resolve(total === undefined ? { values: found } : { values: found, total });
        const activations = [scripted({}, { complete })];
        await using client = await openInProcess({ activations, revision });
        const { completion } = await client.result("completion/complete", {
          ref: { type: "ref/resource", uri: "a:{b}" },
          argument: { name: "b", value: "" },
        });
        assertEquals(completion, { values: found.slice(0, values), ...rest });
      });
    }
  },
);

forEachRevision(
  "mcp.completion.values",
  "follow what was typed; what cannot be completed is refused",
  async (revision) => {
    await using client = await open(revision);
    const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" };
    const { completion } = await client.result("completion/complete", {
      ref,
      argument: { name: "arg1", value: "test" },
      context: { arguments: { arg2: "x" } },
    });
    assertEquals(completion, {
      values: ["test-value-1", "test-value-2"],
      total: 2,
      hasMore: false,
    });
    const argument = { name: "arg1", value: "" };
    const refused = [
      {},
      { argument },
      { ref: "x", argument },
      { ref: { type: "ref/tool", name: "x" }, argument },
      { ref: { type: "ref/prompt" }, argument },
      { ref: { type: "ref/resource" }, argument },
      { ref },
      { ref, argument: { name: "arg1" } },
      { ref, argument: { name: "arg1", value: 5 } },
      { ref, argument, context: { arguments: { arg2: 5 } } },
    ];
    for (const params of refused) {
      const { code } = await client.error("completion/complete", params);
      assertEquals(code, -32602, JSON.stringify(params));
    }
  },
);

// From a tool's stream of events to its one result, and what is left when the result is out.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type CallEvent, createLog, Gateway, type JsonValue } from "../../mod.ts";
import { Connection } from "../../src/gateway/connection.ts";
import { openInProcess } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";

function text(value: string): JsonValue {
  return { type: "text", text: value };
}

interface StreamCase {
  readonly name: string;
  readonly events: readonly JsonValue[];
  readonly content: readonly JsonValue[];
  readonly isError?: true;
}

/** Streams of domain events and the content that they come to. */
const STREAMS: readonly StreamCase[] = [
  { name: "nothing", events: [], content: [] },
  { name: "start alone", events: [{ type: "start" }], content: [] },
  {
    name: "content joined, start skipped",
    events: [
      { type: "start", id: 1 },
      { type: "content", text: "one " },
      { type: "chat_content", content: "two " },
      { type: "content", text: "three" },
      { type: "complete" },
    ],
    content: [text("one two three")],
  },
  {
    name: "lines of a program",
    events: [
      { type: "stdout", line: "a" },
      { type: "stderr", line: "noise" },
      { type: "stdout", line: "b" },
      { type: "exit", code: 0 },
    ],
    content: [text("a\nb\n")],
  },
  {
    name: "tool use told after the text",
    events: [
      { type: "tool_use", tool_name: "grep", input: { pattern: "x" } },
      { type: "content", text: "found" },
    ],
    content: [text("found"), text('[Tool: grep] {"pattern":"x"}')],
  },
  {
    name: "complete with a result and nothing else",
    events: [{ type: "complete", result: { answer: 42 } }],
    content: [text('{\n  "answer": 42\n}')],
  },
  {
    name: "complete with a result after text",
    events: [{ type: "content", text: "said" }, { type: "complete", result: { answer: 42 } }],
    content: [text("said")],
  },
  {
    name: "nothing counts after complete",
    events: [{ type: "content", text: "in" }, { type: "complete" }, {
      type: "content",
      text: "out",
    }],
    content: [text("in")],
  },
  {
    name: "no complete at all",
    events: [{ type: "content", text: "cut off" }],
    content: [text("cut off")],
  },
  {
    name: "error",
    events: [{ type: "content", text: "so far" }, { type: "error", message: "Sunk" }],
    content: [text("so far"), text("Sunk")],
    isError: true,
  },
  {
    name: "error inside data",
    events: [{ type: "data", content: { type: "error", message: "Sunk" } }],
    content: [text("Sunk")],
    isError: true,
  },
  {
    name: "exit with another code than 0",
    events: [{ type: "stdout", line: "a" }, { type: "exit", code: 3 }],
    content: [text("a\n"), text("Exited with code 3")],
    isError: true,
  },
  { name: "plain strings", events: ["a", "b"], content: [text("ab")] },
  {
    name: "unknown events kept",
    events: [{ type: "odd", n: 1 }],
    content: [text('{"type":"odd","n":1}')],
  },
  {
    name: "blocks of each type",
    events: [
      { type: "text", text: "block" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", text: "hi" } },
    ],
    content: [
      text("block"),
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", text: "hi" } },
    ],
  },
];

forEachRevision(
  "mcp.tools.call",
  "comes to one result, whatever the stream does (substrate#11, substrate#12, substrate#15, substrate#31)",
  async (revision, t) => {
    for (const { name, events, content, isError } of STREAMS) {
      await t.step(name, async () => {
        const run = () => events.map((data): CallEvent => ({ kind: "event", data }));
        const activations = [scripted({ stream: run })];
        await using client = await openInProcess({ activations, revision });
        const id = await client.post("tools/call", { name: "stream" });
        await client.waitFor((message) => message.id === id, "the result");
        await client.close();
        const answers = client.responses(id);
        assertEquals(answers.length, 1);
        const result = answers[0]?.result;
        assert(typeof result === "object" && result !== null && "content" in result);
        assertEquals(result.content, content);
        assertEquals("isError" in result ? result.isError : undefined, isError);
      });
    }
  },
);

forEachRevision(
  "mcp.tools.call",
  "gathers what a tool says, in order (substrate#10)",
  async (revision) => {
    const activations = [scripted({
      async *echo(call) {
        for (let round = 0; round < 3; round++) {
          await Promise.resolve();
          yield { kind: "event", data: { type: "content", text: `${call.arguments.word} ` } };
        }
      },
    })];
    await using client = await openInProcess({ activations, revision });
    assertEquals(textOf(await client.call("echo", { word: "ahoy" })), "ahoy ahoy ahoy ");
  },
);

forEachRevision(
  "mcp.tools.failure",
  "is a result with isError; a thrown one tells nothing of the host (substrate#12)",
  async (revision) => {
    const activations = [scripted({
      failure: () => [{ kind: "failure", message: "Sunk", details: { depth: 3 } }],
      thrown: () => {
        throw new Error("cannot open /home/secret");
      },
      async *late() {
        yield say("so far");
        await Promise.reject(new Error("cannot open /home/secret"));
      },
    })];
    await using client = await openInProcess({ activations, revision });
    const failure = await client.call("failure");
    assertEquals(failure.isError, true);
    assertEquals(textOf(failure), "Sunk");
    for (const name of ["thrown", "late"]) {
      const result = await client.call(name);
      assertEquals(result.isError, true, name);
      assert(!textOf(result).includes("secret"), name);
      const faultId = /\(([0-9a-f]{8})\)/.exec(textOf(result))?.[1] ?? "no id";
      assertStringIncludes(client.stderr, faultId);
    }
  },
);

Deno.test("Connection has nothing pending after 1000 calls (substrate#26)", async () => {
  const log = createLog({ level: "error", sink: () => {} });
  await using gateway = new Gateway({
    server: { implementation: { name: "tested", version: "1.0.0" } },
    activations: [scripted({
      quick: () => [say("quick")],
      ask: async function* (call) {
        await call.ask("roots", { kind: "roots" });
        yield say("asked");
      },
    })],
    log,
  });
  const all = Promise.withResolvers<void>();
  let answers = 0;
  using connection = new Connection(gateway, {
    ready: () => undefined,
    send(line) {
      const { id, method } = JSON.parse(line);
      if (method === "roots/list") return receive({ id, result: { roots: [] } });
      answers += 1;
      if (answers === 1001) all.resolve();
    },
  });
  function receive(message: Record<string, unknown>): void {
    connection.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
  const capabilities = { roots: {} };
  const params = { protocolVersion: "2025-11-25", capabilities };
  receive({ id: "first", method: "initialize", params });
  receive({ method: "notifications/initialized" });
  for (let id = 0; id < 1000; id++) {
    receive({ id, method: "tools/call", params: { name: id % 2 === 0 ? "quick" : "ask" } });
  }
  assert(connection.inFlight > 0);
  await all.promise;
  assertEquals([connection.inFlight, connection.asked], [0, 0]);
});

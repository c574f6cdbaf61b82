// The server lives on when something that it loads after the greeting cannot be loaded.

import { assertEquals, assertMatch } from "@std/assert";
import { type Activation, createLog, Gateway, serveLines } from "../../mod.ts";
import { GREETING } from "../harness/greeting.ts";
import { FIXTURE, runToEnd } from "./programs.ts";

const PING = { jsonrpc: "2.0", id: 3, method: "ping" };

Deno.test("everything answers on when the schema engine cannot be loaded", async () => {
  const call = { name: "greet", arguments: { name: "Ada" } };
  const request = { jsonrpc: "2.0", id: 2, method: "tools/call", params: call };
  const input = toLines([...GREETING, request, PING]);
  // As on a machine without network whose cache lacks the package.
  const flags = ["run", "--no-prompt", "--quiet", "--no-npm"];
  const replies = parseReplies(await runToEnd("deno", [...flags, FIXTURE], input));
  assertEquals([...replies.keys()].sort(), [1, 2, 3]);
  assertMatch(JSON.stringify(replies.get(2)), /The tool failed unexpectedly/);
  assertEquals(replies.get(3), { jsonrpc: "2.0", id: 3, result: {} });
});

Deno.test("serveLines() answers on when an activation cannot tell its tools", async () => {
  const log = createLog({ level: "emergency", sink: () => {} });
  const server = { implementation: { name: "broken", version: "1.0.0" } };
  await using gateway = new Gateway({ server, activations: [BROKEN], log });
  const request = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const replies = parseReplies(await serveText(gateway, toLines([...GREETING, request, PING])));
  assertEquals([...replies.keys()].sort(), [1, 2, 3]);
  assertMatch(JSON.stringify(replies.get(2)), /"code":-32603/);
  assertEquals(replies.get(3), { jsonrpc: "2.0", id: 3, result: {} });
});

const BROKEN: Activation = {
  namespace: "broken",
  tools() {
    throw new Error("No tools today");
  },
  async *call() {},
  async [Symbol.asyncDispose]() {},
};

function toLines(messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}

function parseReplies(text: string): Map<number, unknown> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => {
    const reply: { id: number } = JSON.parse(line);
    return [reply.id, reply];
  }));
}

/** Serves a client that says all of this and leaves. */
async function serveText(gateway: Gateway, text: string): Promise<string> {
  const rest = [new TextEncoder().encode(text)];
  const decoder = new TextDecoder();
  let output = "";
  await serveLines(gateway, {
    input: {
      read: (target) => {
        const bytes = rest.pop();
        if (bytes === undefined) return Promise.resolve(null);
        target.set(bytes);
        return Promise.resolve(bytes.length);
      },
    },
    output: {
      write: (bytes) => {
        output += decoder.decode(bytes, { stream: true });
        return Promise.resolve(bytes.length);
      },
    },
    signal: new AbortController().signal,
  });
  return output;
}

// Log messages of tools: by the session's level on one wire, by the request's own on the other.

import { assert, assertEquals } from "@std/assert";
import type { CallEvent } from "../../mod.ts";
import { isObject } from "../../src/jsonrpc/message.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { say, scripted } from "../harness/scripted.ts";

const LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

function logging(): ReturnType<typeof scripted> {
  return scripted({
    tell: () => [
      ...LEVELS.map((level): CallEvent => ({ kind: "log", level, logger: "l", data: { level } })),
      say("told"),
    ],
  });
}

/** The levels of the messages since `start`, each checked whole. */
function levelsSince(client: TestClient, start: number): unknown[] {
  return client.received.slice(start).filter((message) => message.method !== undefined)
    .map(({ method, params }) => {
      assertEquals(method, "notifications/message");
      assert(isObject(params));
      assertEquals(params, { level: params.level, logger: "l", data: { level: params.level } });
      return params.level;
    });
}

forEachRevision(
  "mcp.logging.session",
  "level decides what is told, before the answer (substrate#30, mcp-bash#21)",
  async (revision) => {
    await using client = await openInProcess({ activations: [logging()], revision });
    for (const [index, level] of LEVELS.entries()) {
      assertEquals(await client.result("logging/setLevel", { level }), {});
      const start = client.received.length;
      await client.call("tell");
      assert(client.received.at(-1)?.result !== undefined, "the answer comes last");
      assertEquals(levelsSince(client, start), LEVELS.slice(index));
    }
  },
);

forEachRevision(
  "mcp.logging.session",
  "level is info until the client chooses (mcp-bash#21)",
  async (revision) => {
    await using client = await openInProcess({ activations: [logging()], revision });
    const start = client.received.length;
    await client.call("tell");
    assertEquals(levelsSince(client, start), LEVELS.slice(1));
  },
);

forEachRevision(
  "mcp.logging.session",
  "level that is none is refused and changes nothing (mcp-bash#21)",
  async (revision) => {
    await using client = await openInProcess({ activations: [logging()], revision });
    await client.result("logging/setLevel", { level: "alert" });
    for (const level of ["loud", "fatal", "Error", "", 3, null, undefined, "toString"]) {
      assertEquals((await client.error("logging/setLevel", { level })).code, -32602, `${level}`);
    }
    const start = client.received.length;
    await client.call("tell");
    assertEquals(levelsSince(client, start), ["alert", "emergency"]);
  },
);

forEachRevision(
  "mcp.logging.request",
  "level decides for its own request alone",
  async (revision) => {
    await using client = await openInProcess({ activations: [logging()], revision });
    for (const [index, level] of LEVELS.entries()) {
      const start = client.received.length;
      await client.call("tell", {}, { _meta: { [LOG_LEVEL]: level } });
      assert(client.received.at(-1)?.result !== undefined, "the answer comes last");
      assertEquals(levelsSince(client, start), LEVELS.slice(index));
    }
    const start = client.received.length;
    await client.call("tell");
    assertEquals(levelsSince(client, start), []);
  },
);

forEachRevision("mcp.logging.request", "level that is none is refused", async (revision) => {
  await using client = await openInProcess({ activations: [logging()], revision });
  for (const level of ["loud", "", 3, null]) {
    const params = { name: "tell", _meta: { [LOG_LEVEL]: level } };
    assertEquals((await client.error("tools/call", params)).code, -32602, `${level}`);
  }
  assertEquals(client.notifications(), []);
});

// Progress: the client's own token, values that only grow, nothing without a token.

import { assert, assertEquals } from "@std/assert";
import type { CallEvent } from "../../mod.ts";
import { isObject } from "../../src/jsonrpc/message.ts";
import { openInProcess } from "../harness/client.ts";
import { forEachRevision } from "../harness/for_each_revision.ts";
import { Held, say, scripted } from "../harness/scripted.ts";

function step(progress: number): CallEvent {
  return { kind: "progress", progress, total: 10, message: `at ${progress}` };
}

forEachRevision(
  "mcp.progress.token",
  "is the client's, number or string, in each notification before the answer",
  async (revision) => {
    await using client = await openInProcess({
      activations: [scripted({ walk: () => [step(0), step(5), step(10), say("there")] })],
      revision,
    });
    for (const progressToken of [0, 7, -3, "", "7", "tøken"]) {
      const start = client.received.length;
      await client.call("walk", {}, { _meta: { progressToken } });
      const told = client.received.slice(start);
      assert(told.pop()?.result !== undefined, "the answer comes last");
      const params = [0, 5, 10].map((progress) => ({
        progressToken,
        progress,
        total: 10,
        ...(revision === "2024-11-05" ? {} : { message: `at ${progress}` }),
      }));
      assertEquals(told.map((message) => message.params), params);
    }
  },
);

forEachRevision(
  "mcp.progress.token",
  "that is missing or none at all means silence",
  async (revision) => {
    await using client = await openInProcess({
      activations: [scripted({ walk: () => [step(1), step(2), say("there")] })],
      revision,
    });
    await client.call("walk");
    for (const progressToken of [1.5, null, true, {}, ["a"]]) {
      await client.call("walk", {}, { _meta: { progressToken } });
    }
    assertEquals(client.notifications(), []);
  },
);

forEachRevision(
  "mcp.progress.token",
  "keeps apart calls that run side by side",
  async (revision) => {
    const held = new Held();
    await using client = await openInProcess({
      activations: [scripted({
        async *slow(call) {
          yield step(1);
          yield* held.run(call);
          yield step(2);
        },
        quick: () => [step(1), step(2), say("there")],
      })],
      revision,
    });
    await client.post("tools/call", { name: "slow", _meta: { progressToken: "slow" } }, "slow");
    await held.started;
    await client.call("quick", {}, { _meta: { progressToken: "quick" } });
    held.release();
    await client.waitFor((message) => message.id === "slow", "the slow answer");
    const told = client.notifications().map(({ params }) =>
      isObject(params) ? [params.progressToken, params.progress] : []
    );
    assertEquals(told, [["slow", 1], ["quick", 1], ["quick", 2], ["slow", 2]]);
  },
);

forEachRevision(
  "mcp.progress.increasing",
  "values are told, others are not",
  async (revision) => {
    const values = [-5, -5, -7, 0, 0, 0.5, 0.25, 3, 2, 3, 3.5, NaN, Infinity, 4];
    await using client = await openInProcess({
      activations: [scripted({ walk: () => [...values.map(step), say("there")] })],
      revision,
    });
    await client.call("walk", {}, { _meta: { progressToken: 1 } });
    const told = client.notifications("notifications/progress").map(({ params }) =>
      isObject(params) ? params.progress : undefined
    );
    assertEquals(told, [-5, 0, 0.5, 3, 3.5, 4]);
  },
);

forEachRevision(
  "mcp.progress.increasing",
  "values are told without a total that is no number",
  async (revision) => {
    const event: CallEvent = { kind: "progress", progress: 1, total: NaN };
    const activations = [scripted({ walk: () => [event, say("there")] })];
    await using client = await openInProcess({ activations, revision });
    await client.call("walk", {}, { _meta: { progressToken: 1 } });
    assertEquals(client.notifications()[0]?.params, { progressToken: 1, progress: 1 });
  },
);

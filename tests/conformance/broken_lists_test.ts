// Activations whose lists throw or hang: the others stay served, on both wires, and the broken one comes back.

import { assert, assertEquals } from "@std/assert";
import type { Activation, Change, Inquiry } from "../../mod.ts";
import { openInProcess, type TestClient } from "../harness/client.ts";
import { say, scripted, textOf } from "../harness/scripted.ts";

const WIRES = ["2025-11-25", "2026-07-28"] as const;

const AT_ONCE = { listRetryMs: 0 };
const NEVER = { listRetryMs: 1e9 };

/** What is broken as long as it is told to be, and how often it was looked at. */
class Breaker {
  isBroken = true;
  looks = 0;

  /** The value, or a fault that holds what no client may see. */
  read<Value>(value: Value): Value {
    this.looks += 1;
    if (this.isBroken) throw new Error("secret detail");
    return value;
  }
}

const GOOD = scripted({ good: () => [say("done")] }, {
  namespace: "good",
  resources: {
    list: () => Promise.resolve([{ uri: "good://one", name: "one" }]),
    templates: () => Promise.resolve([{ uriTemplate: "good://{x}", name: "x" }]),
    read: (uri) => Promise.resolve(uri === "good://one" ? [{ uri, text: "one" }] : undefined),
  },
  prompts: {
    list: () => Promise.resolve([{ name: "good" }]),
    get: () => Promise.resolve({ messages: [] }),
  },
  complete: () => Promise.resolve({ values: ["completed"] }),
});

function brokenTools(breaker: Breaker, parts: Partial<Activation> = {}): Activation {
  return scripted({ bad: () => [say("back")] }, {
    namespace: "bad",
    tools: () => breaker.read([{ name: "bad", inputSchema: { type: "object" } }]),
    ...parts,
  });
}

async function listNames(client: TestClient): Promise<unknown> {
  const { tools } = await client.result("tools/list");
  return Array.isArray(tools) ? tools.map(({ name }) => name) : tools;
}

function countLines(client: TestClient, event: string): number {
  return client.stderr.split("\n").filter((line) => line.includes(`"event":"${event}"`)).length;
}

for (const revision of WIRES) {
  Deno.test(`${revision}: a broken activation has no tools, and the others keep theirs`, async () => {
    const breaker = new Breaker();
    const activations = [brokenTools(breaker), GOOD];
    await using client = await openInProcess({ activations, revision, limits: NEVER });
    for (let turn = 0; turn < 3; turn++) assertEquals(await listNames(client), ["good"]);
    assertEquals(textOf(await client.call("good")), "done");
    assertEquals(breaker.looks, 1);
    const error = await client.error("tools/call", { name: "bad" });
    assertEquals([error.code, `${error.message}`.includes('No tool "bad" now')], [-32603, true]);
    assertEquals(JSON.stringify(client.received).includes("secret"), false);
    assertEquals(countLines(client, "list_failed"), 1);
    assert(client.stderr.includes('"namespace":"bad","list":"tools","error":"Error: secret'));
  });

  Deno.test(`${revision}: a broken activation is looked at again after its rest`, async () => {
    const breaker = new Breaker();
    const activations = [brokenTools(breaker), GOOD];
    await using client = await openInProcess({ activations, revision, limits: AT_ONCE });
    for (let turn = 0; turn < 5; turn++) assertEquals(await listNames(client), ["good"]);
    // However often it breaks: one line a minute.
    assertEquals(countLines(client, "list_failed"), 1);
    breaker.isBroken = false;
    assertEquals(textOf(await client.call("bad")), "back");
    assertEquals(await listNames(client), ["bad", "good"]);
    assertEquals(countLines(client, "list_mended"), 1);
    const { looks } = breaker;
    await listNames(client);
    assertEquals(breaker.looks, looks);
  });

  Deno.test(`${revision}: where nothing can tell its tools, listing is an error until it can`, async () => {
    const breaker = new Breaker();
    const activations = [brokenTools(breaker)];
    await using client = await openInProcess({ activations, revision, limits: AT_ONCE });
    for (const method of ["tools/list", "tools/call"]) {
      const error = await client.error(method, { name: "bad" });
      assertEquals([error.code, `${error.message}`.includes("broken")], [-32603, true]);
    }
    breaker.isBroken = false;
    assertEquals(await listNames(client), ["bad"]);
  });

  Deno.test(`${revision}: broken resources and prompts cost those of others nothing`, async (t) => {
    const FAULTS: Readonly<Record<string, () => unknown>> = {
      "throws": () => {
        throw new Error("secret detail");
      },
      "rejects": () => Promise.reject(new Error("secret detail")),
      "hangs": () => new Promise(() => {}),
      "tells nothing": () => Promise.resolve(undefined),
      "tells what is no list": () => Promise.resolve([null]),
    };
    for (const [name, fault] of Object.entries(FAULTS)) {
      await t.step(name, async () => {
        const list = fault as () => Promise<never>;
        const bad = scripted({}, {
          namespace: "bad",
          resources: {
            list,
            templates: list,
            read: () => Promise.reject(new Error("secret detail")),
          },
          prompts: { list, get: list },
          complete: () => Promise.reject(new Error("secret detail")),
        });
        const limits = { ...NEVER, listTimeoutMs: 10 };
        await using client = await openInProcess({ activations: [bad, GOOD], revision, limits });
        await checkGood(client);
        await checkGood(client);
        assertEquals(countLines(client, "list_failed"), 3);
        const missing = await client.error("prompts/get", { name: "missing" });
        assertEquals(missing.code, -32603);
        assertEquals(JSON.stringify(client.received).includes("secret"), false);
      });
    }
  });

  Deno.test(`${revision}: a list that hangs is ended, and asked for again`, async () => {
    const signals: AbortSignal[] = [];
    const hanging = scripted({}, {
      resources: {
        list: ({ signal }) => {
          signals.push(signal);
          return signals.length === 1 ? new Promise(() => {}) : Promise.resolve([]);
        },
        templates: () => Promise.resolve([]),
        read: () => Promise.resolve(undefined),
      },
    });
    const limits = { ...AT_ONCE, listTimeoutMs: 10 };
    await using client = await openInProcess({ activations: [hanging], revision, limits });
    const error = await client.error("resources/list");
    assertEquals(error.message?.toString().startsWith("Cannot list resources: "), true);
    assertEquals(signals.map(({ aborted }) => aborted), [true]);
    assertEquals((await client.result("resources/list")).resources, []);
    assertEquals(countLines(client, "list_mended"), 1);
  });

  Deno.test(`${revision}: a list that ends with its request is not to blame`, async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    let reads = 0;
    const hanging = scripted({}, {
      resources: {
        list: ({ signal }) => {
          reads += 1;
          if (reads > 1) return Promise.resolve([]);
          begun.resolve(signal);
          return new Promise((_, reject) => signal.addEventListener("abort", reject));
        },
        templates: () => Promise.resolve([]),
        read: () => Promise.resolve(undefined),
      },
    });
    await using client = await openInProcess({ activations: [hanging], revision, limits: NEVER });
    await client.post("resources/list", {}, 5);
    const signal = await begun.promise;
    await client.notify("notifications/cancelled", { requestId: 5 });
    assertEquals((await client.result("resources/list")).resources, []);
    assertEquals([signal.aborted, client.responses(5)], [true, []]);
    assertEquals([countLines(client, "list_failed"), countLines(client, "fault")], [0, 0]);
  });

  Deno.test(`${revision}: who reads a list can ask on the handshake wire only`, async () => {
    const asked: unknown[] = [];
    const curious = scripted({}, {
      prompts: {
        list: async (inquiry: Inquiry) => {
          asked.push(inquiry.canAsk({ kind: "roots" }));
          const answer = await inquiry.ask("roots", { kind: "roots" });
          return answer.kind === "roots" ? answer.roots.map(({ uri }) => ({ name: uri })) : [];
        },
        get: () => Promise.resolve({ messages: [] }),
      },
    });
    await using client = await openInProcess({
      activations: [curious],
      revision,
      capabilities: { roots: {} },
      answers: { "roots/list": () => ({ roots: [{ uri: "file:///a" }] }) },
    });
    if (revision === "2025-11-25") {
      assertEquals((await client.result("prompts/list")).prompts, [{ name: "file:///a" }]);
    } else {
      assertEquals((await client.error("prompts/list")).code, -32603);
    }
    assertEquals(asked, [revision === "2025-11-25"]);
  });
}

Deno.test("a client that does not answer a list's question costs others nothing", async () => {
  const asking = scripted({}, {
    prompts: {
      list: async (inquiry: Inquiry) => {
        if (inquiry.canAsk({ kind: "roots" })) await inquiry.ask("roots", { kind: "roots" });
        return [{ name: "asked" }];
      },
      get: () => Promise.resolve({ messages: [] }),
    },
  });
  const limits = { ...NEVER, listTimeoutMs: 10 };
  const capabilities = { roots: {} };
  await using mute = await openInProcess({ activations: [asking], limits, capabilities });
  const { message } = await mute.error("prompts/list");
  assertEquals(message, "The client did not answer a question about the list in time");
  // It is asked again at once: the activation is not to blame.
  assertEquals((await mute.error("prompts/list")).message, message);
  assertEquals(countLines(mute, "list_failed"), 0);
  await using both = await openInProcess({ activations: [asking, GOOD], limits, capabilities });
  assertEquals((await both.result("prompts/list")).prompts, [{ name: "good" }]);
});

async function checkGood(client: TestClient): Promise<void> {
  const { resources } = await client.result("resources/list");
  assertEquals(resources, [{ uri: "good://one", name: "one" }]);
  const { resourceTemplates } = await client.result("resources/templates/list");
  assertEquals(resourceTemplates, [{ uriTemplate: "good://{x}", name: "x" }]);
  assertEquals((await client.result("prompts/list")).prompts, [{ name: "good" }]);
  assertEquals((await client.result("prompts/get", { name: "good" })).messages, []);
  const { contents } = await client.result("resources/read", { uri: "good://one" });
  assertEquals(contents, [{ uri: "good://one", text: "one" }]);
  const { completion } = await client.result("completion/complete", {
    ref: { type: "ref/prompt", name: "good" },
    argument: { name: "a", value: "" },
  });
  assertEquals(JSON.stringify(completion).includes("completed"), true);
}

Deno.test("a broken activation that announces a change is looked at again", async () => {
  const breaker = new Breaker();
  const lists = new Breaker();
  const changed = Promise.withResolvers<void>();
  const announcing = brokenTools(breaker, {
    async *changes(): AsyncGenerator<Change> {
      await changed.promise;
      yield { kind: "prompts" };
      yield { kind: "tools" };
    },
    prompts: {
      list: () => Promise.resolve(lists.read([{ name: "again" }])),
      get: () => Promise.resolve({ messages: [] }),
    },
  });
  const activations = [announcing, GOOD];
  await using client = await openInProcess({ activations, limits: NEVER });
  assertEquals(await listNames(client), ["good"]);
  assertEquals((await client.result("prompts/list")).prompts, [{ name: "good" }]);
  breaker.isBroken = false;
  lists.isBroken = false;
  assertEquals(await listNames(client), ["good"]);
  changed.resolve();
  await client.waitForNotifications("notifications/tools/list_changed");
  assertEquals(await listNames(client), ["bad", "good"]);
  const { prompts } = await client.result("prompts/list");
  assertEquals(prompts, [{ name: "again" }, { name: "good" }]);
});

Deno.test("a client that did not list hears that a broken activation is back", async () => {
  const breaker = new Breaker();
  const announcing = brokenTools(breaker, { async *changes() {} });
  const activations = [announcing, GOOD];
  await using client = await openInProcess({ activations, limits: AT_ONCE });
  assertEquals(await listNames(client), ["good"]);
  assertEquals(client.notifications(), []);
  breaker.isBroken = false;
  assertEquals(textOf(await client.call("bad")), "back");
  await client.waitForNotifications("notifications/tools/list_changed");
});

Deno.test("an activation that cannot tell its changes does not end the server", async () => {
  const broken = scripted({}, {
    namespace: "bad",
    changes: () => {
      throw new Error("secret detail");
    },
  });
  await using client = await openInProcess({ activations: [broken, GOOD] });
  assertEquals(await listNames(client), ["good"]);
  assertEquals(countLines(client, "changes_ended"), 1);
});

// Stores that never answer, or long after they were given up: a client waits no longer than it must, and what was done
// first stays first.

import { assertEquals } from "@std/assert";
import { withDeadline } from "../harness/deadline.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { getOracle, type Oracle } from "../harness/oracle.ts";
import { say, scripted } from "../harness/scripted.ts";
import { revision, SlowStore, Stage, type Work } from "./slow_store.ts";

const core = { storeTimeoutMs: 20 };
/** What the log says of a store that was given up. */
const GIVEN_UP = "The store of sessions gave no answer within 20 ms";

/** What never comes back, what a client does then, and the status that it gets in the end. */
const SILENCES: readonly (readonly [readonly Work[], (stage: Stage) => Promise<number>, number])[] =
  [
    [["find"], async ({ client }) => {
      using exchange = await client.post("ping");
      return exchange.status;
    }, 500],
    [["save", "drop"], async ({ client }) => {
      using exchange = await client.post("logging/setLevel", { level: "error" });
      await exchange.finish();
      return await client.end();
    }, 204],
    [["append"], async (stage) => {
      const last = await stage.cutBehindFirst();
      stage.led.finish(say("done"));
      using resumed = await stage.client.listen(last);
      return resumed.status;
    }, 404],
    [["eventsAfter"], async (stage) => {
      const last = await stage.cutBehindFirst();
      stage.led.finish(say("done"));
      await stage.host.settle("bulkhead_in_flight", 0);
      using resumed = await stage.client.listen(last);
      return resumed.status;
    }, 404],
  ];

for (const [kinds, act, status] of SILENCES) {
  Deno.test(`a store that never answers (${kinds.join(", ")}) counts as one that fails`, async () => {
    await using stage = await Stage.open(core);
    stage.store.hold(...kinds);
    assertEquals(await withDeadline(act(stage), () => "The client waits for ever"), status);
    await stage.host.untilLogged(GIVEN_UP);
  });
}

/** Two servers that share a store, and a client of the first. */
class Two implements AsyncDisposable {
  readonly store = new SlowStore();
  readonly host = new HttpHost({ activations: [], store: { sessions: this.store }, core });
  readonly other = new HttpHost({ activations: [], store: { sessions: this.store }, core });
  readonly client: HttpClient;

  private constructor(oracle: Oracle) {
    this.client = new HttpClient(this.host, oracle, { revision });
  }

  static async open(): Promise<Two> {
    const two = new Two(await getOracle());
    await two.client.shakeHands();
    return two;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.other[Symbol.asyncDispose]();
  }
}

Deno.test("a session that was ended is not there again when it is kept late", async () => {
  await using two = await Two.open();
  const { store, host, client } = two;
  store.hold("save");
  await client.result("logging/setLevel", { level: "debug" });
  await host.untilLogged(GIVEN_UP);
  assertEquals(await client.end(), 204);
  store.release("save");
  await host.settle("bulkhead_connections", 0);
  assertEquals(store.memory.find(client.session ?? ""), undefined);
  using asked = await client.moveTo(two.other, await getOracle()).post("ping");
  assertEquals(asked.status, 404);
});

Deno.test("what is kept late does not come before what was settled after it", async () => {
  const store = new SlowStore();
  const log = () => [{ kind: "log", level: "info", data: "told" }, say("logged")] as const;
  await using host = new HttpHost({
    activations: [scripted({ log })],
    store: { sessions: store },
    core,
  });
  const client = await HttpClient.open(host, { revision });
  store.hold("save");
  await client.result("logging/setLevel", { level: "debug" });
  await host.untilLogged(GIVEN_UP);
  await client.result("logging/setLevel", { level: "error" });
  await store.until("save", 2);
  // The later one is kept, then the one before it, which brings back what was before.
  for (const which of ["last", "first"] as const) assertEquals(store.step("save", which), true);
  await store.until("save");
  store.step("save", "first");
  using exchange = await client.post("tools/call", { name: "log" });
  await exchange.answer();
  assertEquals(exchange.messages.length, 1, "the level holds");
  assertEquals(store.memory.find(client.session ?? "")?.state.logLevel, "error");
  assertEquals(store.step("save", "first"), false);
});

Deno.test("a session goes on although the store has not kept it in time", async () => {
  const store = new SlowStore();
  await using host = new HttpHost({ activations: [], store: { sessions: store }, core });
  const client = await HttpClient.create(host, { revision });
  store.hold("save");
  using opened = await client.post("initialize", client.initializeParams());
  await opened.answer();
  client.session = opened.headers.get("mcp-session-id");
  await host.untilLogged(GIVEN_UP);
  assertEquals(await client.notify("notifications/initialized"), 202);
  assertEquals((await client.ask("ping")).result, {});
  store.release("save");
});

Deno.test("a session that was ended is gone although the store never kept it", async () => {
  await using two = await Two.open();
  const { store, client } = two;
  store.hold("save");
  await client.result("logging/setLevel", { level: "debug" });
  const there = client.moveTo(two.other, await getOracle());
  assertEquals(await client.end(), 204);
  using asked = await there.post("ping");
  assertEquals([asked.status, store.memory.find(client.session ?? "")], [404, undefined]);
});

Deno.test("a session that was ended elsewhere is over although the store does not keep what is settled here", async () => {
  await using two = await Two.open();
  const { store, host, client } = two;
  assertEquals((await client.ask("ping")).result, {});
  store.hold("save");
  await client.result("logging/setLevel", { level: "debug" });
  await host.untilLogged(GIVEN_UP);
  assertEquals(await client.moveTo(two.other, await getOracle()).end(), 204);
  using asked = await client.post("ping");
  assertEquals(asked.status, 404);
});

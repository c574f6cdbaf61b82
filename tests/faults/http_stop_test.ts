// A server that stops while calls are under way: whoever waits learns how its call ended, however long that would take.

import { assertEquals } from "@std/assert";
import { Metrics } from "../../http.ts";
import { HTTP_REVISIONS, HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { HttpPort, HttpWire, toRequestBytes } from "../harness/http_wire.ts";
import { progress } from "../harness/led.ts";
import { Held, scripted } from "../harness/scripted.ts";

/** What a client is told whose call outlasts the grace period. */
function canceled(isStateless: boolean) {
  const reason = isStateless ? "the server is shutting down" : "the session has ended";
  return { code: -32603, message: `The request was canceled: ${reason}` };
}

function startHost(held: Held): HttpHost {
  const tools = {
    hold: held.run,
    async *tell(call: Parameters<Held["run"]>[0]) {
      yield progress(1);
      yield* held.run(call);
    },
  };
  return new HttpHost({ activations: [scripted(tools)], core: { graceMs: 1 } });
}

Deno.test("a client that begins while the server stops is told why it cannot", async () => {
  const held = new Held();
  await using host = new HttpHost({ activations: [scripted({ hold: held.run })] });
  const client = await HttpClient.open(host, { revision: "2025-11-25" });
  using wire = await HttpWire.connect(host.port);
  const initialize = client.request("initialize", client.initializeParams());
  const body = JSON.stringify(initialize);
  const parts = { headers: { "Content-Type": "application/json" }, body };
  const bytes = toRequestBytes(new HttpPort(host.port).complete(parts));
  // Its request has begun, so that the server waits for it.
  await wire.write(bytes.subarray(0, 20));
  await host.settle("bulkhead_connections", 1);
  const called = client.post("tools/call", { name: "hold" });
  await held.started;
  host.stop();
  await wire.write(bytes.subarray(20));
  const answer = await wire.answer();
  assertEquals(answer.status, 503);
  assertEquals(JSON.parse(answer.body).error.message, "Server shutting down");
  held.release();
  using _exchange = await called;
});

Deno.test("who asks for its health while the server stops is told so", async () => {
  const held = new Held();
  await using host = new HttpHost({ activations: [scripted({ hold: held.run })] });
  const client = await HttpClient.open(host, { revision: "2025-11-25" });
  using wire = await HttpWire.connect(host.port);
  const request = new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await wire.write(request.subarray(0, 20));
  await host.settle("bulkhead_connections", 1);
  const called = client.post("tools/call", { name: "hold" });
  await held.started;
  host.stop();
  await wire.write(request.subarray(20));
  const { status, body } = await wire.answer();
  assertEquals([status, body], [503, '{"status":"draining"}']);
  held.release();
  using _exchange = await called;
});

for (const revision of HTTP_REVISIONS) {
  Deno.test(`${revision}: a call that outlasts the grace period is canceled, and answered`, async () => {
    const held = new Held();
    await using host = startHost(held);
    const client = await HttpClient.open(host, { revision });
    const posted = client.post("tools/call", { name: "hold" });
    await held.started;
    host.stop();
    using exchange = await posted;
    assertEquals(exchange.status, 200);
    assertEquals<unknown>((await exchange.answer()).error, canceled(client.isStateless));
    assertEquals(await held.ended, "aborted");
  });

  Deno.test(`${revision}: so is one whose stream has begun, as its last event`, async () => {
    const held = new Held();
    await using host = startHost(held);
    const client = await HttpClient.open(host, { revision });
    const params = { name: "tell", _meta: { progressToken: 1 } };
    using exchange = await client.post("tools/call", params);
    await exchange.next();
    await held.started;
    host.stop();
    assertEquals<unknown>((await exchange.answer()).error, canceled(client.isStateless));
  });
}

Deno.test("2025-03-26: a batch that outlasts the grace period is answered in full", async () => {
  const held = new Held();
  await using host = startHost(held);
  const client = await HttpClient.open(host, { revision: "2025-03-26" });
  const batch = [client.request("tools/call", { name: "hold" }, 1), client.request("ping", {}, 2)];
  const posted = client.send(batch, { headers: { "Content-Type": "application/json" } });
  await held.started;
  host.stop();
  using exchange = await posted;
  await exchange.finish();
  assertEquals<unknown>(exchange.messages, [
    { jsonrpc: "2.0", id: 2, result: {} },
    { jsonrpc: "2.0", id: 1, error: canceled(false) },
  ]);
});

/** Numbers, and how many of them are still read. */
class CountedMetrics extends Metrics {
  gauges = 0;

  override gauge(name: string, help: string, read: () => number): Disposable {
    this.gauges += 1;
    const gauge = super.gauge(name, help, read);
    const end = () => {
      this.gauges -= 1;
      gauge[Symbol.dispose]();
    };
    return { [Symbol.dispose]: end };
  }
}

Deno.test("servers that share their numbers add up, and leave nothing behind when they end", async () => {
  const metrics = new CountedMetrics();
  await using first = new HttpHost({ activations: [], metrics });
  await using second = new HttpHost({ activations: [], metrics });
  for (const host of [first, second]) await HttpClient.open(host, { revision: "2025-11-25" });
  assertEquals([first.metric("bulkhead_sessions"), metrics.gauges], [2, 4]);
  second.stop();
  await second.ended;
  assertEquals([first.metric("bulkhead_sessions"), metrics.gauges], [1, 2]);
});

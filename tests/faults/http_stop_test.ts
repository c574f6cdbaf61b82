// A server that stops while calls are under way: whoever waits learns how its call ended, however long that would take.

import { assertEquals } from "@std/assert";
import { HTTP_REVISIONS, HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { progress } from "../harness/led.ts";
import { Held, scripted } from "../harness/scripted.ts";

/** What a client is told whose call outlasts the grace period. */
function canceled(isStateless: boolean) {
  const reason = isStateless ? "the server is shutting down" : "the server has ended the session";
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

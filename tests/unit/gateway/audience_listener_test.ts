// News as notifications; equal news wait once for a client that does not read.

import { assertEquals } from "@std/assert";
import { ClientListener, type News } from "../../../src/gateway/audience.ts";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { RecordingOutlet, settle } from "./recorded_exchange.ts";

function listenerOf(options: { wants?: (kind: News["kind"]) => boolean; meta?: JsonObject } = {}) {
  const outlet = new RecordingOutlet();
  const { wants = () => true, meta } = options;
  return { outlet, listener: new ClientListener({ outlet, wants, meta }) };
}

Deno.test("ClientListener tells nothing that the client does not want", () => {
  const { outlet, listener } = listenerOf({ wants: (kind) => kind === "prompts" });
  for (const kind of ["tools", "resources", "prompts"] as const) listener.hear({ kind });
  assertEquals(outlet.sent, ['{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}']);
});

Deno.test("ClientListener keeps equal news once while the client does not read", async () => {
  const { outlet, listener } = listenerOf();
  outlet.block();
  for (let count = 0; count < 1000; count++) {
    listener.hear({ kind: "tools" });
    listener.hear({ kind: "resource", uri: "a:1" });
    listener.hear({ kind: "resource", uri: "a:2" });
  }
  await settle();
  assertEquals(outlet.sent, []);
  outlet.unblock();
  await settle();
  assertEquals(outlet.messages, [
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:1" } },
    { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:2" } },
  ]);
  listener.hear({ kind: "tools" });
  assertEquals(outlet.sent.length, 4);
});

Deno.test("ClientListener waits again when the client stops reading again", async () => {
  const { outlet, listener } = listenerOf();
  for (let round = 1; round <= 2; round++) {
    outlet.block();
    listener.hear({ kind: "tools" });
    outlet.unblock();
    await settle();
    assertEquals(outlet.sent.length, round);
  }
});

Deno.test("ClientListener puts its metadata into every notification", () => {
  const { outlet, listener } = listenerOf({ meta: { id: 7 } });
  listener.hear({ kind: "tools" });
  listener.hear({ kind: "resource", uri: "a:1" });
  assertEquals(outlet.messages, [
    {
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { id: 7 } },
    },
    {
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { _meta: { id: 7 }, uri: "a:1" },
    },
  ]);
});

// Requests of the stateless wire leave nothing behind.

import { assertEquals } from "@std/assert";
import { Gateway } from "../../../src/gateway/gateway.ts";
import { createLog } from "../../../src/gateway/log.ts";
import { prepareStateless } from "../../../src/gateway/stateless.ts";
import type { Request } from "../../../src/jsonrpc/message.ts";
import { RecordingOutlet } from "./recorded_exchange.ts";

const PREFIX = "io.modelcontextprotocol/";
const REQUEST: Request = {
  kind: "request",
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: { [`${PREFIX}protocolVersion`]: "2026-07-28", [`${PREFIX}clientCapabilities`]: {} },
  },
};

/** A signal that counts who waits for it. */
class CountingSignal extends EventTarget {
  count = 0;
  readonly aborted = false;
  override addEventListener(...given: Parameters<EventTarget["addEventListener"]>): void {
    this.count += 1;
    super.addEventListener(...given);
  }
  override removeEventListener(...given: Parameters<EventTarget["removeEventListener"]>): void {
    this.count -= 1;
    super.removeEventListener(...given);
  }
}

Deno.test("listening leaves nothing with the signal of the server's end when it is over", async () => {
  await using gateway = new Gateway({
    server: { implementation: { name: "tested", version: "1.0.0" } },
    activations: [],
    log: createLog({ level: "error", sink: () => {} }),
  });
  const signal = new CountingSignal();
  const outlet = new RecordingOutlet();
  const reply = { answer: () => {}, skip: () => {} };
  const { exchange, run } = prepareStateless(gateway, REQUEST, {
    port: { outlet, reply, length: 100, owner: "" },
    closing: signal as unknown as AbortSignal,
  });
  const listening = Promise.resolve(run()).catch((error) => error);
  assertEquals([outlet.sent.length, signal.count], [1, 1]);
  exchange.cancel("enough");
  await listening;
  assertEquals(signal.count, 0);
});

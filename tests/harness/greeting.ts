// What a client of the latest handshake revision says first, for tests that write lines by themselves.

import type { JsonObject } from "../../src/jsonrpc/message.ts";

/** `initialize` under the id 1, and that the client is ready. */
export const GREETING: readonly JsonObject[] = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "greeting", version: "1.0.0" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

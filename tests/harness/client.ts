// Opens test clients: of a gateway in this process, or of a real one.

import { type Activation, createLog, Gateway, type GatewayOptions } from "../../mod.ts";
import { serveInMemory, spawnServer } from "./link.ts";
import { getOracle } from "./oracle.ts";
import { type ClientOptions, TestClient } from "./test_client.ts";

export type { JsonObject, JsonValue } from "../../src/jsonrpc/message.ts";
export { REVISIONS, type SchemaRevision } from "./definitions.ts";
export { type ClientOptions, type Received, TestClient } from "./test_client.ts";

/** How a gateway in this process is made. */
export interface InProcessOptions extends ClientOptions, Partial<Omit<GatewayOptions, "log">> {
  readonly activations: readonly Activation[];
  readonly splitBatches?: boolean;
}

/** Opens a client of a gateway in this process, without any handshake yet. */
export async function connectInProcess(options: InProcessOptions): Promise<TestClient> {
  const log: string[] = [];
  const gateway = new Gateway({
    server: { implementation: { name: "tested", version: "1.0.0" } },
    ...options,
    log: createLog({ level: "debug", sink: (line) => void log.push(line) }),
  });
  const link = serveInMemory(gateway, { ...options, stderr: () => log.join("") });
  return new TestClient(link, await getOracle(), options);
}

/** Opens a client of a gateway in this process and performs the handshake of its revision. */
export async function openInProcess(options: InProcessOptions): Promise<TestClient> {
  const client = await connectInProcess(options);
  try {
    return await client.open();
  } catch (error) {
    await client[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens a client of a real process: `deno` with these arguments, at the root of the repository. */
export async function connectProcess(
  args: readonly string[],
  options: ClientOptions = {},
): Promise<TestClient> {
  const oracle = await getOracle();
  return new TestClient(spawnServer(args), oracle, options);
}

/**
 * Bulkhead as a library: build a gateway from activations and serve it; run as a program, it is the command line.
 *
 * @example Serve one tool over a pair of byte streams
 * ```ts
 * import { type Activation, createLog, Gateway, serveLines } from "@bulkhead/bulkhead";
 *
 * const clock: Activation = {
 *   namespace: "clock",
 *   tools: () => [{ name: "now", inputSchema: { type: "object" } }],
 *   async *call() {
 *     yield { kind: "content", block: { type: "text", text: new Date().toISOString() } };
 *   },
 *   async [Symbol.asyncDispose]() {},
 * };
 *
 * await using gateway = new Gateway({
 *   server: { implementation: { name: "clock", version: "1.0.0" } },
 *   activations: [clock],
 *   log: createLog({ level: "warning", sink: () => {} }),
 * });
 * const ping = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
 * let answer = "";
 * let sent = false;
 * await serveLines(gateway, {
 *   input: {
 *     read(buffer) {
 *       if (sent) return Promise.resolve(null);
 *       sent = true;
 *       buffer.set(ping);
 *       return Promise.resolve(ping.length);
 *     },
 *   },
 *   output: {
 *     write(bytes) {
 *       answer += new TextDecoder().decode(bytes);
 *       return Promise.resolve(bytes.length);
 *     },
 *   },
 *   signal: new AbortController().signal,
 * });
 *
 * if (answer !== '{"jsonrpc":"2.0","id":1,"result":{}}\n') throw new Error("No pong");
 * ```
 *
 * @module
 */

import { main } from "./src/cli/main.ts";

export type {
  Activation,
  ActivationRequest,
  Call,
  CallEvent,
  Change,
  Completion,
  CompletionRequest,
  Inquiry,
  PromptRequest,
  PromptSource,
  Provider,
  RenderedPrompt,
  ResourceSource,
} from "./src/activation/activation.ts";
export { Gateway, type GatewayOptions } from "./src/gateway/gateway.ts";
export { DEFAULT_LIMITS, type Limits } from "./src/gateway/limits.ts";
export { createLog, type Log, type LogOptions } from "./src/gateway/log.ts";
export { serveLines, type ServeLinesOptions } from "./src/gateway/serve_lines.ts";
export { RpcError } from "./src/jsonrpc/message.ts";
export type { JsonObject, JsonValue } from "./src/jsonrpc/message.ts";
export type { LogLevel } from "./src/mcp/params.ts";
export type * from "./src/mcp/model.ts";
export type { CompletionReference } from "./src/mcp/params.ts";
export type { Answer, Question, Root } from "./src/mcp/question.ts";

// Imported with the rest, not on demand: four small modules, where another round of loading costs 2 ms of every start.
if (import.meta.main) Deno.exit(await main(Deno.args));

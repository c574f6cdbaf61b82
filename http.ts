/**
 * Streamable HTTP for a gateway, beside the stdio of `mod.ts`: an entry of its own, so that a server on stdio does not
 * load it.
 *
 * @module
 */

export { serveHttp } from "./src/gateway/serve_http.ts";
export type { ServedHttp, ServeHttpOptions } from "./src/gateway/serve_http.ts";
export { findBearer } from "./src/gateway/authenticator.ts";
export type { Authenticator, Identity } from "./src/gateway/authenticator.ts";
export type { HttpHead } from "./src/transport/http.ts";
export { Metrics } from "./src/gateway/metrics.ts";
export type { StoredEvent } from "./src/gateway/event_log.ts";
export { MemorySessionStore } from "./src/gateway/store.ts";
export type {
  Eventually,
  SessionRecord,
  SessionStore,
  Store,
  StoreLimits,
} from "./src/gateway/store.ts";
export { MemoryTaskStore } from "./src/gateway/task_store.ts";
export type {
  Sweeping,
  TaskOrder,
  TaskServer,
  TaskStore,
  TaskStoreLimits,
} from "./src/gateway/task_store.ts";

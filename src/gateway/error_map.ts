// Anything thrown → the one error that crosses the wire. Unknown faults become -32603 with a short id that stands in
// the log beside the detail, so that nothing of the host reaches a client.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/message.ts";
import { describeError, type Log } from "./log.ts";

/** The error to answer with. */
export function toRpcError(error: unknown, log: Log): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(INTERNAL_ERROR, `Internal error (${reportFault(error, log)})`);
}

/** Logs a fault under a short random id and returns the id. */
export function reportFault(error: unknown, log: Log): string {
  const faultId = crypto.randomUUID().slice(0, 8);
  log.write("error", "fault", { faultId, error: describeError(error) });
  return faultId;
}

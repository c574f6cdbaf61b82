// How a client of the handshake wire introduces itself, and the answer to one that does so with its first line: that
// answer needs little, so it leaves before the rest of the server is loaded.

import {
  invalidParams,
  isObject,
  type JsonObject,
  parseLine,
  resultText,
} from "../jsonrpc/message.ts";
import { getCodec } from "../mcp/codec.ts";
import {
  checkCapabilities,
  findMeta,
  isStateless,
  parseOptionalObject,
  parseParams,
  parseString,
  toClientName,
} from "../mcp/params.ts";
import { type HandshakeRevision, negotiateRevision } from "../mcp/revision.ts";
import type { Gateway } from "./gateway.ts";
import type { SessionState } from "./store.ts";

/** What `initialize` settles. */
export interface Introduction {
  readonly revision: HandshakeRevision;
  readonly capabilities: JsonObject;
  /** What the client calls itself. */
  readonly client: string;
}

/** A session that is open, and the line that tells its client so. */
export interface Greeting {
  readonly answer: string;
  readonly state: SessionState;
}

/** Holds until the client chooses: diagnostics reach clients that never set a level. */
export const FIRST_LOG_LEVEL = "info";

/**
 * Reads the parameters of `initialize`; the revision is the one the client asks for, or the latest.
 *
 * @throws RpcError -32602 when they are malformed.
 */
export function parseIntroduction(params: JsonObject): Introduction {
  const requested = parseString(params, "protocolVersion");
  const capabilities = parseOptionalObject(params, "capabilities");
  checkCapabilities(capabilities);
  if (params.clientInfo !== undefined && !isObject(params.clientInfo)) {
    throw invalidParams('Invalid params: "clientInfo" must be an object');
  }
  const client = toClientName(params.clientInfo);
  return { revision: negotiateRevision(requested), capabilities, client };
}

/** Answers a first line that is a sound `initialize`, if that is short; all else is left to the connection. */
export function answerGreeting(gateway: Gateway, line: string): Greeting | undefined {
  const request = parseLine(line, gateway.limits);
  if (request.kind !== "request" || request.method !== "initialize") return undefined;
  if (isStateless(findMeta(request.params))) return undefined;
  try {
    const introduction = parseIntroduction(parseParams(request.params));
    const { features, server } = gateway;
    const codec = getCodec(introduction.revision);
    const result = codec.encode({ kind: "initialize", features, server }, gateway);
    const answer = resultText(request.id, result);
    if (answer.length > gateway.limits.maxResultLength) return undefined;
    return {
      answer,
      state: { ...introduction, ready: false, logLevel: FIRST_LOG_LEVEL, subscriptions: [] },
    };
  } catch {
    // The connection meets the same and tells the client.
    return undefined;
  }
}

// Answers that say why there is no other: the status for programs, a sentence for people.

import {
  errorText,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  type Parsed,
  type RequestId,
  RpcError,
} from "../jsonrpc/message.ts";
import { getCodec } from "../mcp/codec.ts";
import { VERSION_HEADER } from "../mcp/http_header.ts";
import { findMeta, isStateless } from "../mcp/params.ts";
import { HANDSHAKE_REVISIONS, type Revision, STATELESS_REVISIONS } from "../mcp/revision.ts";
import type { HttpAnswer, HttpHead } from "../transport/http.ts";
import { parseAccept } from "./http_post.ts";

/** Of an answer that is JSON. */
export const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "content-type": "application/json",
});

/** The header that names a session. */
export const SESSION_HEADER = "mcp-session-id";

/** The client has not said which session it means. */
export const SESSION_MISSING =
  "No session: send initialize first, then its Mcp-Session-Id each time";

/** The client's session is over, or was never there. */
export const SESSION_UNKNOWN = "Session not found: it has ended; send initialize again";

/** An answer as a JSON-RPC error without an id. */
export function refusal(
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return refuse(status, undefined, sentence, headers);
}

/** Why the server refused a request before it was one of MCP, in a word for counters. */
export function reasonOf(status: number): string {
  switch (status) {
    case 408:
      return "slow";
    case 413:
    case 431:
      return "size";
    case 503:
      return "full";
    default:
      return "malformed";
  }
}

/** Whether a version header is that of the stateless wire or of one after it. */
export function isStatelessVersion(version: string | undefined): boolean {
  return version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) &&
    version >= STATELESS_REVISIONS[0];
}

/** Refuses a version header that no session has; `id` is that of the request, where one was read. */
export function refuseVersion({ headers }: HttpHead, id?: RequestId): HttpAnswer | undefined {
  const version = headers.get(VERSION_HEADER);
  if (version === undefined || HANDSHAKE_REVISIONS.some((known) => known === version)) {
    return undefined;
  }
  return refuse(400, id, `Unsupported MCP-Protocol-Version: "${version}"`);
}

/** Refuses a body that cannot be read, in the revision of its session if it has one: it is not UTF-8, or not JSON. */
export function refuseBody(kind: "UTF-8" | "JSON", revision: Revision | undefined): HttpAnswer {
  const id = revision === undefined ? undefined : getCodec(revision).shape.unreadableId;
  const error = new RpcError(PARSE_ERROR, `Parse error: the body is not ${kind}`);
  return { status: 400, headers: JSON_HEADERS, body: errorText(id, error) };
}

/** The id of a request in a body, where one could be read. */
export function idOf(parsed: Exclude<Parsed, { kind: "blank" }>): RequestId | undefined {
  // A malformed response has the id of a question of ours: to answer it would confuse.
  const isAnswered = parsed.kind === "request" || (parsed.kind === "invalid" && parsed.reply);
  return isAnswered ? parsed.id : undefined;
}

/** Refuses a message that needs a session and names none. */
export function refuseWithoutSession(
  parsed: Exclude<Parsed, { kind: "blank" }>,
  { headers }: HttpHead,
): HttpAnswer {
  switch (parsed.kind) {
    case "notification":
      // The stateless wire has no notification that means anything over HTTP.
      return isStatelessVersion(headers.get(VERSION_HEADER)) || isStateless(findMeta(parsed.params))
        ? { status: 202 }
        : refusal(400, SESSION_MISSING);
    case "invalid":
      return refuse(400, parsed.id, `Invalid Request: ${parsed.reason}`);
    case "request":
      return refuse(400, parsed.id, SESSION_MISSING);
    case "batch":
      return refusal(400, "Invalid Request: a batch needs a session of revision 2025-03-26");
    default:
      return refusal(400, SESSION_MISSING);
  }
}

/** Refuses a body that would not be read, or an answer that would not be taken. */
export function screenPost({ headers }: HttpHead): HttpAnswer | undefined {
  const type = headers.get("content-type") ?? "";
  if (type !== "application/json" && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return refusal(415, "the body must be sent as Content-Type: application/json");
  }
  if (headers.has("content-encoding")) return refusal(415, "the body must not be compressed");
  const { json, events } = parseAccept(headers.get("accept"));
  return json || events ? undefined : refuseAccept("application/json, text/event-stream");
}

/** Refuses a client that takes none of the types there are. */
export function refuseAccept(types: string, id?: RequestId): HttpAnswer {
  return refuse(406, id, `the answer would be ${types}; name it in Accept`);
}

/** Refuses a method. */
export function refuseMethod(allow: string): HttpAnswer {
  return refusal(405, `this method is not served here; use ${allow}`, { allow });
}

/** An answer as a JSON-RPC error with the request's id, where one was read. */
export function refuse(
  status: number,
  id: RequestId | undefined,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const error = new RpcError(INVALID_REQUEST, sentence);
  return { status, headers: { ...headers, ...JSON_HEADERS }, body: errorText(id, error) };
}

/** Refuses what there is no room for. */
export function refuseBusy(id: RequestId | undefined, sentence: string): HttpAnswer {
  const headers = { ...JSON_HEADERS, "retry-after": "5" };
  return { status: 503, headers, body: errorText(id, new RpcError(INTERNAL_ERROR, sentence)) };
}

// The load: request lines encoded before the clock starts, and the check of the replies after it
// has stopped. Nothing here runs while time is taken.

/** What a load consists of: bare protocol pings, or calls of the `echo` tool. */
export type LoadKind = "ping" | "echo";

/** Encoded request lines with the ids `first` to `first + count - 1`. */
export interface Load {
  readonly kind: LoadKind;
  readonly first: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** The opening request; its id is 0, so loads begin at 1. */
export const INITIALIZE: Uint8Array = new TextEncoder().encode(
  JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    },
  }) + "\n",
);

/** What the client says after the reply to {@linkcode INITIALIZE}. */
export const INITIALIZED: Uint8Array = new TextEncoder().encode(
  '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
);

/** Encodes `count` request lines of one kind, with ids that start at `first`. */
export function encodeLoad(kind: LoadKind, range: { first: number; count: number }): Load {
  const lines: string[] = [];
  for (let id = range.first; id < range.first + range.count; id++) lines.push(toLine(kind, id));
  return { kind, ...range, bytes: new TextEncoder().encode(lines.join("")) };
}

/**
 * Checks that every request of a load was answered exactly once and with the right result.
 *
 * @throws {Error} at the first reply that is wrong, double or missing: figures of a server that
 * answers wrongly mean nothing.
 */
export function checkReplies(load: Load, replies: readonly Uint8Array[]): void {
  const answered = new Set<number>();
  for (const line of toText(replies).split("\n")) {
    if (line === "") continue;
    const id = parseReply(load.kind, line);
    if (id < load.first || id >= load.first + load.count) {
      throw new Error(`Reply has the id ${id}, which was not asked: ${line}`);
    }
    if (answered.has(id)) throw new Error(`Request ${id} was answered twice`);
    answered.add(id);
  }
  if (answered.size !== load.count) {
    throw new Error(`Got replies to ${answered.size} of ${load.count} requests`);
  }
}

function toLine(kind: LoadKind, id: number): string {
  const request = kind === "ping" ? { jsonrpc: "2.0", id, method: "ping" } : {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "echo", arguments: { message: toMessage(id) } },
  };
  return JSON.stringify(request) + "\n";
}

function toMessage(id: number): string {
  return `message number ${id}`;
}

function parseReply(kind: LoadKind, line: string): number {
  const reply: unknown = JSON.parse(line);
  if (
    typeof reply !== "object" || reply === null || !("id" in reply) ||
    typeof reply.id !== "number" || !("result" in reply) || typeof reply.result !== "object" ||
    reply.result === null
  ) {
    throw new Error(`Reply is not a result: ${line}`);
  }
  if (kind === "echo" && !isEcho(reply.result, toMessage(reply.id))) {
    throw new Error(`Reply does not echo its message: ${line}`);
  }
  return reply.id;
}

function isEcho(result: object, message: string): boolean {
  if (!("content" in result) || !Array.isArray(result.content)) return false;
  const [block]: unknown[] = result.content;
  return result.content.length === 1 && typeof block === "object" && block !== null &&
    "type" in block && block.type === "text" && "text" in block && block.text === message;
}

function toText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

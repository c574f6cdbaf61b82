// HTTP+SSE of revision 2024-11-05: one stream of events carries everything to the client, and names the address for
// what the client sends. Served only where a person asks for it.

import type { HttpAnswer, HttpHead, HttpReply, HttpStream } from "../transport/http.ts";
import { Connection } from "./connection.ts";
import { EVENT_STREAM_HEADERS, eventText, KEEP_ALIVE } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";
import type { EndpointLimits } from "./http_limits.ts";
import { refusal } from "./http_refusal.ts";

const STREAM_PATH = "/sse";
const POST_PATH = "/messages";

interface LegacyClient {
  readonly owner: string;
  readonly connection: Connection;
  readonly stream: HttpStream;
}

/** How many clients there may be, of all owners and of one. */
export interface LegacyOptions {
  readonly limits: Pick<EndpointLimits, "maxSessions">;
  readonly maxSessionsPerOwner: number;
}

/** The clients that hold a stream of events open. */
export class LegacyEvents implements Disposable {
  readonly #gateway: Gateway;
  readonly #options: LegacyOptions;
  readonly #clients = new Map<string, LegacyClient>();

  /** Starts with none. */
  constructor(gateway: Gateway, options: LegacyOptions) {
    this.#gateway = gateway;
    this.#options = options;
  }

  /** How many are connected. */
  get size(): number {
    return this.#clients.size;
  }

  /** Whether a path is one of these. */
  serves(path: string): boolean {
    return path === STREAM_PATH || path === POST_PATH;
  }

  /** Refuses methods that a path does not have. */
  screen({ path, method }: HttpHead): HttpAnswer | undefined {
    const allow = path === STREAM_PATH ? "GET" : "POST";
    return method === allow ? undefined : refusal(405, `use ${allow} here`, { allow });
  }

  /** Opens a client's stream and tells it where to send. */
  open(_head: HttpHead, owner: string, http: HttpReply): void {
    if (!this.#hasRoomFor(owner)) {
      return http.answer(refusal(503, "Server busy: too many clients", { "retry-after": "5" }));
    }
    const id = crypto.randomUUID();
    const stream = http.stream({ status: 200, headers: EVENT_STREAM_HEADERS });
    const connection = new Connection(this.#gateway, {
      send: (text) => stream.send(eventText(text)),
      ready: () => stream.ready(),
    }, { owner });
    this.#clients.set(id, { owner, connection, stream });
    http.onGone(() => {
      this.#clients.delete(id);
      connection[Symbol.dispose]();
    });
    stream.send(`event: endpoint\ndata: ${POST_PATH}?session=${id}\n\n`);
  }

  /** Takes a message; what it causes goes to the client's stream. */
  post(head: HttpHead, owner: string, body: string | undefined, http: HttpReply): void {
    if (head.path !== POST_PATH) return http.answer(this.screen(head) ?? { status: 404 });
    const client = this.#clients.get(new URLSearchParams(head.query).get("session") ?? "");
    if (client?.owner !== owner) {
      return http.answer(refusal(404, `Session not found: open ${STREAM_PATH} again`));
    }
    if (client.stream.ready() !== undefined) {
      const sentence = `Server busy: read the events of ${STREAM_PATH} first`;
      return http.answer(refusal(429, sentence, { "retry-after": "1" }));
    }
    client.connection.receive(body ?? { kind: "not_utf8" });
    http.answer({ status: 202 });
  }

  /** Keeps quiet streams from being closed by whatever stands between. */
  keepAlive(): void {
    for (const { stream } of this.#clients.values()) stream.send(KEEP_ALIVE);
  }

  /** Waits for what is under way, at most the grace period. */
  async drain(): Promise<void> {
    const clients = [...this.#clients.values()];
    await Promise.all(clients.map(({ connection }) => connection.drain({ clientGone: false })));
  }

  /** Ends every stream. */
  [Symbol.dispose](): void {
    for (const { connection, stream } of this.#clients.values()) {
      connection[Symbol.dispose]();
      stream.end();
    }
    this.#clients.clear();
  }

  #hasRoomFor(owner: string): boolean {
    const { limits, maxSessionsPerOwner } = this.#options;
    if (this.#clients.size < maxSessionsPerOwner) return true;
    const own = [...this.#clients.values()].filter((client) => client.owner === owner);
    return own.length < maxSessionsPerOwner && this.#clients.size < limits.maxSessions;
  }
}

// What a client has asked so far: tells for each message it receives which request it answers and in which revision,
// and has the oracle judge it.

import { isObject, type JsonObject, type JsonValue } from "../../src/jsonrpc/message.ts";
import { REVISIONS, type SchemaRevision } from "./definitions.ts";
import { type Oracle, OracleError } from "./oracle.ts";

const PREFIX = "io.modelcontextprotocol/";

/** HTTP refuses without an id in every revision; this is the first whose schema has that. */
const FIRST_WITHOUT_ID = "2025-11-25";

interface Sent {
  readonly method: string;
  readonly revision: SchemaRevision;
}

/** The requests of one client. */
export class Ledger {
  readonly #oracle: Oracle;
  readonly #sent = new Map<JsonValue, Sent[]>();
  #revision: SchemaRevision | undefined;
  #spokeStateless = false;

  /** Starts with nothing asked. */
  constructor(oracle: Oracle) {
    this.#oracle = oracle;
  }

  /** Goes on where another one stood, for a client that moves to another server. */
  adopt(other: Ledger): void {
    this.#revision = other.#revision;
    for (const [id, sent] of other.#sent) this.#sent.set(id, [...sent]);
  }

  /** Remembers the requests of a line that is sent; its revision is told where the line does not. */
  note(line: string, stated?: SchemaRevision): void {
    for (const message of parseMessages(line) ?? []) {
      if (!isObject(message) || message.id === undefined) continue;
      // Malformed requests are remembered too: their refusal names their id.
      const method = String(message.method);
      const { params } = message;
      const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
      const stateless = meta[`${PREFIX}protocolVersion`] !== undefined;
      if (stateless || stated === "2026-07-28") this.#spokeStateless = true;
      const revision = stated ?? (stateless ? "2026-07-28" : this.#revision ?? "2024-11-05");
      const list = this.#sent.get(message.id) ?? [];
      list.push({ method, revision });
      this.#sent.set(message.id, list);
    }
  }

  /**
   * The messages of a line that was received, each judged. An HTTP refusal may leave out an id that it could have read.
   *
   * @throws OracleError when one is not allowed.
   */
  judge(line: string, { refusal = false } = {}): readonly JsonObject[] {
    const messages = parseMessages(line);
    if (messages === undefined) throw new OracleError(`not JSON\n${line.slice(0, 500)}`);
    if (line.startsWith("[") && this.#revision !== "2025-03-26") {
      throw new OracleError(`only 2025-03-26 has batches\n${line.slice(0, 500)}`);
    }
    return messages.map((message) => {
      if (!isObject(message)) throw new OracleError(`not a message\n${line.slice(0, 500)}`);
      this.#judgeMessage(message, refusal);
      return message;
    });
  }

  #judgeMessage(message: JsonObject, refusal: boolean): void {
    const { id } = message;
    if (refusal && id === undefined) {
      const revision = this.#spokeStateless ? "2026-07-28" : FIRST_WITHOUT_ID;
      return this.#oracle.check(message, { revision });
    }
    const isAnswer = message.method === undefined && id !== undefined && id !== null;
    const answered = isAnswer ? this.#sent.get(id)?.pop() : undefined;
    if (isAnswer && answered === undefined) {
      throw new OracleError(`answers a request that was not sent\n${JSON.stringify(message)}`);
    }
    if (answered?.method === "initialize" && isObject(message.result)) {
      const negotiated = message.result.protocolVersion;
      this.#revision = REVISIONS.find((revision) => revision === negotiated);
      if (this.#revision === undefined || this.#revision === "2026-07-28") {
        throw new OracleError(`negotiated "${negotiated}", which has no handshake`);
      }
    }
    const revision = answered?.method === "initialize"
      ? this.#revision ?? answered.revision
      : answered?.revision ?? this.#revisionOf(message);
    this.#oracle.check(message, { revision, answers: answered?.method });
  }

  /** Of a message that answers nothing known. */
  #revisionOf(message: JsonObject): SchemaRevision {
    const params = isObject(message.params) ? message.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    if (meta[`${PREFIX}subscriptionId`] !== undefined) return "2026-07-28";
    return this.#revision ?? (this.#spokeStateless ? "2026-07-28" : "2024-11-05");
  }
}

function parseMessages(line: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ""));
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

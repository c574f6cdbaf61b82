// The `requestState` of the stateless wire: what a client answered so far, carried by the client itself. It is sealed,
// expires, and fits only the request it was made for (MCP 2026-07-28 basic, MRTR).

import { invalidParams, isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import { Seal, type SealOptions } from "../mcp/seal.ts";

/** What a state is bound to: the same request, sent again. */
export interface StateBinding {
  readonly method: string;
  readonly params: JsonObject;
  /** Whose token came with it; empty where none is asked for. */
  readonly owner?: string;
}

/** Seals and opens states. */
export class RequestStates {
  readonly #seal: Seal;

  /** States are honoured for `ttlMs` after they were made. */
  constructor(ttlMs: number, options: SealOptions = {}) {
    this.#seal = new Seal(ttlMs, options);
  }

  /** Makes the state that carries `answers` for a request. */
  async seal(answers: JsonObject, binding: StateBinding): Promise<string> {
    return await this.#seal.seal(answers, await digest(binding));
  }

  /**
   * The answers that a state carries.
   *
   * @throws RpcError -32602 for a state that was altered, is of another request, or has expired.
   */
  async open(state: JsonValue, binding: StateBinding): Promise<JsonObject> {
    const opened = await this.#seal.open(state, await digest(binding));
    switch (opened.kind) {
      case "valid":
        return opened.value;
      case "expired":
        throw invalidParams(
          'Invalid params: "requestState" has expired; send the request again without it',
        );
      case "foreign":
        throw invalidParams('Invalid params: "requestState" is not one given for this request');
    }
  }
}

/** Fingerprint of the request without what differs between its rounds. */
async function digest({ method, params, owner = "" }: StateBinding): Promise<string> {
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params;
  const text = `${method}\n${owner}\n${canonical(rest)}`;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** JSON with sorted keys: a client may write the same parameters in another order. */
function canonical(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).filter((key) => value[key] !== undefined).sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

// The `requestState` of the stateless wire: what a client answered so far, carried by the client itself. It is signed
// with a key of this process, expires, and fits only the request it was made for (MCP 2026-07-28 basic, MRTR).

import { invalidParams, isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";

const STATE_VERSION = 1;
const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;

/** What a state is bound to: the same request, sent again. */
export interface StateBinding {
  readonly method: string;
  readonly params: JsonObject;
  /** Whose token came with it; empty where none is asked for. */
  readonly owner?: string;
}

/** Seals and opens states. */
export class RequestStates {
  readonly #ttlMs: number;
  readonly #now: () => number;
  #key: Promise<CryptoKey> | undefined;

  /** States are honoured for `ttlMs` after they were made. */
  constructor(ttlMs: number, now: () => number = Date.now) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  /** Makes the state that carries `answers` for a request. */
  async seal(answers: JsonObject, binding: StateBinding): Promise<string> {
    const payload = new TextEncoder().encode(JSON.stringify({
      version: STATE_VERSION,
      expires: this.#now() + this.#ttlMs,
      // Makes two rounds of one request differ even when they carry the same answers.
      nonce: crypto.randomUUID(),
      request: await digest(binding),
      answers,
    }));
    const signature = await crypto.subtle.sign(ALGORITHM.name, await this.#getKey(), payload);
    return `${payload.toBase64(URL_SAFE)}.${new Uint8Array(signature).toBase64(URL_SAFE)}`;
  }

  /**
   * The answers that a state carries.
   *
   * @throws RpcError -32602 for a state that was altered, is of another request, or has expired.
   */
  async open(state: JsonValue, binding: StateBinding): Promise<JsonObject> {
    const payload = typeof state === "string" ? await this.#verify(state) : undefined;
    if (payload === undefined || payload.request !== await digest(binding)) {
      throw invalidParams('Invalid params: "requestState" is not one given for this request');
    }
    if (typeof payload.expires !== "number" || payload.expires < this.#now()) {
      throw invalidParams(
        'Invalid params: "requestState" has expired; send the request again without it',
      );
    }
    return isObject(payload.answers) ? payload.answers : {};
  }

  async #verify(state: string): Promise<JsonObject | undefined> {
    const [payload, signature, ...more] = state.split(".").map(fromBase64);
    if (payload === undefined || signature === undefined || more.length > 0) return undefined;
    const valid = await crypto.subtle.verify(
      ALGORITHM.name,
      await this.#getKey(),
      signature,
      payload,
    );
    if (!valid) return undefined;
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return isObject(value) && value.version === STATE_VERSION ? value : undefined;
  }

  #getKey(): Promise<CryptoKey> {
    return this.#key ??= crypto.subtle.importKey(
      "raw",
      crypto.getRandomValues(new Uint8Array(32)),
      ALGORITHM,
      false,
      ["sign", "verify"],
    );
  }
}

const URL_SAFE = { alphabet: "base64url", omitPadding: true } as const;

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    // One spelling only: a decoder that forgives stray bits would let a changed state pass as the same.
    return bytes.toBase64(URL_SAFE) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Fingerprint of the request without what differs between its rounds. */
async function digest({ method, params, owner = "" }: StateBinding): Promise<string> {
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params;
  const text = `${method}\n${owner}\n${canonical(rest)}`;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toBase64(URL_SAFE);
}

/** JSON with sorted keys: a client may write the same parameters in another order. */
function canonical(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).filter((key) => value[key] !== undefined).sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

// State that a client carries for us: signed with a key, expiring, and good for one purpose only. The client can read it,
// but neither change it nor use it for anything else.

import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";

const SEAL_VERSION = 1;
const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;

/** What a sealed text turned out to be. */
export type Unsealed =
  | { readonly kind: "valid"; readonly value: JsonObject }
  | { readonly kind: "expired" }
  /** Altered, made for another purpose, or with another key. */
  | { readonly kind: "foreign" };

/** What a seal may be made with. */
export interface SealOptions {
  /** A secret; one of this process alone, unless given. */
  readonly key?: Uint8Array<ArrayBuffer> | undefined;
  readonly now?: () => number;
}

/** Seals and opens what clients carry. */
export class Seal {
  readonly #ttlMs: number;
  readonly #options: SealOptions;
  readonly #now: () => number;
  #key: Promise<CryptoKey> | undefined;

  /** What it seals is honoured for `ttlMs`. */
  constructor(ttlMs: number, options: SealOptions = {}) {
    this.#ttlMs = ttlMs;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Makes the text that carries `value` for a purpose. */
  async seal(value: JsonObject, purpose: string): Promise<string> {
    const payload = new TextEncoder().encode(JSON.stringify({
      version: SEAL_VERSION,
      expires: this.#now() + this.#ttlMs,
      // Makes two texts differ even when they carry the same.
      nonce: crypto.randomUUID(),
      purpose,
      value,
    }));
    const signature = await crypto.subtle.sign(ALGORITHM.name, await this.#getKey(), payload);
    return `${payload.toBase64(URL_SAFE)}.${new Uint8Array(signature).toBase64(URL_SAFE)}`;
  }

  /** Opens a text that was sealed for this purpose. */
  async open(sealed: JsonValue, purpose: string): Promise<Unsealed> {
    const payload = typeof sealed === "string" ? await this.#verify(sealed) : undefined;
    if (payload === undefined || payload.purpose !== purpose || !isObject(payload.value)) {
      return { kind: "foreign" };
    }
    if (typeof payload.expires !== "number" || payload.expires < this.#now()) {
      return { kind: "expired" };
    }
    return { kind: "valid", value: payload.value };
  }

  async #verify(sealed: string): Promise<JsonObject | undefined> {
    const [payload, signature, ...more] = sealed.split(".").map(fromBase64);
    if (payload === undefined || signature === undefined || more.length > 0) return undefined;
    const valid = await crypto.subtle.verify(
      ALGORITHM.name,
      await this.#getKey(),
      signature,
      payload,
    );
    if (!valid) return undefined;
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return isObject(value) && value.version === SEAL_VERSION ? value : undefined;
  }

  #getKey(): Promise<CryptoKey> {
    return this.#key ??= crypto.subtle.importKey(
      "raw",
      this.#options.key ?? crypto.getRandomValues(new Uint8Array(32)),
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
    // One spelling only: a decoder that forgives stray bits would let a changed text pass as the same.
    return bytes.toBase64(URL_SAFE) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

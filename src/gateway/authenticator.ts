// Who a request is from. A list of tokens is one way to tell; the checks of an OAuth resource server would be another.

import type { JsonObject } from "../jsonrpc/message.ts";
import type { HttpHead } from "../transport/http.ts";
import type { Eventually } from "./store.ts";

/** Who sent a request, or what it lacks. */
export type Identity =
  | {
    readonly kind: "known";
    /** Names whoever it is; sessions and tasks of one owner are unknown to the others. Never empty. */
    readonly owner: string;
  }
  | {
    readonly kind: "unknown";
    /** 401 without a good token, 403 with one that does not allow this. */
    readonly status: 401 | 403;
    /** For `WWW-Authenticate`. */
    readonly challenge: string;
  };

/** Tells who requests are from. */
export interface Authenticator {
  /**
   * Judges a request by its head. One that answers at once spares the server the bodies of strangers; a promise is
   * waited for behind the body.
   */
  identify(head: HttpHead): Eventually<Identity>;
  /** Where clients get their tokens (RFC 9728), to be read by anyone at the well-known path. */
  readonly metadata?: JsonObject;
}

/** The bearer token that a request carries, if it has one. */
export function findBearer({ headers }: HttpHead): string | undefined {
  return /^Bearer +([^ ]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Knows a few tokens; each is an owner. */
export class TokenList implements Authenticator {
  readonly #tokens: readonly Uint8Array[];

  /** Lets in who has one of these. */
  constructor(tokens: readonly string[]) {
    this.#tokens = tokens.map((token) => new TextEncoder().encode(token));
  }

  /** Tells whose token a request carries: that of its line. */
  identify(head: HttpHead): Identity {
    const given = findBearer(head);
    const index = given === undefined ? -1 : this.#find(given);
    if (index >= 0) return { kind: "known", owner: `token-${index + 1}` };
    const challenge = given === undefined
      ? 'Bearer realm="bulkhead"'
      : 'Bearer realm="bulkhead", error="invalid_token"';
    return { kind: "unknown", status: 401, challenge };
  }

  /** Looks at every token in full, so that time tells nothing about any. */
  #find(given: string): number {
    const bytes = new TextEncoder().encode(given);
    let found = -1;
    for (const [index, token] of this.#tokens.entries()) {
      let difference = token.length ^ bytes.length;
      for (let at = 0; at < token.length; at++) {
        difference |= (token[at] ?? 0) ^ (bytes[at % bytes.length] ?? 0);
      }
      if (difference === 0) found = index;
    }
    return found;
  }
}

// One HTTP request from a browser's or a program's side: what other origins must be told, and the counting out of a
// request when its answer is complete.

import type { HttpAnswer, HttpHead, HttpReply, HttpStream } from "../transport/http.ts";

/** Headers that let a page of another origin read the answer. */
export type Crossing = Readonly<Record<string, string>>;

/** Headers for the page that sent the request; none when no page did. The door has judged the page already. */
export function crossOrigin({ headers }: HttpHead): Crossing | undefined {
  const origin = headers.get("origin");
  if (origin === undefined) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "mcp-session-id, www-authenticate",
    vary: "origin",
  };
}

/** Longest list of header names that a browser may ask for. */
const MAX_NAMES_LENGTH = 2000;

/** Answers what a browser asks before it sends the request itself. */
export function preflight({ headers }: HttpHead, methods: string): HttpAnswer {
  const names = headers.get("access-control-request-headers") ?? "";
  const usable = names.length <= MAX_NAMES_LENGTH &&
    /^[A-Za-z0-9-]+(?:, ?[A-Za-z0-9-]+)*$/.test(names);
  return {
    status: 204,
    headers: {
      allow: methods,
      "access-control-allow-methods": methods,
      ...(usable ? { "access-control-allow-headers": names } : {}),
      "access-control-max-age": "600",
    },
  };
}

/** The reply of one request; tells when it is answered or its client gone. */
export class Visit implements HttpReply {
  readonly #http: HttpReply;
  readonly #crossing: Crossing | undefined;
  #onOver: (() => void) | undefined;
  #onGone: (() => void) | undefined;
  #isListening = false;
  #isGone = false;

  /** Begins unanswered. */
  constructor(http: HttpReply, crossing: Crossing | undefined) {
    this.#http = http;
    this.#crossing = crossing;
  }

  /** Called once, when the request is over. */
  set onOver(callback: () => void) {
    this.#onOver = callback;
    if (this.#isGone) this.#leave();
    else this.#listen();
  }

  /** Answers whole. */
  answer(answer: HttpAnswer): void {
    this.#leave();
    const crossing = this.#crossing;
    this.#http.answer(
      crossing === undefined ? answer : { ...answer, headers: { ...answer.headers, ...crossing } },
    );
  }

  /** Answers as it comes. */
  stream(head: Parameters<HttpReply["stream"]>[0]): HttpStream {
    const headers = { ...head.headers, ...this.#crossing };
    const stream = this.#http.stream({ ...head, headers });
    return {
      send: (text) => stream.send(text),
      ready: () => stream.ready(),
      end: () => {
        this.#leave();
        stream.end();
      },
    };
  }

  /** Tells when the client leaves before that. */
  onGone(callback: () => void): void {
    if (this.#isGone) return callback();
    this.#onGone = callback;
    this.#listen();
  }

  /** The reply knows one callback only, and the request is over with its client whoever else wants to know. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#http.onGone(() => {
      this.#isGone = true;
      this.#leave();
      this.#onGone?.();
    });
  }

  #leave(): void {
    const callback = this.#onOver;
    this.#onOver = undefined;
    callback?.();
  }
}

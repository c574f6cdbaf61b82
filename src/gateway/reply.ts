// How answers leave: one by one, or gathered into the one array that answers a batch.

import type { Outlet } from "../transport/outlet.ts";
import type { Reply } from "./exchange.ts";

/** Sends each answer as it comes. */
export class DirectReply implements Reply {
  readonly #outlet: Outlet;

  /** Answers go to the outlet. */
  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Sends the answer. */
  answer(text: string): void {
    this.#outlet.send(text);
  }

  /** There is nothing to send. */
  skip(): void {}
}

/** Gathers the answers of a batch and sends them together when none is outstanding (2025-03-26 basic, batching). */
export class BatchReply implements Reply {
  readonly #outlet: Outlet;
  readonly #answers: string[] = [];
  #outstanding: number;

  /** Waits for `outstanding` answers. */
  constructor(outlet: Outlet, outstanding: number) {
    this.#outlet = outlet;
    this.#outstanding = outstanding;
  }

  /** Keeps an answer. */
  answer(text: string): void {
    this.#answers.push(text);
    this.skip();
  }

  /** One fewer is outstanding. */
  skip(): void {
    this.#outstanding -= 1;
    if (this.#outstanding === 0 && this.#answers.length > 0) {
      this.#outlet.send(`[${this.#answers.join(",")}]`);
    }
  }
}

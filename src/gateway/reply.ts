// The ways of answers to one client: each alone, or those of a batch together.

import { errorText, INTERNAL_ERROR, type RequestId, RpcError } from "../jsonrpc/message.ts";
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
  readonly #reply: Reply;
  readonly #maxLength: number;
  readonly #answers: string[] = [];
  #outstanding: number;
  #length = 0;

  /** Answers as one to `reply`. Waits for `outstanding` answers, and keeps no more than `maxLength` characters of them. */
  constructor(reply: Reply, outstanding: number, maxLength: number) {
    this.#reply = reply;
    this.#outstanding = outstanding;
    this.#maxLength = maxLength;
  }

  /** Keeps an answer; one that does not fit any more is replaced by an error that says so. */
  answer(text: string, id: RequestId | undefined): void {
    this.#length += text.length;
    this.#answers.push(this.#length <= this.#maxLength ? text : this.#refusal(text.length, id));
    this.skip();
  }

  /** One fewer is outstanding. */
  skip(): void {
    this.#outstanding -= 1;
    if (this.#outstanding > 0) return;
    if (this.#answers.length > 0) this.#reply.answer(`[${this.#answers.join(",")}]`, undefined);
    else this.#reply.skip();
  }

  #refusal(length: number, id: RequestId | undefined): string {
    this.#length -= length;
    const reason = `The answers of the batch are longer than ${this.#maxLength} characters`;
    return errorText(id ?? null, new RpcError(INTERNAL_ERROR, `${reason}; send smaller batches`));
  }
}

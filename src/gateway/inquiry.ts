// What an activation may do with a request besides answering it.

import type { Call, Inquiry } from "../activation/activation.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { type Answer, isAskable, type Question } from "../mcp/question.ts";
import { type Asker, AskError, type AskerSource } from "./asker.ts";
import type { Exchange } from "./exchange.ts";

/** A request as its activation sees it. */
export class RequestInquiry implements Inquiry {
  readonly exchange: Exchange;
  readonly #askers: AskerSource;
  #asker: Asker | undefined;

  /** Questions go to an asker of the source. */
  constructor(exchange: Exchange, askers: AskerSource) {
    this.exchange = exchange;
    this.#askers = askers;
  }

  /** Who asks. */
  get caller(): { readonly client: string; readonly requestId: string | number } {
    return { client: this.exchange.client, requestId: this.exchange.id };
  }

  /** Stands for the session of the client, where it has one. */
  get session(): object | undefined {
    return this.exchange.session;
  }

  /** Whose token the client showed. */
  get owner(): string {
    return this.exchange.owner;
  }

  /** Aborts when the request is no longer wanted. */
  get signal(): AbortSignal {
    return this.exchange.signal;
  }

  /** Whether the client can be asked this. */
  canAsk(question: Question): boolean {
    return isAskable(question, this.exchange.capabilities, this.exchange.codec.shape);
  }

  /** Asks the client or its user. */
  ask(key: string, question: Question): Promise<Answer> {
    this.#asker ??= this.#askers.createAsker(this.exchange);
    return this.#asker.ask(key, question);
  }
}

/** The reading of a list, or of completions, as its activation sees it: no questions go inside the answer. */
export class ListInquiry implements Inquiry {
  readonly #request: RequestInquiry;
  readonly #deadline: AbortSignal | undefined;
  #open = 0;

  /** `deadline` aborts when the list is no longer waited for. */
  constructor(request: RequestInquiry, deadline?: AbortSignal) {
    this.#request = request;
    this.#deadline = deadline;
  }

  /** Whether the client was asked and has not answered yet. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Who asks. */
  get caller(): { readonly client: string; readonly requestId: string | number } {
    return this.#request.caller;
  }

  /** Stands for the session of the client, where it has one. */
  get session(): object | undefined {
    return this.#request.session;
  }

  /** Whose token the client showed. */
  get owner(): string {
    return this.#request.owner;
  }

  /** Aborts when the request is no longer wanted, or has taken too long. */
  get signal(): AbortSignal {
    const { signal } = this.#request;
    return this.#deadline === undefined ? signal : AbortSignal.any([signal, this.#deadline]);
  }

  /** Whether the client can be asked this; on the stateless wire never (MCP 2026-07-28 basic, MRTR). */
  canAsk(question: Question): boolean {
    return this.#request.exchange.wire.kind === "handshake" && this.#request.canAsk(question);
  }

  /** Asks the client or its user. */
  async ask(key: string, question: Question): Promise<Answer> {
    if (!this.canAsk(question)) {
      throw new AskError("The client cannot be asked this about a list");
    }
    this.#open += 1;
    try {
      return await this.#request.ask(key, question);
    } finally {
      this.#open -= 1;
    }
  }
}

/** A tool call as its activation sees it. */
export class ToolCall implements Call {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly #request: RequestInquiry;

  /** `tool` is the name that the activation knows. */
  constructor(request: RequestInquiry, tool: string, given: JsonObject) {
    this.#request = request;
    this.tool = tool;
    this.arguments = given;
  }

  /** Who calls. */
  get caller(): { readonly client: string; readonly requestId: string | number } {
    return this.#request.caller;
  }

  /** Stands for the session of the client, where it has one. */
  get session(): object | undefined {
    return this.#request.session;
  }

  /** Whose token the client showed. */
  get owner(): string {
    return this.#request.owner;
  }

  /** Aborts when the call is no longer wanted. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Whether the client can be asked this. */
  canAsk(question: Question): boolean {
    return this.#request.canAsk(question);
  }

  /** Asks the client or its user. */
  ask(key: string, question: Question): Promise<Answer> {
    return this.#request.ask(key, question);
  }
}

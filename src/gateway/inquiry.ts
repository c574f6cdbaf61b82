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

/** A request as one of its activations sees it. */
class Relay implements Inquiry {
  readonly #request: RequestInquiry;

  constructor(request: RequestInquiry) {
    this.#request = request;
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

  /** Aborts when the request is no longer wanted. */
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

/** The reading of a list, or of completions, as its activation sees it: no questions go inside the answer. */
export class ListInquiry extends Relay {
  readonly #deadline: AbortSignal | undefined;
  readonly #mayAsk: boolean;
  #open = 0;

  /** `deadline` aborts when the list is no longer waited for. */
  constructor(request: RequestInquiry, deadline?: AbortSignal) {
    super(request);
    this.#deadline = deadline;
    this.#mayAsk = request.exchange.wire.kind === "handshake";
  }

  /** Whether the client was asked and has not answered yet. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Aborts when the request is no longer wanted, or has taken too long. */
  override get signal(): AbortSignal {
    const own = super.signal;
    return this.#deadline === undefined ? own : AbortSignal.any([own, this.#deadline]);
  }

  /** Whether the client can be asked this; on the stateless wire never (MCP 2026-07-28 basic, MRTR). */
  override canAsk(question: Question): boolean {
    return this.#mayAsk && super.canAsk(question);
  }

  /** Asks the client or its user. */
  override async ask(key: string, question: Question): Promise<Answer> {
    if (!this.canAsk(question)) {
      throw new AskError("The client cannot be asked this about a list");
    }
    this.#open += 1;
    try {
      return await super.ask(key, question);
    } finally {
      this.#open -= 1;
    }
  }
}

/** A tool call as its activation sees it. */
export class ToolCall extends Relay implements Call {
  readonly tool: string;
  readonly arguments: JsonObject;

  /** `tool` is the name that the activation knows. */
  constructor(request: RequestInquiry, tool: string, given: JsonObject) {
    super(request);
    this.tool = tool;
    this.arguments = given;
  }
}

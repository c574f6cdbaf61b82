// Questions on the handshake wire: real requests to the client, each waiting for its response.

import {
  type JsonObject,
  notificationText,
  requestText,
  type ResponseOutcome,
} from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
import {
  type Answer,
  encodeQuestion,
  findAnswer,
  isAskable,
  missingCapability,
  type Question,
} from "../mcp/question.ts";
import type { SchemaValidator } from "../router/validation.ts";
import { type Asker, AskError, findFault } from "./asker.ts";
import type { Exchange } from "./exchange.ts";

/** What the asker works with. */
export interface HandshakeAskerOptions {
  readonly exchange: Exchange;
  readonly pending: PendingRequests;
  readonly validator: SchemaValidator;
  readonly timeoutMs: number;
}

/** Asks by sending a request on the exchange's own outlet. */
export class HandshakeAsker implements Asker {
  readonly #options: HandshakeAskerOptions;

  /** Asks for one exchange; shares the connection's table of open requests. */
  constructor(options: HandshakeAskerOptions) {
    this.#options = options;
  }

  /**
   * Sends the question and waits.
   *
   * @throws AskError when there is no usable answer; the exchange's reason when it is canceled.
   */
  async ask(_key: string, question: Question): Promise<Answer> {
    const { exchange, validator } = this.#options;
    if (!isAskable(question, exchange.capabilities, exchange.codec.shape)) {
      throw new AskError(missingCapability(question).message);
    }
    const { method, params } = encodeQuestion(question, exchange.codec.shape);
    const outcome = await this.#request(method, params);
    if (outcome.kind === "error") throw new AskError(`The client refused: ${outcome.message}`);
    const answer = findAnswer(question, outcome.result);
    if (answer === undefined) throw new AskError(`The client's answer is no result of ${method}`);
    const fault = await findFault(question, answer, validator);
    if (fault !== undefined) throw new AskError(`The client's answer does not fit: ${fault}`);
    return answer;
  }

  async #request(
    method: string,
    params: JsonObject | undefined,
  ): Promise<ResponseOutcome> {
    const { exchange, pending, timeoutMs } = this.#options;
    const wait = new AbortController();
    const timer = setTimeout(() => wait.abort(new AskError(late(timeoutMs))), timeoutMs);
    exchange.onCancel((reason) => wait.abort(reason));
    const { id, answer } = pending.open(wait.signal);
    exchange.outlet.send(requestText(id, method, params));
    try {
      return await answer;
    } catch (error) {
      if (!wait.signal.aborted) throw new AskError("The client has disconnected", { cause: error });
      const reason = error instanceof Error ? error.message : "The request behind it has ended";
      exchange.outlet.send(notificationText("notifications/cancelled", { requestId: id, reason }));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function late(timeoutMs: number): string {
  return `The client did not answer within ${timeoutMs / 1000} seconds`;
}

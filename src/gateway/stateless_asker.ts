// Questions on the stateless wire. A question that has no answer yet ends the request with `input_required`; the client
// sends it again with the answers, and the request runs again from its start.

import { invalidParams, isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import type { Result, WireQuestion } from "../mcp/model.ts";
import {
  type Answer,
  encodeQuestion,
  findAnswer,
  isAskable,
  missingCapability,
  type Question,
} from "../mcp/question.ts";
import type { SchemaValidator } from "../router/validation.ts";
import { type Asker, findFault } from "./asker.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestStates, StateBinding } from "./request_state.ts";

/** Unwinds a request that needs an answer first; never reaches a client. */
export class InputRequiredError extends Error {
  override readonly name = "InputRequiredError";
}

/** What the asker works with. */
export interface StatelessAskerOptions {
  readonly exchange: Exchange;
  readonly binding: StateBinding;
  readonly states: RequestStates;
  readonly validator: SchemaValidator;
}

/** Answers of one request, and the questions that are still open. */
export class StatelessAsker implements Asker {
  readonly #options: StatelessAskerOptions;
  readonly #used: Record<string, JsonValue> = Object.create(null);
  readonly #open = new Map<string, WireQuestion>();
  #given: JsonObject | undefined;
  #unwind: Promise<never> | undefined;

  /** Starts with the answers that the request carries. */
  constructor(options: StatelessAskerOptions) {
    this.#options = options;
  }

  /** Whether the request cannot go on without an answer. */
  get needsInput(): boolean {
    return this.#open.size > 0;
  }

  /**
   * Reads the answers that came with the request, before it runs.
   *
   * @throws RpcError -32602 for malformed answers or a state that is not ours.
   */
  async load(): Promise<void> {
    const { params } = this.#options.binding;
    const { inputResponses = {}, requestState } = params;
    if (!isObject(inputResponses)) {
      throw invalidParams('Invalid params: "inputResponses" must be an object');
    }
    const earlier = requestState === undefined
      ? {}
      : await this.#options.states.open(requestState, this.#options.binding);
    this.#given = { ...earlier, ...inputResponses };
  }

  /**
   * The answer, if it came with the request.
   *
   * @throws InputRequiredError when it did not; RpcError -32021 when the client can never give it.
   */
  async ask(key: string, question: Question): Promise<Answer> {
    const { capabilities, codec } = this.#options.exchange;
    if (!isAskable(question, capabilities, codec.shape)) throw missingCapability(question);
    const value = Object.hasOwn(this.#given ?? {}, key) ? this.#given?.[key] : undefined;
    const answer = value === undefined ? undefined : findAnswer(question, value);
    if (value !== undefined && answer !== undefined) {
      const fault = await findFault(question, answer, this.#options.validator);
      if (fault === undefined) {
        this.#used[key] = value;
        return answer;
      }
    }
    this.#open.set(key, encodeQuestion(question, codec.shape));
    return await (this.#unwind ??= unwindSoon());
  }

  /** The result that asks the client for what is missing. */
  async toResult(): Promise<Result> {
    const state = await this.#options.states.seal({ ...this.#used }, this.#options.binding);
    return { kind: "input_required", requests: this.#open, state };
  }
}

/** Lets questions that are asked side by side all be asked before the request unwinds. */
async function unwindSoon(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  throw new InputRequiredError("The request needs an answer of the client first");
}

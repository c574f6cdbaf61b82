// Asking the client, in the manner of its wire. On the handshake wire a question is a request that waits for its
// response. On the stateless wire it ends the request with `input_required`: the client sends it again with the answers,
// and it runs again from its start.

import {
  invalidParams,
  isObject,
  type JsonObject,
  type JsonValue,
  notificationText,
  requestText,
  type ResponseOutcome,
} from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
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
import type { Exchange } from "./exchange.ts";
import type { RequestStates, StateBinding } from "./request_state.ts";

/** Asks on behalf of one request. */
export interface Asker {
  /** The answer to a question; `key` names it among those of the request. */
  ask(key: string, question: Question): Promise<Answer>;
}

/** Makes the asker of a request when it first asks: most never do. */
export interface AskerSource {
  createAsker(exchange: Exchange): Asker;
}

/** The client cannot be asked, did not answer, or answered with something else. Its message may reach the client. */
export class AskError extends Error {
  override readonly name = "AskError";
}

/** What is wrong with an accepted form, judged by the schema that was sent. */
export async function findFault(
  question: Question,
  answer: Answer,
  validator: SchemaValidator,
): Promise<string | undefined> {
  if (question.kind !== "form" || answer.kind !== "elicited" || answer.action !== "accept") {
    return undefined;
  }
  const verdict = await validator.judge(question.schema, answer.content);
  return verdict.kind === "fits" ? undefined : verdict.reason;
}

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

  /** What the work came to, or the result that asks the client for what it needs first. */
  async revise(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      return this.needsInput ? await this.toResult() : result;
    } catch (error) {
      if (error instanceof InputRequiredError) return await this.toResult();
      throw error;
    }
  }

  /** The result that asks the client for what is missing. */
  async toResult(): Promise<Result> {
    const state = await this.#options.states.seal({ ...this.#used }, this.#options.binding);
    return { kind: "input_required", requests: this.#open, state };
  }
}

/** Makes the one asker of a stateless request, which then has a say in its result. */
export class StatelessAskers implements AskerSource {
  readonly #room: Pick<StatelessAskerOptions, "states" | "validator">;
  readonly #method: string;
  readonly #params: JsonObject;
  #asker: StatelessAsker | undefined;

  /** For a request with these parameters. */
  constructor(
    room: Pick<StatelessAskerOptions, "states" | "validator">,
    method: string,
    params: JsonObject,
  ) {
    this.#room = room;
    this.#method = method;
    this.#params = params;
  }

  /** The asker. */
  createAsker(exchange: Exchange): StatelessAsker {
    return this.#asker ??= this.#create(exchange);
  }

  #create(exchange: Exchange): StatelessAsker {
    const { states, validator } = this.#room;
    const binding = { method: this.#method, params: this.#params, owner: exchange.owner };
    const asker = new StatelessAsker({ exchange, binding, states, validator });
    exchange.revise = (work) => asker.revise(work);
    return asker;
  }
}

/** Lets questions that are asked side by side all be asked before the request unwinds. */
async function unwindSoon(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  throw new InputRequiredError("The request needs an answer of the client first");
}

// Asking the client, in the manner of its wire, and what becomes of a bad answer.

import type { Answer, Question } from "../mcp/question.ts";
import type { SchemaValidator } from "../router/validation.ts";
import type { Exchange } from "./exchange.ts";

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

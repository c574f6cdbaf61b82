// Whether an answer of the user fits the form that was sent.

import type { Answer, Question } from "../mcp/question.ts";
import type { SchemaValidator } from "../router/validation.ts";

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

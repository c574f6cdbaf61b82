// Questions to a client, and a tool that asks one.

import type { Activation, JsonValue, Question } from "../../mod.ts";
import { say, scripted } from "./scripted.ts";

/** A form with one required text. */
export const NAME: Question & { readonly kind: "form" } = {
  kind: "form",
  message: "Who?",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

/** A page for the user. */
export const LOGIN: Question = { kind: "url", message: "Log in", url: "https://example.com/login" };

/** A form that 2025-06-18 has no words for. */
export const MULTIPLE: Question = {
  kind: "form",
  message: "Which?",
  schema: {
    type: "object",
    properties: { which: { type: "array", items: { type: "string", enum: ["a", "b"] } } },
  },
};

/** A question to the client's model with one message of this content. */
export function sampling(content: JsonValue): Question {
  return { kind: "sampling", params: { messages: [{ role: "user", content }], maxTokens: 10 } };
}

/** A tool that asks one question and shows the answer as JSON. */
export function asking(question: Question): Activation {
  return scripted({
    async *ask(call) {
      yield say(JSON.stringify(await call.ask("key", question)));
    },
  });
}

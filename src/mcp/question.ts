// What a server may ask its client during a request, and what comes back.

import { isObject, type JsonObject, type JsonValue, type RpcError } from "../jsonrpc/message.ts";
import { missingCapabilities } from "./params.ts";
import type { WireQuestion } from "./model.ts";
import type { Shape } from "./revision.ts";

/** A question to the client or its user. */
export type Question =
  | { readonly kind: "form"; readonly message: string; readonly schema: JsonObject }
  | { readonly kind: "url"; readonly message: string; readonly url: string }
  | { readonly kind: "sampling"; readonly params: JsonObject }
  | { readonly kind: "roots" };

/** What the client or its user answered. */
export type Answer =
  | {
    readonly kind: "elicited";
    readonly action: "accept" | "decline" | "cancel";
    readonly content: JsonObject;
  }
  | { readonly kind: "sampled"; readonly message: JsonObject }
  | { readonly kind: "roots"; readonly roots: readonly Root[] };

/** A folder or file that the client lets servers work on. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** The capabilities a client must have declared for a question. */
export function requiredCapability(question: Question): JsonObject {
  switch (question.kind) {
    case "form":
      return { elicitation: {} };
    case "url":
      return { elicitation: { url: {} } };
    case "sampling":
      return { sampling: question.params.tools === undefined ? {} : { tools: {} } };
    case "roots":
      return { roots: {} };
  }
}

/** Whether a client with these capabilities can be asked, in this revision. */
export function isAskable(question: Question, capabilities: JsonObject, shape: Shape): boolean {
  switch (question.kind) {
    case "form":
      return shape.elicitation !== "none" && offersForm(capabilities.elicitation) &&
        (shape.elicitation !== "form" || isPlainForm(question.schema));
    case "url":
      return shape.elicitation === "form and url" && isObject(capabilities.elicitation) &&
        isObject(capabilities.elicitation.url);
    case "sampling":
      if (!isObject(capabilities.sampling)) return false;
      return shape.samplingTools
        ? question.params.tools === undefined || isObject(capabilities.sampling.tools)
        : isPlainSampling(question.params, shape);
    case "roots":
      return isObject(capabilities.roots);
  }
}

/** The refusal of a question that the client cannot be asked. */
export function missingCapability(question: Question): RpcError {
  const requiredCapabilities = requiredCapability(question);
  return missingCapabilities(Object.keys(requiredCapabilities).join(", "), requiredCapabilities);
}

/** The question as it goes over the wire. */
export function encodeQuestion(question: Question, shape: Shape): WireQuestion {
  switch (question.kind) {
    case "form": {
      const { message, schema } = question;
      const params = shape.elicitation === "form"
        ? { message, requestedSchema: toPlainForm(schema) }
        : { mode: "form", message, requestedSchema: schema };
      return { method: "elicitation/create", params };
    }
    case "url": {
      const { message, url } = question;
      const id = shape.elicitationId ? { elicitationId: crypto.randomUUID() } : {};
      return { method: "elicitation/create", params: { mode: "url", message, url, ...id } };
    }
    case "sampling":
      return { method: "sampling/createMessage", params: question.params };
    case "roots":
      return { method: "roots/list", params: undefined };
  }
}

/** The client's result as an answer to `question`; nothing when it is not one. */
export function findAnswer(question: Question, result: JsonValue): Answer | undefined {
  if (!isObject(result)) return undefined;
  switch (question.kind) {
    case "form":
    case "url":
      return findElicited(result);
    case "sampling":
      return typeof result.role === "string" && result.content !== undefined
        ? { kind: "sampled", message: result }
        : undefined;
    case "roots":
      return findRoots(result.roots);
  }
}

function findElicited(result: JsonObject): Answer | undefined {
  const { action } = result;
  if (action !== "accept" && action !== "decline" && action !== "cancel") return undefined;
  const content = result.content ?? {};
  return isObject(content) ? { kind: "elicited", action, content } : undefined;
}

function findRoots(value: JsonValue | undefined): Answer | undefined {
  if (!Array.isArray(value)) return undefined;
  const roots: Root[] = [];
  for (const root of value) {
    if (!isObject(root) || typeof root.uri !== "string") return undefined;
    roots.push({ uri: root.uri, ...(typeof root.name === "string" ? { name: root.name } : {}) });
  }
  return { kind: "roots", roots };
}

/** Whether a model is asked without what 2025-11-25 added: tools, and several blocks in one message. */
function isPlainSampling({ tools, messages }: JsonObject, shape: Shape): boolean {
  if (tools !== undefined) return false;
  return !Array.isArray(messages) || messages.every((message: JsonValue) => {
    const content = isObject(message) ? message.content : undefined;
    return isObject(content) && [...shape.content].some((type) => type === content.type);
  });
}

/** An `elicitation` capability without modes means form (MCP 2025-11-25 client/elicitation). */
function offersForm(elicitation: JsonValue | undefined): boolean {
  return isObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

// Forms of elicitation fitted to 2025-06-18, which knows neither multiple choice, nor titled choices, nor defaults other
// than of booleans.

/** Whether a form can be put in the words of 2025-06-18: no field takes several values. */
export function isPlainForm(schema: JsonObject): boolean {
  return fieldsOf(schema).every(([, field]) => isObject(field) && field.type !== "array");
}

/** The same form in the words of 2025-06-18. */
export function toPlainForm(schema: JsonObject): JsonObject {
  const fields = fieldsOf(schema).map(([name, field]) => [name, toPlainField(field)]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function toPlainField(field: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(field)) return field;
  const { default: preset, oneOf, ...rest } = field;
  const kept = field.type === "boolean" && preset !== undefined ? { default: preset } : {};
  if (!Array.isArray(oneOf)) return { ...rest, ...kept };
  const choices = oneOf.filter(isObject);
  return {
    ...rest,
    enum: choices.map((choice) => choice.const ?? null),
    enumNames: choices.map((choice) => choice.title ?? choice.const ?? null),
  };
}

function fieldsOf(schema: JsonObject): [string, JsonValue | undefined][] {
  return isObject(schema.properties) ? Object.entries(schema.properties) : [];
}

// Forms of elicitation fitted to 2025-06-18, which knows neither multiple choice, nor titled choices, nor defaults other
// than of booleans.

import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/json.ts";

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

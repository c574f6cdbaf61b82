// Forms in the words of 2025-06-18.

import { assertEquals } from "@std/assert";
import { isPlainForm, toPlainForm } from "../../../src/mcp/question.ts";

Deno.test("isPlainForm() refuses fields that take several values or are no fields", () => {
  const array = { type: "array", items: { type: "string" } };
  assertEquals(isPlainForm({ type: "object", properties: { a: array } }), false);
  assertEquals(
    isPlainForm({ type: "object", properties: { a: { type: "string" }, b: array } }),
    false,
  );
  assertEquals(isPlainForm({ type: "object", properties: { a: true } }), false);
  assertEquals(isPlainForm({ type: "object", properties: { a: { type: "string" } } }), true);
  assertEquals(isPlainForm({ type: "object" }), true);
});

Deno.test("toPlainForm() drops presets except of booleans and spells choices as enums", () => {
  const schema = {
    type: "object",
    required: ["color"],
    properties: {
      name: { type: "string", default: "x", minLength: 1 },
      sure: { type: "boolean", default: false },
      sober: { type: "boolean" },
      color: { type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "g" }, "bad"] },
      odd: true,
    },
  };
  assertEquals(toPlainForm(schema), {
    type: "object",
    required: ["color"],
    properties: {
      name: { type: "string", minLength: 1 },
      sure: { type: "boolean", default: false },
      sober: { type: "boolean" },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "g"] },
      odd: true,
    },
  });
  assertEquals(toPlainForm({ type: "object" }), { type: "object", properties: {} });
});

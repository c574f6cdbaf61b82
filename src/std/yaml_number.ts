// The number forms of `@std/yaml`, which js-yaml 5 reads otherwise: `010` is eight, `0b11` three,
// `1_000` a thousand, and `0o10` and `010:30` are strings. For `yaml.ts` alone.

import { defineScalarTag, NOT_RESOLVED, type ScalarTagDefinition } from "js-yaml";

const INTEGER =
  /^[-+]?(?:0b[01_]*[01]|0x[0-9a-fA-F_]*[0-9a-fA-F]|0[0-7_]*[0-7]|0|[1-9](?:[0-9_]*[0-9])?)$/;
const FLOAT =
  /^(?:[-+]?(?:0|[1-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** `tag:yaml.org,2002:int`. */
export const intTag: ScalarTagDefinition<number> = defineScalarTag("tag:yaml.org,2002:int", {
  implicit: true,
  resolve: (source) => INTEGER.test(source) ? toInteger(source) : NOT_RESOLVED,
  identify: (value) => Number.isInteger(value) && !Object.is(value, -0),
});

/** `tag:yaml.org,2002:float`. */
export const floatTag: ScalarTagDefinition<number> = defineScalarTag("tag:yaml.org,2002:float", {
  implicit: true,
  resolve: (source) => FLOAT.test(source) && !source.endsWith("_") ? toFloat(source) : NOT_RESOLVED,
  identify: (value) =>
    typeof value === "number" && (!Number.isInteger(value) || Object.is(value, -0)),
});

function toInteger(source: string): number {
  const digits = source.replace(/[-+_]/g, "");
  const isOctal = /^0[0-7]/.test(digits);
  const value = Number(isOctal ? `0o${digits.slice(1)}` : digits);
  return source.startsWith("-") && value !== 0 ? -value : value;
}

function toFloat(source: string): number {
  const text = source.replaceAll("_", "").toLowerCase();
  if (text.endsWith(".nan")) return NaN;
  if (text.endsWith(".inf")) return text.startsWith("-") ? -Infinity : Infinity;
  return Number.parseFloat(text);
}

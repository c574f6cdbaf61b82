// The number forms of `@std/yaml`, which js-yaml 5 reads otherwise: `010` is eight, `0b11` three,
// `1_000` a thousand, and `0o10`, `08` and `-.5` are strings. For `yaml.ts` alone.

import { defineScalarTag, NOT_RESOLVED, type ScalarTagDefinition } from "js-yaml";

const INTEGERS = [
  { pattern: /^0b[01_]*[01]$/, prefix: "0b", skip: 2 },
  { pattern: /^0x[\da-fA-F_]*[\da-fA-F]$/, prefix: "0x", skip: 2 },
  { pattern: /^0[0-7_]*[0-7]$/, prefix: "0o", skip: 1 },
  { pattern: /^(?:0|[1-9](?:[\d_]*\d)?)$/, prefix: "", skip: 0 },
] as const;

const DECIMAL = /^(?:[-+]?(?:0|[1-9][\d_]*)(?:\.[\d_]*)?|\.[\d_]+)(?:[eE][-+]?\d+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

/** `tag:yaml.org,2002:int`. */
export const intTag: ScalarTagDefinition<number> = defineScalarTag("tag:yaml.org,2002:int", {
  implicit: true,
  resolve: (source) => findInteger(source) ?? NOT_RESOLVED,
  identify: (value) => Number.isInteger(value) && !Object.is(value, -0),
});

/** `tag:yaml.org,2002:float`. */
export const floatTag: ScalarTagDefinition<number> = defineScalarTag("tag:yaml.org,2002:float", {
  implicit: true,
  resolve: (source) => findFloat(source) ?? NOT_RESOLVED,
  identify: (value) =>
    typeof value === "number" && (!Number.isInteger(value) || Object.is(value, -0)),
});

function findInteger(source: string): number | undefined {
  const digits = source.replace(/^[-+]/, "");
  const form = INTEGERS.find(({ pattern }) => pattern.test(digits));
  if (form === undefined) return undefined;
  const value = Number(form.prefix + digits.slice(form.skip).replaceAll("_", ""));
  return source.startsWith("-") && value !== 0 ? -value : value;
}

function findFloat(source: string): number | undefined {
  if (NOT_A_NUMBER.test(source)) return NaN;
  if (INFINITE.test(source)) return source.startsWith("-") ? -Infinity : Infinity;
  if (!DECIMAL.test(source) || source.endsWith("_")) return undefined;
  return Number.parseFloat(source.replaceAll("_", ""));
}

/** What every record decoder shares: the error for an absent field, and closed enums. */
import { BcpSyntaxError } from "./error.ts";
import type { FieldReader } from "./fields.ts";
import { hex } from "./header.ts";
import { findEnumName, type WireEnum } from "./names.ts";
import { toUint8 } from "./varint.ts";

/**
 * The value of a required field.
 *
 * @throws {BcpSyntaxError} naming the field when the record did not have it.
 */
export function required<T>(value: T | undefined, name: string, fields: FieldReader): T {
  if (value !== undefined) return value;
  const message = `missing required field: ${name}`;
  throw new BcpSyntaxError(message, { code: "missing_field", offset: fields.offset });
}

/**
 * Reads an enum field; only the low byte counts, as in the reference.
 *
 * @throws {BcpSyntaxError} when that byte has no name.
 */
export function decodeEnum<Name extends string>(
  fields: FieldReader,
  wireEnum: WireEnum<Name>,
): Name {
  const at = fields.offset;
  const value = toUint8(fields.varint());
  const name = findEnumName(wireEnum, value);
  if (name !== undefined) return name;
  const message = `invalid ${wireEnum.title} value: 0x${hex(value, 2)}`;
  throw new BcpSyntaxError(message, { code: "enum", offset: at });
}

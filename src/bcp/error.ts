/**
 * What goes wrong with a BCP payload. Texts are those of the reference decoder, because a drop-in
 * `bcp` prints them; numbers inside a text may be relative to a slice, `offset` never is.
 */

/** Stable name of a decode failure, for callers that must not match on text. */
export type BcpErrorCode =
  | "header"
  | "truncated"
  | "varint"
  | "block_type"
  | "wire_type"
  | "missing_field"
  | "enum"
  | "limit"
  | "zstd"
  | "inflated_size"
  | "no_store"
  | "unresolved"
  | "no_end"
  | "trailing"
  | "store";

/** What a {@linkcode BcpSyntaxError} carries beside its message. */
export interface BcpErrorDetails {
  readonly code: BcpErrorCode;
  readonly offset: number;
  /** The wording `bcp validate` uses, where it differs from the message. */
  readonly validation?: string;
  readonly cause?: unknown;
}

/** A payload that does not decode; `offset` is where in it the problem lies. */
export class BcpSyntaxError extends SyntaxError {
  override readonly name = "BcpSyntaxError";
  /** Which rule was broken. */
  readonly code: BcpErrorCode;
  /**
   * Byte of the payload, after whole-payload inflation if it has any. A problem inside a compressed
   * or referenced body is placed at that body's frame.
   */
  readonly offset: number;
  /** The wording of `bcp validate`. */
  readonly validation: string;

  constructor(message: string, details: BcpErrorDetails) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = details.code;
    this.offset = details.offset;
    this.validation = details.validation ?? message;
  }

  /** The same failure, placed elsewhere: for bodies whose own bytes are not in the payload. */
  at(offset: number): BcpSyntaxError {
    const { code, validation } = this;
    return new BcpSyntaxError(this.message, { code, offset, validation, cause: this });
  }
}

/** Blocks that cannot be written as a payload; the message is the reference encoder's. */
export class BcpEncodeError extends RangeError {
  override readonly name = "BcpEncodeError";
}

/** The reference's end-of-input text; `relative` is the number it prints. */
export function truncated(relative: number, offset: number): BcpSyntaxError {
  const message = `unexpected end of input at offset ${relative}`;
  return new BcpSyntaxError(message, { code: "truncated", offset });
}

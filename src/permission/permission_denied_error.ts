// The refusal of something the grants do not cover.

/** A grant is missing. The message names what would allow it. */
export class PermissionDeniedError extends Error {
  override readonly name = "PermissionDeniedError";
  /** Stable identifier for callers that map errors. */
  readonly code = "permission_denied";
}

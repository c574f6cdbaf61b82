// The one error that parsing a manifest may end with.

/** A manifest that cannot be accepted, with the place in it and what to write instead. */
export class ManifestSyntaxError extends SyntaxError {
  override readonly name = "ManifestSyntaxError";
  /** Stable identifier for callers that map errors. */
  readonly code = "manifest_syntax";
  /** RFC 6901 pointer to the refused value; empty for the whole document. */
  readonly pointer: string;

  constructor(pointer: string, problem: string, options?: ErrorOptions) {
    super(`Cannot accept manifest at "${pointer}": ${problem}`, options);
    this.pointer = pointer;
  }
}

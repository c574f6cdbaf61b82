// A question to the client that stays without a usable answer.

/** The client cannot be asked, did not answer, or answered with something else. Its message may reach the client. */
export class AskError extends Error {
  override readonly name = "AskError";
}

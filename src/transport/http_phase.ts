// What a connection of the HTTP server is at.

/**
 * Between requests, until others had their turn, in a head, in a body, in a body that nobody wants; until the answer is
 * complete, until enough of it is taken; until all of the last answer is taken, until the client has seen that it was
 * the last.
 */
export type Phase =
  | "idle"
  | "queued"
  | "head"
  | "body"
  | "skip"
  | "busy"
  | "blocked"
  | "ending"
  | "lingering"
  | "closed";

/** Phases in which it is the client's turn. */
export const WAITING: ReadonlySet<Phase> = new Set(["idle", "head", "body", "skip", "lingering"]);

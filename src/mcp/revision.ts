// The dated revisions of MCP and how a client's wish becomes one of them.

/** Revisions that open with `initialize`, oldest first. */
export const HANDSHAKE_REVISIONS = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
] as const;

/** Revisions whose every request carries its own metadata, oldest first. */
export const STATELESS_REVISIONS = ["2026-07-28"] as const;

/** A revision of the handshake wire. */
export type HandshakeRevision = typeof HANDSHAKE_REVISIONS[number];

/** A revision of the stateless wire. */
export type StatelessRevision = typeof STATELESS_REVISIONS[number];

/** Any revision spoken here. */
export type Revision = HandshakeRevision | StatelessRevision;

/** What is offered to a client that asks for an unknown revision. */
export const LATEST_HANDSHAKE: HandshakeRevision = "2025-11-25";

/** The handshake revision for a client that asks for `requested`: that one if spoken, else the latest. */
export function negotiateRevision(requested: string): HandshakeRevision {
  return HANDSHAKE_REVISIONS.find((revision) => revision === requested) ?? LATEST_HANDSHAKE;
}

/** The stateless revision named by a request's metadata, if it is spoken here. */
export function findStatelessRevision(requested: string): StatelessRevision | undefined {
  return STATELESS_REVISIONS.find((revision) => revision === requested);
}

// Registers a test of a requirement once for each revision that demands it.

import { type RequirementId, REQUIREMENTS } from "../requirements.ts";
import type { SchemaRevision } from "./definitions.ts";

/** Tests one behaviour in every revision of its requirement. */
export function forEachRevision(
  id: RequirementId,
  behaviour: string,
  run: (revision: SchemaRevision, t: Deno.TestContext) => Promise<void>,
): void {
  const { revisions }: { readonly revisions: readonly SchemaRevision[] } = REQUIREMENTS[id];
  for (const revision of revisions) {
    Deno.test(`${id} ${behaviour} (${revision})`, (t) => run(revision, t));
  }
}

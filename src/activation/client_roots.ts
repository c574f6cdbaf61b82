// The client's own roots, for providers that take paths. They narrow what a provider may touch and never widen it, so
// whatever is unclear about them counts as less, not as more.

import { fromFileUrl } from "@std/path";
import type { Inquiry } from "./activation.ts";

/** A client answers from memory; one that does not, for this long, holds a request up. */
const ANSWER_MS = 5000;

/** More than this is no list of folders that a person opened; the rest is left out, which narrows. */
const MAX_ROOTS = 256;

/** What the client said about its roots. */
export type ClientRoots =
  /** It has none, or does not say: what the server was started with holds. */
  | { readonly kind: "unsaid" }
  /** Absolute paths, as the client spells them. */
  | { readonly kind: "offered"; readonly paths: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Asks the client for its roots, each time anew: they may have changed. Ask before acting, because on the stateless
 * wire the request may run again from its start. Rejects as `ask` does when the client gives no usable answer.
 */
export async function askClientRoots(inquiry: Inquiry): Promise<ClientRoots> {
  if (!inquiry.canAsk({ kind: "roots" })) return { kind: "unsaid" };
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  try {
    const answer = await Promise.race([inquiry.ask("roots", { kind: "roots" }), late]);
    if (answer === undefined || answer.kind !== "roots") {
      const reason = `The client did not tell its roots within ${ANSWER_MS / 1000} seconds`;
      return { kind: "refused", reason };
    }
    // A client in which no folder is open has nothing to narrow to.
    if (answer.roots.length === 0) return { kind: "unsaid" };
    const paths = answer.roots.slice(0, MAX_ROOTS).map(({ uri }) => findPath(uri));
    return { kind: "offered", paths: paths.filter((path) => path !== undefined) };
  } finally {
    clearTimeout(timer);
  }
}

/** The path of a `file:` URI on this machine; a folder elsewhere is none of ours. */
function findPath(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    if (url.protocol !== "file:" || url.host !== "" || url.search !== "") return undefined;
    return fromFileUrl(url);
  } catch {
    return undefined;
  }
}

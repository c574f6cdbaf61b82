// Opens files for the reader: inside the roots, regular, bounded.

import { quoteName, type Refusal, refuse, RootAccess } from "../../process/root_access.ts";
import { readFileInRoots } from "../../process/root_guard.ts";
import type { OpenFile } from "./engine.ts";

/** A file, or why there is none. */
export type OpenOutcome = { readonly kind: "opened"; readonly file: OpenFile } | Refusal;

/** What a payload may have at most; the codec's own bounds on what it inflates to come on top. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The roots of a reader and the way to files in them. */
export class FileAccess extends RootAccess {
  /** The same roots, as far as the client's own cover them. */
  narrowedTo(paths: readonly string[]): FileAccess {
    return new FileAccess(...this.narrow(paths));
  }

  /** Opens a payload: a regular file inside the roots whose name ends with `.bcp`. */
  async openPayload(name: string): Promise<OpenOutcome> {
    if (!isPayloadName(name)) {
      return refuse(`Not a .bcp file: ${quoteName(name)}; name a file that ends with ".bcp"`);
    }
    return await this.open(name);
  }

  /** Opens any regular file inside the roots. */
  async open(name: string): Promise<OpenOutcome> {
    const located = await this.locate(name, "read");
    if (located.kind === "refused") return located;
    const { path, roots } = located;
    const read = await readFileInRoots(path, roots, { maxBytes: MAX_FILE_BYTES });
    if (read.kind === "refused") return refuse(`Cannot read ${quoteName(name)}: ${read.reason}`);
    return { kind: "opened", file: { name, path: read.path, roots, bytes: read.bytes } };
  }
}

/** Whether a name is that of a payload. */
export function isPayloadName(name: string): boolean {
  return name.toLowerCase().endsWith(".bcp");
}

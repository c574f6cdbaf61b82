// Programs that a manifest pins to one content. A file that was verified is not read again while it is the same file,
// untouched since.

import type { Grants } from "../permission/grants.ts";

/** A program larger than this is not read into memory to be verified. */
const MAX_PROGRAM_BYTES = 512 * 1024 * 1024;

/** Verifies pinned programs before they are started. */
export class Pins {
  /** What a verified file looked like, by path. */
  readonly #verified = new Map<string, string>();

  /** Why a program may not be started: it is not the one that the manifest pins. */
  async findProblem({ command, sha256 }: Grants): Promise<string | undefined> {
    if (sha256 === undefined) return undefined;
    try {
      const looks = toLooks(await Deno.stat(command));
      if (this.#verified.get(command) === looks) return undefined;
      const { size } = await Deno.stat(command);
      if (size > MAX_PROGRAM_BYTES) return `it is larger than ${MAX_PROGRAM_BYTES} bytes`;
      const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(command));
      if (new Uint8Array(digest).toHex() !== sha256) {
        return 'it is not the file that the manifest pins; check it, then change "sha256"';
      }
      // Changed while it was read: whatever was verified, it is not what stands there now.
      if (toLooks(await Deno.stat(command)) !== looks) return "it changed while it was verified";
      this.#verified.set(command, looks);
      return undefined;
    } catch (error) {
      // A missing program is for the launch itself to report.
      if (error instanceof Deno.errors.NotFound) return undefined;
      return `it cannot be read to be verified; start the server with --allow-read=${command}`;
    }
  }
}

function toLooks({ dev, ino, size, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(" ");
}

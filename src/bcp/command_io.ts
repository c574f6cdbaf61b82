/** What the `bcp` command needs from the world around it; `src/cli` binds it to the real one. */

/** How reading a file ended. */
export type ReadOutcome =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | {
    readonly kind: "failed";
    /** The operating system's words: `No such file or directory (os error 2)`. */
    readonly reason: string;
    readonly isMissing: boolean;
  };

/** How writing a file ended; after a failure the file is as it was. */
export type WriteOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "failed"; readonly reason: string };

/** Files and the two text outputs. Paths arrive exactly as they were typed. */
export interface CommandIo {
  readFile(path: string): Promise<ReadOutcome>;
  /** Must be atomic: all of the bytes, or no change. */
  writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome>;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Something that ends a command with `error: …` and exit code 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/**
 * The bytes of a file.
 *
 * @throws {CommandFailure} when it cannot be read.
 */
export async function readFile(io: CommandIo, path: string): Promise<Uint8Array> {
  const outcome = await io.readFile(path);
  if (outcome.kind === "read") return outcome.bytes;
  throw new CommandFailure(`cannot read ${path}: ${outcome.reason}`);
}

/**
 * Writes a file.
 *
 * @throws {CommandFailure} when it cannot be written.
 */
export async function writeFile(io: CommandIo, path: string, bytes: Uint8Array): Promise<void> {
  const outcome = await io.writeFile(path, bytes);
  if (outcome.kind === "failed") {
    throw new CommandFailure(`cannot write ${path}: ${outcome.reason}`);
  }
}

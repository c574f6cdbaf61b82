/** Files and outputs in memory, for running the `bcp` command without a disk. */
import type { CommandIo, ReadOutcome, WriteOutcome } from "../../../src/bcp/command_line.ts";
import { runBcp } from "../../../src/bcp/command.ts";

/** What one run printed and how it ended. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Holds files; a name ending in `/` is a directory, one beginning with `locked` is refused. */
export class MemoryIo implements CommandIo {
  readonly files = new Map<string, Uint8Array>();
  /** Names in the order they were written. */
  readonly written: string[] = [];
  #stdout = "";
  #stderr = "";

  constructor(files: Readonly<Record<string, Uint8Array | string>> = {}) {
    for (const [name, content] of Object.entries(files)) {
      this.files.set(
        name,
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      );
    }
  }

  readFile(path: string): Promise<ReadOutcome> {
    const bytes = this.files.get(path);
    if (bytes !== undefined) return Promise.resolve({ kind: "read", bytes });
    const reason = path.endsWith("/")
      ? "Is a directory (os error 21)"
      : path.startsWith("locked")
      ? "Permission denied (os error 13)"
      : "No such file or directory (os error 2)";
    const isMissing = reason.startsWith("No such");
    return Promise.resolve({ kind: "failed", reason, isMissing });
  }

  writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome> {
    if (path.startsWith("locked")) {
      return Promise.resolve({ kind: "failed", reason: "Permission denied (os error 13)" });
    }
    this.files.set(path, bytes);
    this.written.push(path);
    return Promise.resolve({ kind: "written" });
  }

  stdout(text: string): void {
    this.#stdout += text;
  }

  stderr(text: string): void {
    this.#stderr += text;
  }

  /** Runs `bcp` and returns what it printed this time. */
  async run(...argv: readonly string[]): Promise<Run> {
    this.#stdout = "";
    this.#stderr = "";
    const code = await runBcp(argv, this);
    return { code, stdout: this.#stdout, stderr: this.#stderr };
  }
}

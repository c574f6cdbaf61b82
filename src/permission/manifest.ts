// What a permission manifest says, as types. A manifest is data: it is parsed once, strictly, and never
// changed afterwards. What is not written in it is denied.

import type { ArgumentGrammar } from "./argument_grammar.ts";

/** Whether a program may run without an operating-system sandbox. */
export type SandboxRule = "require" | "auto" | "off";

/** `native` is any executable; `deno` is an `npm:`, `jsr:` or local TypeScript program run by Deno. */
export type ProgramKind = "native" | "deno";

/** Network grant: exact hosts, or the whole network for native programs, which no sandbox can limit by host. */
export type NetRule = readonly string[] | "all";

/** Bounds of one program; every launch has all of them. */
export interface Limits {
  readonly timeoutMs: number;
  /** Time between the polite request to end and the kill. */
  readonly graceMs: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly maxConcurrent: number;
  /** Processes and threads inside the sandbox. Linux ignores it for the superuser. */
  readonly maxProcesses: number;
  /** Size of the private temporary directory. */
  readonly tmpBytes: number;
  /** Address space of each process, or the heap of a Deno program; 0 is no bound. */
  readonly maxMemoryBytes: number;
  /** Processor time of each process; 0 is no bound. */
  readonly maxCpuSeconds: number;
  /** Size of any file a process writes; 0 is no bound. */
  readonly maxFileBytes: number;
}

/** What is taken away again; deny wins over allow. */
export interface DenyRules {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly env: readonly string[];
}

/** One program that may be started, and everything it may touch. */
export interface ProgramRules {
  readonly kind: ProgramKind;
  readonly command: string;
  /** The content that the file of the command must have. */
  readonly sha256: string | undefined;
  readonly arguments: ArgumentGrammar | undefined;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: NetRule;
  readonly env: readonly string[];
  /** Programs a Deno child may start itself; always empty for native programs. */
  readonly run: readonly string[];
  /** Names of system facts a Deno child may read, such as `hostname`. */
  readonly sys: readonly string[];
  /** Protected names, such as `.git/hooks`, that this program may write inside its granted paths. */
  readonly unprotect: readonly string[];
  readonly deny: DenyRules;
  readonly limits: Limits;
  readonly sandbox: SandboxRule;
  /** Whether a program without a sandbox also goes without the leash that ties its life to the server's. */
  readonly unleashed: boolean;
}

/** What the server process itself needs from Deno. */
export interface ServerRules {
  readonly run: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly env: readonly string[];
}

/** One permission document: one mode of the server. */
export interface Manifest {
  readonly mode: string;
  readonly description: string;
  readonly server: ServerRules;
  readonly programs: ReadonlyMap<string, ProgramRules>;
}

/** Bounds used where a manifest names none. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  timeoutMs: 30_000,
  graceMs: 2_000,
  maxStdoutBytes: 10 * 1024 * 1024,
  maxStderrBytes: 1024 * 1024,
  maxConcurrent: 4,
  maxProcesses: 128,
  tmpBytes: 64 * 1024 * 1024,
  maxMemoryBytes: 0,
  maxCpuSeconds: 0,
  maxFileBytes: 0,
});

/** Inclusive range a manifest may choose from, for each bound. */
export const LIMIT_RANGES: Readonly<Record<keyof Limits, readonly [number, number]>> = Object
  .freeze(
    {
      timeoutMs: [1, 24 * 60 * 60 * 1000],
      graceMs: [0, 60_000],
      maxStdoutBytes: [0, 1024 * 1024 * 1024],
      maxStderrBytes: [0, 64 * 1024 * 1024],
      maxConcurrent: [1, 256],
      maxProcesses: [1, 4096],
      tmpBytes: [4096, 16 * 1024 * 1024 * 1024],
      maxMemoryBytes: [0, 1024 * 1024 * 1024 * 1024],
      maxCpuSeconds: [0, 24 * 60 * 60],
      maxFileBytes: [0, 1024 * 1024 * 1024 * 1024],
    },
  );

/**
 * Names inside a writable directory that start programs or change what a client trusts. A program that may write
 * the directory still may not write these, unless the manifest lists the name under `unprotect`.
 */
export const PROTECTED_NAMES: readonly string[] = Object.freeze([
  ".git/hooks",
  ".git/config",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".mcp.json",
  ".vscode",
  ".cursor",
  ".idea",
  ".claude",
  ".envrc",
]);

/** Protected names that are directories; the others are files. */
export const PROTECTED_DIRECTORIES: ReadonlySet<string> = new Set([
  ".git/hooks",
  ".vscode",
  ".cursor",
  ".idea",
  ".claude",
]);

// What can be done with BCP files, whoever does it: the `bcp` program or the codec in this process. An engine gets files
// that were opened inside the roots already; it decides nothing about paths.

import type { KnownBlockKind } from "../../bcp/block.ts";
import type { Verbosity } from "../../bcp/budget.ts";
import type { Payload } from "../../bcp/decode.ts";
import type { RenderMode } from "../../bcp/render.ts";
import type { Caller } from "../../process/audit.ts";

/** A file that was opened inside the roots. */
export interface OpenFile {
  /** As the client spelled it; the only spelling that may go back to it. */
  readonly name: string;
  /** Real path. */
  readonly path: string;
  /** The roots in force when it was opened. */
  readonly roots: readonly string[];
  readonly bytes: Uint8Array;
}

/** How a payload is to be rendered. */
export interface ReadOptions {
  readonly mode: RenderMode;
  readonly verbosity?: Verbosity;
  /** Tokens to stay near. */
  readonly budget?: number;
  readonly include?: readonly KnownBlockKind[];
  /** Only the blocks at these indices; no `bcp` program knows this one. */
  readonly blocks?: readonly number[];
}

/** What a `content_file` of a bcp manifest came to. */
export type ContentOutcome =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly reason: string };

/** A bcp manifest to encode. */
export interface EncodeRequest {
  readonly manifest: OpenFile;
  /** Compress each block with zstd where that helps. */
  readonly compress: boolean;
  /** Opens a file that the manifest names, inside the roots or not at all. */
  readonly readContent: (name: string) => Promise<ContentOutcome>;
}

/** A text as `bcp` prints it, or what it says when it fails. */
export type EngineOutcome =
  | {
    readonly kind: "done";
    readonly text: string;
    /** The decoded payload, where the engine has it. */
    readonly payload?: Payload;
  }
  | { readonly kind: "failed"; readonly message: string };

/** A payload, or why there is none. */
export type EncodeOutcome =
  | { readonly kind: "encoded"; readonly bytes: Uint8Array }
  | { readonly kind: "failed"; readonly message: string };

/** For whom an engine works, and for how long it is wanted. */
export interface EngineRun {
  readonly signal: AbortSignal;
  readonly caller?: Caller;
}

/** Works on BCP files. Never throws for what is in them. */
export interface BcpEngine {
  readonly kind: "cli" | "embedded";
  /** Text for a model, as `bcp decode` prints it. */
  read(file: OpenFile, options: ReadOptions, run: EngineRun): Promise<EngineOutcome>;
  /** The list of blocks, as `bcp inspect` prints it. */
  inspect(file: OpenFile, run: EngineRun): Promise<EngineOutcome>;
  /** Whether the payload is sound, as `bcp validate` prints it. */
  validate(file: OpenFile, run: EngineRun): Promise<EngineOutcome>;
  /** Sizes and token estimates, as `bcp stats` prints them. */
  stats(file: OpenFile, run: EngineRun): Promise<EngineOutcome>;
  /** The payload of a manifest; writing it is the caller's business. */
  encode(request: EncodeRequest, run: EngineRun): Promise<EncodeOutcome>;
}

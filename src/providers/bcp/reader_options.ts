// What a person decides about a reader.

import type { RenderMode } from "../../bcp/render.ts";
import type { BcpEngine } from "./engine.ts";
import type { Compartment, EngineName } from "./engine_choice.ts";

/** How a reader works. */
export interface ReaderOptions {
  readonly namespace: string;
  /** Absolute directories; without any, what Deno allows to be read decides. */
  readonly roots: readonly string[];
  /** Whether a client's own roots narrow these. */
  readonly clientRoots: "narrow" | "ignore";
  readonly engine: EngineName;
  /** The render mode when a call names none. */
  readonly mode: RenderMode;
  readonly compartment: () => Promise<Compartment>;
  /** Told once which engine does the work, and why. */
  readonly chosen: (engine: BcpEngine["kind"], reason: string) => void;
}

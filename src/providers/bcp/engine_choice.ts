// Which engine a reader uses. `auto` prefers a `bcp` program that is there and may be started; what was taken, and why
// not the other, goes to the log once.

import type { RenderMode } from "../../bcp/render.ts";
import type { Launcher } from "../../process/launcher.ts";
import { describeOutcome } from "../../process/outcome.ts";
import type { BcpEngine } from "./engine.ts";

/** What a person may ask for. */
export type EngineName = "auto" | "cli" | "embedded";

/** Starts programs of the reader's manifest. */
export interface Compartment {
  /** A launcher bound to these roots. */
  bind(roots: readonly string[]): Promise<Launcher>;
  /** Why a program cannot be started, as far as Deno's own permissions tell. */
  findObstacle(program: string): Promise<string | undefined>;
}

/** What a choice depends on. */
export interface EngineChoiceOptions {
  readonly engine: EngineName;
  /** Loaded only when a program may be needed. */
  readonly compartment: () => Promise<Compartment>;
  /** Tells the log which engine was taken, and why. */
  readonly chosen: (engine: BcpEngine["kind"], reason: string) => void;
}

/** Finds the engine when it is first needed and keeps it. */
export class EngineChoice {
  readonly #options: EngineChoiceOptions;
  #embedded: Promise<BcpEngine> | undefined;
  #engine: Promise<BcpEngine> | undefined;

  /** Nothing is loaded or started yet. */
  constructor(options: EngineChoiceOptions) {
    this.#options = options;
  }

  /** The engine in force; `roots` are those of the file at hand. */
  get(roots: readonly string[]): Promise<BcpEngine> {
    return this.#engine ??= this.#choose(roots);
  }

  /** The codec, for what no `bcp` program offers. */
  embedded(): Promise<BcpEngine> {
    return this.#embedded ??= import("./embedded_engine.ts").then(({ EmbeddedEngine }) =>
      new EmbeddedEngine()
    );
  }

  async #choose(roots: readonly string[]): Promise<BcpEngine> {
    const { engine, chosen } = this.#options;
    if (engine === "embedded") {
      chosen("embedded", "asked for");
      return await this.embedded();
    }
    const { BCP_PROGRAM, CliEngine } = await import("./cli_engine.ts");
    const compartment = await this.#options.compartment();
    const cli = new CliEngine((bound) => compartment.bind(bound));
    if (engine === "cli") {
      chosen("cli", "asked for");
      return cli;
    }
    const problem = await compartment.findObstacle(BCP_PROGRAM) ??
      await tryProgram(await compartment.bind(roots), BCP_PROGRAM);
    chosen(problem === undefined ? "cli" : "embedded", problem ?? "the bcp program answers");
    return problem === undefined ? cli : await this.embedded();
  }
}

/** Starts the program once, harmlessly; returns what is wrong with it. */
async function tryProgram(launcher: Launcher, name: string): Promise<string | undefined> {
  const outcome = await launcher.run({ name, args: ["help"] }, new AbortController().signal);
  return outcome.kind === "exited" && outcome.code === 0 ? undefined : describeOutcome(outcome);
}

// What a person decides about a reader.

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

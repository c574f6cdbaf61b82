// The `bn` program as a subprocess: inside its compartment, in a client's directory, with the variables that tell it
// whose agent it works for.

import type { Inquiry } from "../../activation/activation.ts";
import { askClientRoots } from "../../activation/client_roots.ts";
import type { Launcher } from "../../process/launcher.ts";
import { quoteName, type Refusal, refuse, RootAccess } from "../../process/root_access.ts";
import { resolveInRoots } from "../../process/root_guard.ts";
import { type BnReport, refusal, toReport } from "./bn_report.ts";
import type { BnSession } from "./bn_session.ts";
import type { BnEnvironment } from "./registered_agents.ts";

/** Starts the programs of the mode's manifest. */
export interface BnHost {
  /** What the program gets of the server's environment. */
  readonly environment: BnEnvironment;
  /** Whether the program sees the roots and its storage only. */
  readonly isWalled: boolean;
  /** Why nothing can be run sensibly. */
  readonly problem: string | undefined;
  bind(roots: readonly string[]): Promise<Launcher>;
  findObstacle(program: string): Promise<string | undefined>;
}

/** What a person decides about the mode. */
export interface BnOptions {
  readonly namespace: string;
  /** Absolute directories; without any, what Deno allows to be read decides. */
  readonly roots: readonly string[];
  /** Whether a client's own roots narrow these, when it chooses a directory. */
  readonly clientRoots: "narrow" | "ignore";
  /** Called once, when the first program is to be started. */
  readonly open: () => Promise<BnHost>;
}

/** For whom and where a command runs. */
export interface BnRun {
  readonly inquiry: Inquiry & { readonly tool?: string };
  /** Without one it runs in no repository and for nobody. */
  readonly session?: BnSession;
  /** The program's name in the manifest: `bn-lifecycle` for registering and leaving, `bn` for everything else. */
  readonly program?: "bn" | "bn-lifecycle";
}

/** A directory inside the roots, as a real path, or why it is none. */
export type Directory =
  | { readonly kind: "found"; readonly path: string; readonly roots: readonly string[] }
  | Refusal;

const FAILED_CODE = 1;
const DENIED_CODE = 126;
const NOT_FOUND_CODE = 127;

/** Runs `bn`. */
export class BnProgram {
  readonly #options: BnOptions;
  readonly #access: RootAccess;
  #host: Promise<BnHost> | undefined;

  /** Starts nothing yet. */
  constructor(options: BnOptions) {
    this.#options = options;
    this.#access = new RootAccess(options.roots);
  }

  /** Where programs are started from. */
  get host(): Promise<BnHost> {
    return this.#host ??= this.#options.open();
  }

  /** Runs a command to its end; whatever the end, there is a report. */
  async run(args: readonly string[], run: BnRun): Promise<BnReport> {
    const { inquiry, session, program = "bn" } = run;
    const host = await this.host;
    if (host.problem !== undefined) return refusal(host.problem, DENIED_CODE);
    const directory = session === undefined ? undefined : await this.findDirectory(session.cwd);
    if (directory?.kind === "refused") return refusal(directory.reason, FAILED_CODE);
    const launcher = await host.bind(directory?.roots ?? []);
    const { caller } = inquiry;
    const outcome = await launcher.run({
      name: program,
      args,
      env: toVariables(host.environment, session),
      keepsOutput: true,
      ...(directory === undefined ? {} : { cwd: directory.path }),
      ...(caller === undefined
        ? {}
        : { caller: { ...caller, tool: inquiry.tool ?? "resources/read" } }),
    }, inquiry.signal);
    if (outcome.kind === "denied" && await host.findObstacle(program) !== undefined) {
      const reason = "bn binary not found; install it and start the server with --allow-run=bn";
      return refusal(reason, NOT_FOUND_CODE);
    }
    return toReport(outcome);
  }

  /** Finds a directory inside the roots; one that a client names, inside its own roots, too. */
  async findDirectory(path: string, client?: Inquiry): Promise<Directory> {
    if (!path.startsWith("/")) return refuse(`Path must be absolute: ${quoteName(path)}`);
    const access = client === undefined ? this.#access : await this.#narrow(client);
    if (!(access instanceof RootAccess)) return access;
    const located = await access.locate(path, "read");
    if (located.kind === "refused") return located;
    const real = await resolveInRoots(located.path, located.roots);
    if (real.kind === "refused") {
      return refuse(
        `Directory does not exist or may not be used: ${quoteName(path)}: ${real.reason}`,
      );
    }
    const { isDirectory } = await Deno.stat(real.path);
    if (!isDirectory) return refuse(`Not a directory: ${quoteName(path)}`);
    return { kind: "found", path: real.path, roots: located.roots };
  }

  async #narrow(client: Inquiry): Promise<RootAccess | Refusal> {
    if (this.#options.clientRoots === "ignore") return this.#access;
    const roots = await askClientRoots(client);
    if (roots.kind === "refused") return roots;
    return roots.kind === "unsaid"
      ? this.#access
      : new RootAccess(...this.#access.narrow(roots.paths));
  }
}

/** What the program learns of its surroundings. Whose agent it is comes from the session, never from elsewhere. */
function toVariables(environment: BnEnvironment, session: BnSession | undefined) {
  const { BN_AGENT_ID: _, BN_MCP_SESSION: __, ...inherited } = environment;
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined) variables[name] = value;
  }
  if (session !== undefined) variables.BN_MCP_SESSION = session.id;
  if (session?.agent !== undefined) variables.BN_AGENT_ID = session.agent;
  return variables;
}

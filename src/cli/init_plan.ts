// From the options of `mod.ts init` to the files it is to write: where they are on this machine, with which command,
// and what the process must be allowed to do.

import {
  type Client,
  type ClientHost,
  type Entry,
  expandTemplate,
  homeVariable,
  listVariables,
  type Scope,
  userTemplate,
} from "../clients/client.ts";
import { redact } from "../process/audit.ts";
import { checkOwnPermissions } from "../process/own_permissions.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import { quoteWord, UsageError } from "./command.ts";
import type { InitOptions } from "./init_options.ts";
import { planAgentsSection, planEntry, type Target } from "./init_target.ts";
import { planModeCommand, toAbsolute } from "./mode_flags.ts";

/** One file to write, and by whom. */
export interface Step {
  readonly target: Target;
  /** For `--via-cli`: what to tell the client's own program. */
  readonly own:
    | {
      readonly client: Client;
      readonly entry: Entry;
      readonly scope: Scope;
      readonly project: string;
    }
    | undefined;
}

/** Where the journal and the copies are. */
const STATE = {
  linux: "${XDG_STATE_HOME:-~/.local/state}/bulkhead",
  darwin: "~/.local/state/bulkhead",
  windows: "${LOCALAPPDATA:-~/AppData/Local}/bulkhead",
} as const;

/**
 * What the paths depend on. Variables that may not be read are refused, not taken for unset: the file would be the
 * wrong one.
 *
 * @throws UsageError when a variable or the current directory may not be read.
 */
export function findHost(options: InitOptions): ClientHost {
  const { os } = Deno.build;
  const templates = options.clients
    .filter((client) => (options.scope ?? client.scope) === "user")
    .map((client) => userTemplate(client, os));
  if (!options.dryRun && !options.list) templates.push(userTemplate({ user: STATE }, os));
  const names = new Set(templates.flatMap((template) => listVariables(template, os)));
  const hidden = [...names].filter((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state !== "granted"
  );
  if (hidden.length > 0) {
    throw new UsageError(`Cannot tell where files are: start with --allow-env=${hidden.join(",")}`);
  }
  const variables = new Map<string, string>();
  for (const name of names) {
    const value = Deno.env.get(name);
    if (value !== undefined) variables.set(name, value);
  }
  const home = homeVariable(os);
  if (names.has(home) && (variables.get(home) ?? "") === "") {
    throw new UsageError(`Cannot tell where files are: ${home} is not set`);
  }
  return { os, variables, project: findProject(options) };
}

/** Where what was done is remembered. */
export function stateDirectory(host: ClientHost): string {
  return expandTemplate(userTemplate({ user: STATE }, host.os), host);
}

/**
 * The files to write, in order.
 *
 * @throws UsageError when the command cannot be made, or must not stand in a project's file.
 */
export async function planSteps(options: InitOptions, host: ClientHost): Promise<readonly Step[]> {
  const { mode = "" } = options;
  const steps: Step[] = [];
  if (options.writesAgents) steps.push({ target: planAgentsSection(host), own: undefined });
  if (options.clients.length === 0) return steps;
  const { command: [deno, ...rest] } = await planModeCommand(mode, {
    roots: options.roots.length > 0 ? options.roots : [host.project],
    manifest: options.manifest === undefined ? undefined : toAbsolute(options.manifest, "Manifest"),
  });
  const server = { command: options.deno ?? deno, args: [...rest, ...options.modeArguments] };
  for (const client of options.clients) {
    const scope = options.scope ?? client.scope;
    const entry = client.toEntry(server, scope);
    const target = planEntry(client, { name: options.name, entry, scope }, host);
    if (target === undefined) {
      throw new UsageError(`${client.title} has no configuration of scope "${scope}"`);
    }
    if (scope === "project") refuseSecrets([options.name, server.command, ...server.args]);
    const own = options.viaCli ? { client, entry, scope, project: host.project } : undefined;
    steps.push({ target, own });
  }
  return steps;
}

/** The flags that are missing, for a shell; `undefined` when none is. */
export async function checkNeeds(needs: readonly Flag[]): Promise<string | undefined> {
  const { missing } = await checkOwnPermissions(needs.filter(({ flag }) => !flag.endsWith("=")));
  return missing.length === 0 ? undefined : missing.map(({ flag }) => quoteWord(flag)).join(" ");
}

function findProject({ project }: InitOptions): string {
  try {
    return toAbsolute(project ?? ".").replace(/(?<=.)\/+$/, "");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError("Cannot tell which project: give --project with an absolute path");
  }
}

/** Project files are shared; what looks like a credential has no place in them. */
function refuseSecrets(words: readonly string[]): void {
  const index = words.findIndex((word) => redact(word) !== word);
  if (index === -1) return;
  throw new UsageError(
    `Word ${index} of the command looks like a secret, which a project's file must not hold; ` +
      "use --scope user",
  );
}

// The options of `mod.ts init`, read and checked; nothing is looked up yet.

import { parseArgs } from "@std/cli";
import { type Client, CLIENTS, findClient, type Scope } from "../clients/client.ts";
import { refuseUnknown, UsageError } from "./command.ts";
import { MANIFEST_MODES } from "./manifests.ts";

/** What a person wants. */
export interface InitOptions {
  /** Absent only for `--undo` and `--list`. */
  readonly mode: string | undefined;
  /** Name of the entry. */
  readonly name: string;
  readonly clients: readonly Client[];
  readonly scope: Scope | undefined;
  readonly writesAgents: boolean;
  /** Step by step on the terminal. */
  readonly asks: boolean;
  readonly dryRun: boolean;
  readonly undo: boolean;
  readonly list: boolean;
  readonly viaCli: boolean;
  readonly project: string | undefined;
  readonly roots: readonly string[];
  readonly manifest: string | undefined;
  readonly deno: string | undefined;
  /** Options that the mode itself is started with. */
  readonly modeArguments: readonly string[];
}

/** The mode whose clients also get a section of AGENTS.md, and the name that its users know it by. */
const BINNACLE_MODE = "bn";
const BINNACLE_NAME = "binnacle";

/** Clients that the steps offer, as document 001 draws them. */
const OFFERED: readonly string[] = ["vscode", "copilot"];

const MAX_NAME_LENGTH = 128;

/**
 * Reads the options.
 *
 * @throws UsageError for what cannot be understood.
 */
export function parseInitOptions(args: readonly string[]): InitOptions {
  const parsed = parseArgs([...args], {
    string: ["client", "scope", "project", "root", "manifest", "name", "deno"],
    boolean: [
      "write-mcp-vscode",
      "write-mcp-copilot",
      "write-mcp-all",
      "write-agents-md",
      "y",
      "dry-run",
      "undo",
      "list",
      "via-cli",
    ],
    collect: ["client", "root"],
    "--": true,
    unknown: refuseUnknown,
  });
  const { undo, list, "dry-run": dryRun } = parsed;
  const [mode, ...extra] = parsed._.map(String);
  if (extra.length > 0) throw new UsageError(`Name one mode of ${MANIFEST_MODES.join(", ")}`);
  if (mode === undefined && !undo && !list) {
    throw new UsageError(`Name the mode: it is one of ${MANIFEST_MODES.join(", ")}`);
  }
  if (mode !== undefined && !MANIFEST_MODES.includes(mode)) {
    throw new UsageError(`Unknown mode "${mode}": it is one of ${MANIFEST_MODES.join(", ")}`);
  }
  const isBinnacle = mode === BINNACLE_MODE;
  if (parsed["write-agents-md"] && !isBinnacle) {
    throw new UsageError(`Option "--write-agents-md" belongs to mode "${BINNACLE_MODE}"`);
  }
  const named = new Set(parsed.client.flatMap((names) => names.split(",")));
  for (const name of OFFERED) {
    if (parsed["write-mcp-all"] || parsed[`write-mcp-${name}`] === true) named.add(name);
  }
  const isChosen = named.size > 0 || parsed["write-agents-md"] || parsed.y;
  const offersSteps = !isChosen && !undo && !list;
  const names = offersSteps ? OFFERED : [...named];
  return {
    mode,
    name: parseName(parsed.name ?? (isBinnacle ? BINNACLE_NAME : `bulkhead-${mode}`)),
    clients: names.map(parseClient),
    scope: parseScope(parsed.scope),
    writesAgents: isBinnacle && (offersSteps || parsed["write-agents-md"] || parsed.y),
    asks: offersSteps && !dryRun,
    dryRun,
    undo,
    list,
    viaCli: parsed["via-cli"],
    project: parsed.project,
    roots: parsed.root,
    manifest: parsed.manifest,
    deno: parsed.deno,
    modeArguments: parsed["--"],
  };
}

function parseClient(name: string): Client {
  const client = findClient(name);
  if (client !== undefined) return client;
  const names = CLIENTS.map((row) => row.name).join(", ");
  throw new UsageError(`Unknown client "${name}": it is one of ${names}`);
}

function parseScope(scope: string | undefined): Scope | undefined {
  if (scope === undefined || scope === "project" || scope === "user") return scope;
  throw new UsageError(`Cannot use --scope "${scope}": it is one of project, user`);
}

/** Any text will do in JSON and TOML; this one is the name of nothing in JavaScript objects. */
function parseName(name: string): string {
  if (name === "" || name === "__proto__" || name.length > MAX_NAME_LENGTH) {
    throw new UsageError(`Cannot use --name "${name}": choose another`);
  }
  return name;
}

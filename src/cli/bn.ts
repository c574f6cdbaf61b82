// `mod.ts bn`: serves the binnacle program.

import { BnActivation } from "../providers/bn/bn_activation.ts";
import type { BnHost } from "../providers/bn/bn_program.ts";
import type { Log } from "../gateway/log.ts";
import { type Command, findVariable, UsageError } from "./command.ts";
import { planCompartment, tellWalls } from "./plan_compartment.ts";
import { openServerLog, type PermissionKind, serve } from "./serve.ts";
import {
  findOne,
  type ModeServerOptions,
  parseClientRoots,
  parseModeOptions,
  parseRoots,
  SERVER_OPTIONS_HELP,
} from "./server_options.ts";

/** For the bn program, repositories and the registry of agents, and the environment; `mod.ts permissions bn` is exact. */
const NEEDS: readonly PermissionKind[] = ["run", "read", "env"];

/** The command. */
export const BN_COMMAND: Command = {
  name: "bn",
  summary: "serve the binnacle program: bn_run, and an agent's identity for each client",
  help: () =>
    `Usage: deno run [permissions] mod.ts bn [options]

Serves the tools binnacle-set_agent, binnacle-orient, binnacle-goodbye and bn_run over stdio or HTTP, the
resources binnacle://status, binnacle://agents and binnacle://issues, and the prompt agent_instructions. Every subcommand of the
bn program works through bn_run but agent, goodbye, gui, mcp, orient and system.

Options:
  --root DIR          a repository to work in; repeat it for several. Without one, the directories that --allow-read
                      names are the roots
  --client-roots WAY  narrow (default): a client that offers roots of its own is asked for them, and a directory must
                      lie in both; ignore: it is not asked
  --manifest FILE     another permission manifest than the shipped one (needs --allow-read=FILE)
  --audit FILE        append one JSON line a launch, denial, timeout or kill to FILE instead of the log
  --audit-detail WORD summary (default), or arguments: with the programs' arguments, credentials redacted

${SERVER_OPTIONS_HELP}
Environment, read where --allow-env permits it:
  BN_CLI_PATH         the bn program (default: bn on PATH)
  BN_MCP_TIMEOUT      how long it may take, in seconds (30)
  BN_AGENT_ID         the agent of clients that name none
  BN_DATA_DIR, BN_REPO, BN_CONTAINER_MODE, BN_STORAGE_HASH, BN_TEST_MODE, BN_TEST_ID, HOME, XDG_DATA_HOME
                      handed on to the program, which finds its storage by them

Examples:
  deno run --allow-run=bn --allow-read=/data/repo mod.ts bn
  deno run mod.ts bn --root /data/repo --deny-tool binnacle-orient --deny-tool binnacle-goodbye
  deno run mod.ts permissions bn --root /data/repo
`,
  async run(args, openHttp) {
    const options = parseModeOptions(args, {
      names: ["root", "client-roots", "manifest", "audit", "audit-detail"],
    });
    const log = openServerLog(options.server);
    const ended = new AbortController();
    const open = await planHost(options, log, ended.signal);
    const activation = new BnActivation({
      namespace: "bn",
      roots: parseRoots(options),
      clientRoots: parseClientRoots(options),
      open,
    });
    const isShipped = findOne(options, "manifest") === undefined;
    try {
      return await serve({
        mode: "bn",
        activations: [activation],
        options: options.server,
        // A manifest of one's own may let the program write where names are protected: they are cleaned up after it.
        needs: isShipped ? NEEDS : [...NEEDS, "write"],
        openHttp,
        log,
        afterGreeting: () => tellWalls(open, log),
      });
    } finally {
      ended.abort();
    }
  },
};

async function planHost(
  options: ModeServerOptions,
  log: Log,
  shutdown: AbortSignal,
): Promise<() => Promise<BnHost>> {
  const file = findOne(options, "manifest");
  const command = findVariable("BN_CLI_PATH");
  if (command !== undefined && command !== "" && !command.startsWith("/")) {
    throw new UsageError(`BN_CLI_PATH "${command}" must be an absolute path`);
  }
  const storage = findVariable("BN_DATA_DIR");
  if (storage) (await import("./bn_manifest.ts")).checkStorage(storage);
  const timeoutMs = parseTimeout(findVariable("BN_MCP_TIMEOUT"));
  const open = await planCompartment({
    loadManifest: async () => {
      const { loadBnManifest } = await import("./bn_manifest.ts");
      return await loadBnManifest({ file, command, timeoutMs });
    },
    options,
    log,
    shutdown,
  });
  return async () => {
    const compartment = await open();
    const { findStorageProblem, readEnvironment } = await import("./bn_manifest.ts");
    const environment = readEnvironment(compartment.manifest);
    const isWalled = compartment.isWalled("bn");
    return {
      environment,
      isWalled,
      problem: isWalled ? await findStorageProblem(environment) : undefined,
      bind: (roots) => compartment.bind(roots),
      findObstacle: (program) => compartment.findObstacle(program),
    };
  };
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1) throw new UsageError("BN_MCP_TIMEOUT needs a whole number of seconds");
  return seconds * 1000;
}

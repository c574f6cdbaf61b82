// `mod.ts reader`: serves BCP files below the roots.

import type { Compartment, EngineName } from "../providers/bcp/engine_choice.ts";
import { ReaderActivation } from "../providers/bcp/reader_activation.ts";
import type { Log } from "../gateway/log.ts";
import { type Command, findVariable, UsageError } from "./command.ts";
import { planCompartment, tellWalls } from "./plan_compartment.ts";
import { openServerLog, type PermissionKind, serve } from "./serve.ts";
import {
  findOne,
  type ModeServerOptions,
  parseChoice,
  parseClientRoots,
  parseModeOptions,
  parseRoots,
  SERVER_OPTIONS_HELP,
} from "./server_options.ts";

const ENGINES: readonly EngineName[] = ["auto", "cli", "embedded"];
const MODES = ["xml", "markdown", "minimal"] as const;

/** For the bcp program, BCP files, encode_bcp_file and the environment; `mod.ts permissions reader` is exact. */
const NEEDS: readonly PermissionKind[] = ["run", "read", "write", "env"];

/** The command. */
export const READER_COMMAND: Command = {
  name: "reader",
  summary: "serve BCP files: read, inspect, encode, validate, stats",
  help: () =>
    `Usage: deno run [permissions] mod.ts reader [options]

Serves the tools read_bcp_file, inspect_bcp_file, encode_bcp_file, validate_bcp_file and bcp_stats over stdio or HTTP, and the
.bcp files below the roots as resources. Starts without any permission; what a call lacks, its result names.

Options:
  --root DIR          a directory to work in; repeat it for several. Without one, the directories that --allow-read
                      names are the roots, and nothing is listed as a resource
  --client-roots WAY  narrow (default): a client that offers roots of its own is asked for them, and only what lies in
                      both is touched; ignore: it is not asked
  --engine ENGINE     auto (default): the bcp program where it is found and allowed, else the codec in this process;
                      cli: only the program; embedded: only the codec
  --manifest FILE     another permission manifest than the shipped one (needs --allow-read=FILE)
  --audit FILE        append one JSON line a launch, denial, timeout or kill to FILE instead of the log
  --audit-detail WORD summary (default), or arguments: with the programs' arguments, credentials redacted

${SERVER_OPTIONS_HELP}
Environment, read where --allow-env permits it:
  BCP_CLI_PATH        the bcp program (default: bcp on PATH)
  BCP_CLI_TIMEOUT_MS  how long it may take (30000)
  BCP_RENDER_MODE     xml (default), markdown or minimal
  BCP_LOG_LEVEL       debug, info, warn or error

Examples:
  deno run --allow-run=bcp --allow-read=/data mod.ts reader --root /data
  deno run mod.ts permissions reader --root /data
`,
  async run(args, openHttp) {
    const options = parseModeOptions(args, {
      names: ["root", "client-roots", "engine", "manifest", "audit", "audit-detail"],
      levelVariables: ["BULKHEAD_LOG_LEVEL", "BCP_LOG_LEVEL"],
    });
    const log = openServerLog(options.server);
    const ended = new AbortController();
    const engine = parseChoice("--engine", findOne(options, "engine"), ENGINES);
    const compartment = await planReader(options, log, ended.signal);
    const activation = new ReaderActivation({
      namespace: "reader",
      roots: parseRoots(options),
      clientRoots: parseClientRoots(options),
      engine,
      mode: parseChoice("BCP_RENDER_MODE", findVariable("BCP_RENDER_MODE"), MODES),
      compartment,
      chosen: (engine, reason) => log.write("info", "engine", { engine, reason }),
    });
    try {
      return await serve({
        mode: "reader",
        activations: [activation],
        options: options.server,
        needs: NEEDS,
        openHttp,
        log,
        afterGreeting() {
          if (engine !== "embedded") tellWalls(compartment, log);
        },
      });
    } finally {
      ended.abort();
    }
  },
};

/** Reads what needs a person's attention at once; probes and launchers wait until a program is to be started. */
async function planReader(
  options: ModeServerOptions,
  log: Log,
  shutdown: AbortSignal,
): Promise<() => Promise<Compartment>> {
  const file = findOne(options, "manifest");
  const command = findVariable("BCP_CLI_PATH");
  const timeout = findVariable("BCP_CLI_TIMEOUT_MS");
  const path = findVariable("PATH");
  const timeoutMs = timeout === undefined || timeout === "" ? undefined : parseTimeout(timeout);
  if (command !== undefined && command !== "" && !command.startsWith("/")) {
    throw new UsageError(`BCP_CLI_PATH "${command}" must be an absolute path`);
  }
  return await planCompartment({
    loadManifest: async () => {
      const { loadReaderManifest } = await import("./reader_manifest.ts");
      return await loadReaderManifest({ file, command, path, timeoutMs });
    },
    options,
    log,
    shutdown,
  });
}

function parseTimeout(text: string): number {
  const ms = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (ms < 1) throw new UsageError("BCP_CLI_TIMEOUT_MS needs a whole number of at least 1");
  return ms;
}

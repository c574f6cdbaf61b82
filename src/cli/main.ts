// The command line: finds the command and runs it.

import {
  catchMisuse,
  type Command,
  print,
  printError,
  runCommand,
  UsageError,
  VERSION,
} from "./command.ts";

/** Every command, in the order of the help. Each is loaded only when it is the one to run; help loads them all. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import("./demo.ts")).DEMO_COMMAND,
  permissions: async () => (await import("./permissions.ts")).PERMISSIONS_COMMAND,
  bn: async () => (await import("./bn.ts")).BN_COMMAND,
  reader: async () => (await import("./reader.ts")).READER_COMMAND,
  bcp: async () => (await import("./bcp.ts")).BCP_COMMAND,
  init: async () => (await import("./init.ts")).INIT_COMMAND,
  doctor: async () => (await import("./doctor.ts")).DOCTOR_COMMAND,
};

/** Runs a command line and returns the exit code: 2 when it cannot be understood. */
export async function main(args: readonly string[]): Promise<number> {
  const words = takeMode(args);
  const [word = ""] = words;
  const help = Object.hasOwn(COMMANDS, word) ? `mod.ts ${word} --help` : "mod.ts --help";
  return await catchMisuse(() => run(words), help);
}

/** `--mode NAME`, wherever it stands, is another spelling of the command NAME in front. */
function takeMode(args: readonly string[]): readonly string[] {
  if (args[0]?.startsWith("-") !== true) return args;
  const at = args.findIndex((word) => word === "--mode" || word.startsWith("--mode="));
  if (at < 0) return args;
  const attached = args[at] === "--mode" ? undefined : args[at]?.slice("--mode=".length);
  const mode = attached ?? args[at + 1];
  const rest = args.slice(at + (attached === undefined ? 2 : 1));
  return mode === undefined || mode === "" ? args : [mode, ...args.slice(0, at), ...rest];
}

async function run([word, ...rest]: readonly string[]): Promise<number> {
  switch (word) {
    case undefined:
      printError(await helpText());
      return 2;
    case "--help":
    case "-h":
      print(await helpText());
      return 0;
    case "--version":
    case "-V":
      print(`${VERSION}\n`);
      return 0;
  }
  return await runCommand(
    await findCommand(word),
    rest,
    async (choice) => await (await import("./serve_http.ts")).openHttp(choice),
  );
}

async function findCommand(word: string): Promise<Command> {
  if (word.startsWith("-")) throw new UsageError(`Unknown option "${word}"`);
  const load = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (load !== undefined) return await load();
  throw new UsageError(`Unknown mode "${word}": it is one of ${Object.keys(COMMANDS).join(", ")}`);
}

async function helpText(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`);
  return `Bulkhead ${VERSION}: an MCP server whose every subprocess runs inside a declared compartment.

Usage: deno run [permissions] mod.ts <command> [options]

Commands:
${rows.join("\n")}

Options:
  --help       this text; after a command, help on that command
  --version    the version

A mode, which is a command that serves, starts quicker from its own file: modes/demo.ts is mod.ts demo on stdio,
and so on.

Example:
  deno run mod.ts demo
`;
}

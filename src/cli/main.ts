// The command line: finds the command and runs it.

import { type Command, UsageError } from "./command.ts";
import { DEMO_COMMAND } from "./demo.ts";
import { print, printError } from "./output.ts";
import { VERSION } from "./version.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [DEMO_COMMAND];

const HELP =
  `Bulkhead ${VERSION}: an MCP server whose every subprocess runs inside a declared compartment.

Usage: deno run [permissions] mod.ts <command> [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}

Options:
  --help       this text; after a command, help on that command
  --version    the version

Example:
  deno run mod.ts demo
`;

/** Runs a command line and returns the exit code: 2 when it cannot be understood. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printError(`${error.message}; see: mod.ts ${helpWords(args[0])}\n`);
    return 2;
  }
}

async function run([word, ...rest]: readonly string[]): Promise<number> {
  if (word === undefined) {
    printError(HELP);
    return 2;
  }
  if (word === "--help" || word === "-h" || word === "help") {
    print(HELP);
    return 0;
  }
  if (word === "--version" || word === "-V") {
    print(`${VERSION}\n`);
    return 0;
  }
  const command = findCommand(word);
  if (command === undefined) {
    throw new UsageError(word.startsWith("-") ? `Unknown option "${word}"` : unknownMode(word));
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    print(command.help);
    return 0;
  }
  return await command.run(rest);
}

function unknownMode(word: string): string {
  return `Unknown mode "${word}": it is one of ${COMMANDS.map(({ name }) => name).join(", ")}`;
}

function findCommand(word: string | undefined): Command | undefined {
  return COMMANDS.find(({ name }) => name === word);
}

function helpWords(word: string | undefined): string {
  const command = findCommand(word);
  return command === undefined ? "--help" : `${command.name} --help`;
}

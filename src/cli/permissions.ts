// `mod.ts permissions <mode>`: prints the exact least-privilege command line of a mode.

import { fromFileUrl } from "@std/path";
import { parseArgs } from "@std/cli";
import type { Flag } from "../sandbox/deno_flags.ts";
import { type Command, refuseUnknown, UsageError } from "./command.ts";
import { findModeFlags, toAbsolute } from "./manifests.ts";
import { print } from "./output.ts";

/** The command. */
export const PERMISSIONS_COMMAND: Command = {
  name: "permissions",
  summary: "print the exact least-privilege `deno run` line of a mode, and what each flag is for",
  help: `Usage: deno run mod.ts permissions <mode> [options]

Prints the exact command line that starts a mode with the permissions its manifest asks for, and nothing more.
Needs no permission itself.

Options:
  --root DIR       a directory the mode works on; repeat it for several
  --manifest FILE  another manifest than the shipped one (needs --allow-read=FILE)
  --json           as one JSON object

Examples:
  deno run mod.ts permissions demo
  deno run mod.ts permissions reader --root /data --json
`,
  async run(args) {
    const parsed = parseArgs([...args], {
      string: ["root", "manifest"],
      boolean: ["json"],
      collect: ["root"],
      unknown: refuseUnknown,
    });
    const [mode, ...extra] = parsed._.map(String);
    if (mode === undefined || extra.length > 0) throw new UsageError("Name exactly one mode");
    const flags = await findModeFlags(mode, { roots: parsed.root, manifest: parsed.manifest });
    // A mode that has no use for roots does not know the option either.
    const roots = parsed.root.map(toAbsolute)
      .filter((root) => flags.some(({ flag }) => flag.includes(root)));
    const command = [
      "deno",
      "run",
      ...flags.map(({ flag }) => flag),
      findProgram(),
      mode,
      ...roots.flatMap((root) => ["--root", root]),
      ...(parsed.manifest === undefined ? [] : ["--manifest", parsed.manifest]),
    ];
    print(parsed.json ? toJson(mode, command, flags) : toText(command, flags));
    return 0;
  },
};

/** This program, as a client's configuration has to name it. */
function findProgram(): string {
  const program = new URL("../../mod.ts", import.meta.url);
  return program.protocol === "file:" ? fromFileUrl(program) : program.href;
}

function toJson(mode: string, command: readonly string[], flags: readonly Flag[]): string {
  return `${JSON.stringify({ mode, command, flags }, null, 2)}\n`;
}

function toText(command: readonly string[], flags: readonly Flag[]): string {
  const reasons = flags.map(({ flag, reason }) => `  ${flag}\n      ${reason}`);
  return `${command.map(quote).join(" ")}\n\n${reasons.join("\n")}\n`;
}

/** For a POSIX shell; plain words stay as they are. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

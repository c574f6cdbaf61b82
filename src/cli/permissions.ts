// `mod.ts permissions <mode>`: prints the exact least-privilege command line of a mode.

import { parseArgs } from "@std/cli";
import type { Flag } from "../sandbox/deno_flags.ts";
import { type Command, print, quoteWord, refuseUnknown, UsageError } from "./command.ts";
import { type HttpFlags, planModeCommand } from "./mode_flags.ts";

/** The command. */
export const PERMISSIONS_COMMAND: Command = {
  name: "permissions",
  summary: "print the exact least-privilege `deno run` line of a mode, and what each flag is for",
  help: () =>
    `Usage: deno run mod.ts permissions <mode> [options]

Prints the exact command line that starts a mode with the permissions its manifest asks for, and nothing more.
Needs no permission itself.

Options:
  --root DIR          a directory the mode works on; repeat it for several
  --manifest FILE     another manifest than the shipped one (needs --allow-read=FILE)
  --http [HOST:PORT]  for a server over HTTP instead of stdio
  --token-file FILE   the bearer tokens of that server
  --json              as one JSON object

Examples:
  deno run mod.ts permissions demo
  deno run mod.ts permissions reader --root /data --json
`,
  async run(args) {
    const parsed = parseArgs([...args], {
      string: ["root", "manifest", "http", "token-file"],
      boolean: ["json"],
      collect: ["root"],
      unknown: refuseUnknown,
    });
    const [mode, ...extra] = parsed._.map(String);
    if (mode === undefined || extra.length > 0) throw new UsageError("Name exactly one mode");
    const { command, flags } = await planModeCommand(mode, {
      roots: parsed.root,
      manifest: parsed.manifest,
      ...(parsed.http === undefined
        ? {}
        : { http: await planHttp(parsed.http, parsed["token-file"]) }),
    });
    print(parsed.json ? toJson(mode, command, flags) : toText(command, flags));
    return 0;
  },
};

async function planHttp(address: string, tokenFile: string | undefined): Promise<HttpFlags> {
  const { parseAddress, refuseOpenDoor } = await import("./serve_http.ts");
  const { host, port } = parseAddress(address);
  if (tokenFile === undefined) refuseOpenDoor(host);
  return { address: `${host}:${port}`, tokenFile };
}

function toJson(mode: string, command: readonly string[], flags: readonly Flag[]): string {
  return `${JSON.stringify({ mode, command, flags }, null, 2)}\n`;
}

function toText(command: readonly string[], flags: readonly Flag[]): string {
  const reasons = flags.map(({ flag, reason }) => `  ${flag}\n      ${reason}`);
  return `${command.map(quoteWord).join(" ")}\n\n${reasons.join("\n")}\n`;
}

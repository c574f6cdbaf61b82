// `mod.ts bcp …`: the embedded `bcp` program on real files. Flags, output and exit codes are those of the reference.

import { runBcp } from "../bcp/command.ts";
import type { CommandIo, ReadOutcome, WriteOutcome } from "../bcp/command_line.ts";
import { toHelp } from "../bcp/command_spec.ts";
import { type Command, print, printError } from "./command.ts";

/** The command. */
export const BCP_COMMAND: Command = {
  name: "bcp",
  summary: "a drop-in `bcp`: inspect, validate, encode, decode and stats of BCP files",
  help: () =>
    `${toHelp()}
Examples:
  deno run --allow-read=. mod.ts bcp decode context.bcp --mode minimal
  deno run --allow-read=. --allow-write=. mod.ts bcp encode manifest.json -o context.bcp
`,
  answersHelp: true,
  run: (args) => runBcp(args, FILES),
};

/** What the reference writes to when it is told to: a payload that goes into a pipe. */
const STDOUT_PATH = "/dev/stdout";

const FILES: CommandIo = { readFile, writeFile, stdout: print, stderr: printError };

async function readFile(path: string): Promise<ReadOutcome> {
  const problem = await findDenial("read", path);
  if (problem !== undefined) return { kind: "failed", reason: problem, isMissing: false };
  try {
    return { kind: "read", bytes: await Deno.readFile(path) };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    return { kind: "failed", reason: toSystemWords(error), isMissing };
  }
}

async function writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome> {
  if (path === STDOUT_PATH) {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
    return { kind: "written" };
  }
  const folder = folderOf(path);
  const problem = await findDenial("write", folder) ?? await findDenial("read", folder);
  if (problem !== undefined) return { kind: "failed", reason: problem };
  try {
    await replaceFile(await findFile(path), bytes);
    return { kind: "written" };
  } catch (error) {
    return { kind: "failed", reason: toSystemWords(error) };
  }
}

/** The file behind a name: as with the reference, a link is written through, and a missing file is made. */
async function findFile(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}

/** Makes the new file beside the old one and gives it its name, so that there is never half a file. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const info = await findInfo(path);
  // A device or pipe is not replaced; a directory is left to say what it is.
  if (info !== undefined && !info.isFile) return await Deno.writeFile(path, bytes);
  const scratch = `${folderOf(path)}/.${crypto.randomUUID()}.part`;
  try {
    await Deno.writeFile(scratch, bytes, { createNew: true });
    await Deno.rename(scratch, path);
  } catch (error) {
    await Deno.remove(scratch).catch(() => {});
    throw error;
  }
}

async function findInfo(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Asked first, so that Deno never asks; the reference has no such case. */
async function findDenial(name: "read" | "write", path: string): Promise<string | undefined> {
  const { state } = await Deno.permissions.query({ name, path });
  return state === "granted"
    ? undefined
    : `Deno does not allow it; run with --allow-${name}=${path}`;
}

/** The operating system's words, which Deno follows with what it was doing: `… (os error 2): open 'x'`. */
function toSystemWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^.*?\(os error \d+\)/.exec(message)?.[0] ?? message;
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

// The `bcp` fixture, told where Deno and its cache are: a program that the launcher starts has nothing of the
// environment that the tests were started with, and Deno may lie anywhere.

import { fromFileUrl } from "@std/path";
import { findDenoDir } from "../../src/process/host_probe.ts";

/** The fixture itself; it finds Deno where the PATH that it is given has it. */
export const BCP_FIXTURE = fromFileUrl(new URL("../../fixtures/programs/bcp", import.meta.url));

/** A program in a folder that runs the fixture, and what it has to be able to read besides the repository. */
export async function writeBcpProgram(
  folder: string,
): Promise<{ readonly program: string; readonly read: readonly string[] }> {
  const deno = Deno.execPath();
  const denoDir = await findDenoDir() ?? "";
  const lines = [
    "#!/bin/sh",
    `export DENO_DIR='${denoDir}' PATH='${deno.slice(0, deno.lastIndexOf("/"))}':"$PATH"`,
    `exec '${BCP_FIXTURE}' "$@"`,
    "",
  ];
  const program = `${folder}/program`;
  await Deno.writeTextFile(program, lines.join("\n"), { mode: 0o755 });
  return { program, read: [deno, denoDir] };
}

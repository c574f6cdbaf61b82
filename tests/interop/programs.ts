// Starts the client programs of these tests, each with no more permission than it needs.

import { fromFileUrl } from "@std/path";
import type { Report } from "./clients/report.ts";
import type { ServerCommand } from "./clients/tour.ts";

/** Longer than any client takes, a first download included; only there so that nothing hangs. */
const PROGRAM_TIMEOUT_MS = 240_000;

const FIXTURE = pathOf("../../fixtures/servers/everything/main.ts");
const CONFIG = pathOf("clients/deno.json");
/** The SDKs hand HOME and PATH on to the server; other variables that they look at read as unset. */
const CLIENT_FLAGS = ["--allow-run=deno", "--allow-env=HOME,PATH", "--ignore-env"];

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** How clients start the everything fixture. Its dependencies are in the cache then: clients hide the environment. */
export async function prepareServer(): Promise<ServerCommand> {
  await runToEnd("deno", ["cache", "--quiet", FIXTURE]);
  const { stdout } = await runToEnd("deno", ["info", "--json"]);
  const { denoDir }: { denoDir: string } = JSON.parse(stdout);
  return {
    command: "deno",
    args: ["run", "--no-prompt", "--quiet", FIXTURE],
    env: { DENO_DIR: denoDir },
  };
}

/** Runs an SDK client's program to its end. */
export async function runSdkClient(name: string, args: readonly string[]): Promise<Report> {
  const program = pathOf(`clients/${name}.ts`);
  const flags = ["run", "--no-prompt", "--quiet", "--config", CONFIG, ...CLIENT_FLAGS];
  const { stdout } = await runToEnd("deno", [...flags, program, ...args]);
  return JSON.parse(stdout);
}

/**
 * Runs a program to its end; what it writes to stderr is shown.
 *
 * @throws Error when it fails or takes too long.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  input = "",
): Promise<Ended> {
  const command = new Deno.Command(program, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  });
  const child = command.spawn();
  const timer = setTimeout(() => child.kill(), PROGRAM_TIMEOUT_MS);
  try {
    const [output] = await Promise.all([child.output(), writeAll(child.stdin, input)]);
    if (!output.success) throw new Error(`"${program}" ended with ${output.code}`);
    return { code: output.code, stdout: new TextDecoder().decode(output.stdout) };
  } finally {
    clearTimeout(timer);
  }
}

async function writeAll(sink: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = sink.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
}

/** The path of a file of these tests. */
export function pathOf(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}

// Starts the client programs of these tests, each with no more permission than it needs.

import { fromFileUrl } from "@std/path";
import type { Report } from "./clients/report.ts";
import type { ServerCommand, ServerPlace } from "./clients/tour.ts";

/** Longer than any client takes, a first download included; only there so that nothing hangs. */
const PROGRAM_TIMEOUT_MS = 240_000;

/** The everything fixture. */
export const FIXTURE = pathOf("../../fixtures/servers/everything/main.ts");
const CONFIG = pathOf("clients/deno.json");
/** Variables that the SDKs look at read as unset, but for those that they hand on to a server that they start. */
const CLIENT_FLAGS = ["--ignore-env"];
const STARTER_FLAGS = ["--allow-run=deno", "--allow-env=HOME,PATH"];

/** How clients start the everything fixture. Its dependencies are in the cache then: clients hide the environment. */
export async function prepareServer(): Promise<ServerCommand> {
  await runToEnd("deno", ["cache", "--quiet", FIXTURE]);
  const { denoDir }: { denoDir: string } = JSON.parse(await runToEnd("deno", ["info", "--json"]));
  return {
    command: "deno",
    args: ["run", "--no-prompt", "--quiet", FIXTURE],
    env: { DENO_DIR: denoDir },
  };
}

/** Runs an SDK client's program to its end. */
export async function runSdkClient(
  name: string,
  args: readonly string[],
  place: ServerPlace,
): Promise<Report> {
  const program = pathOf(`clients/${name}.ts`);
  const reach = "url" in place ? [`--allow-net=${new URL(place.url).host}`] : STARTER_FLAGS;
  const flags = ["run", "--no-prompt", "--quiet", "--config", CONFIG, ...CLIENT_FLAGS, ...reach];
  return JSON.parse(await runToEnd("deno", [...flags, program, ...args, JSON.stringify(place)]));
}

/**
 * Runs a program to its end and returns what it wrote to stdout.
 *
 * @throws Error with its stderr when it fails or takes too long.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  input = "",
): Promise<string> {
  const command = new Deno.Command(program, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  const timer = setTimeout(() => child.kill(), PROGRAM_TIMEOUT_MS);
  try {
    const [output] = await Promise.all([child.output(), writeAll(child.stdin, input)]);
    const decoder = new TextDecoder();
    if (output.success) return decoder.decode(output.stdout);
    throw new Error(`"${program}" ended with ${output.code}: ${decoder.decode(output.stderr)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a program is on PATH. */
export async function isInstalled(program: string): Promise<boolean> {
  try {
    await runToEnd(program, ["--version"]);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
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

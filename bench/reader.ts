// `read_bcp_file` end to end over stdio: the codec in the server against a `bcp` program behind the launcher, in the
// same run. The program is the fixture, and beside it the cheapest program there could be, which only prints a text.
// `deno task bench:reader`.

import { fromFileUrl } from "@std/path";
import { LineClient } from "../fixtures/demo/line_client.ts";
import { toMedian } from "./rounds.ts";

const ROOT = fromFileUrl(new URL("../fixtures/demo/shelf", import.meta.url));
const FIXTURE = fromFileUrl(new URL("../fixtures/programs/bcp", import.meta.url));
const ROUNDS = 40;
const WARM_UP = 5;
/** What the codec must gain over a program. */
const MIN_RATIO = 10;

interface Contender {
  readonly name: string;
  readonly flags: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const EMBEDDED: Contender = { name: "embedded", flags: [], args: ["embedded"], env: {} };
const CONTENDERS: readonly Contender[] = [
  EMBEDDED,
  toProgram("bcp fixture", FIXTURE),
  toProgram("/bin/echo", "/bin/echo"),
];

Deno.exitCode = await main();

async function main(): Promise<number> {
  const medians = new Map<string, number>();
  const clients = CONTENDERS.map(start);
  try {
    for (const [index, client] of clients.entries()) {
      await client.request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "bench", version: "1.0.0" },
      }).answer;
      client.send({ method: "notifications/initialized" });
      if (index > 0) continue;
      await call(client, "encode_bcp_file", {
        manifest_path: "context.json",
        output_path: "bench.bcp",
      });
    }
    const times = clients.map((): number[] => []);
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      for (const [index, client] of clients.entries()) {
        const startedAt = performance.now();
        await call(client, "read_bcp_file", { path: "bench.bcp" });
        if (round >= WARM_UP) times[index]?.push(performance.now() - startedAt);
      }
    }
    for (const [index, { name }] of CONTENDERS.entries()) {
      medians.set(name, toMedian(times[index] ?? []));
    }
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]();
    await Deno.remove(`${ROOT}/bench.bcp`).catch(() => {});
  }
  return report(medians);
}

function report(medians: ReadonlyMap<string, number>): number {
  const base = medians.get(EMBEDDED.name) ?? Number.NaN;
  let isReached = true;
  for (const [name, median] of medians) {
    const ratio = median / base;
    const verdict = name === "bcp fixture" ? ` (at least ${MIN_RATIO}: ${ratio >= MIN_RATIO})` : "";
    print(
      `${name.padEnd(12)} p50 ${median.toFixed(2).padStart(8)} ms  ${ratio.toFixed(1)} ×${verdict}`,
    );
    if (verdict !== "" && !(ratio >= MIN_RATIO)) isReached = false;
  }
  return isReached ? 0 : 1;
}

function toProgram(name: string, program: string): Contender {
  return {
    name,
    flags: [`--allow-run=${program}`, "--allow-env=BCP_CLI_PATH"],
    args: ["cli"],
    env: { BCP_CLI_PATH: program },
  };
}

function start({ flags, args, env }: Contender): LineClient {
  const files = [`--allow-read=${ROOT}`, `--allow-write=${ROOT}`];
  const mode = ["mod.ts", "reader", "--log-level", "error", "--root", ROOT, "--engine"];
  return new LineClient(["run", "--no-prompt", "--quiet", ...files, ...flags, ...mode, ...args], {
    env,
  });
}

async function call(client: LineClient, name: string, given: unknown): Promise<void> {
  const { result, error } = await client.request("tools/call", { name, arguments: given }).answer;
  if (error !== undefined || Object(result).isError === true) {
    throw new Error(`Cannot measure "${name}": ${JSON.stringify(error ?? result)}`);
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

// Compares Bulkhead over stdio with the official SDK on the same runtime, with the same tool, in
// the same run. `--quick` measures less; `--check` exits with 1 when a target is missed.

import { type Plan, runMeasurement } from "./measure.ts";
import { renderTable, renderVerdicts, toVerdicts } from "./report.ts";
import { SERVERS } from "./servers.ts";

const FULL: Plan = {
  startRounds: 40,
  rounds: 9,
  pipelined: 20_000,
  sequential: { count: 100, rounds: 60 },
  sizes: [
    { count: 1_000, rounds: 15 },
    { count: 10_000, rounds: 7 },
    { count: 100_000, rounds: 3 },
  ],
};

const QUICK: Plan = {
  startRounds: 5,
  rounds: 3,
  pipelined: 10_000,
  sequential: { count: 50, rounds: 24 },
  sizes: [
    { count: 1_000, rounds: 7 },
    { count: 10_000, rounds: 3 },
    { count: 100_000, rounds: 1 },
  ],
};

const FLAGS: readonly string[] = ["--quick", "--check"];

if (import.meta.main) Deno.exitCode = await main(Deno.args);

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined) {
    await print(Deno.stderr, `Unknown argument "${unknown}", use ${FLAGS.join(" or ")}\n`);
    return 2;
  }
  const plan = args.includes("--quick") ? QUICK : FULL;
  const measurement = await runMeasurement(SERVERS, plan);
  const verdicts = toVerdicts(measurement, plan);
  await print(
    Deno.stdout,
    `${renderTable(measurement, plan)}\n${renderVerdicts(verdicts)}`,
  );
  return args.includes("--check") && verdicts.some(({ reached }) => !reached) ? 1 : 0;
}

async function print(output: typeof Deno.stdout, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += await output.write(bytes.subarray(written));
  }
}

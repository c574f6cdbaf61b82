// Compares Bulkhead over HTTP with the official SDK, mcp-lite and a bare echo on the same runtime, with the same tool,
// in the same run; wrk is the load. `--quick` measures less; `--check` exits with 1 when a target is missed or unsure.

import { type Plan, runMeasurement } from "./measure.ts";
import { renderTable, renderVerdicts, toVerdicts } from "./report.ts";
import { SERVERS } from "./servers.ts";

const FULL: Plan = {
  connections: [1, 32, 256],
  rounds: 10,
  seconds: 2,
  retries: 300,
  events: 100,
  sessions: 1000,
};
const QUICK: Plan = {
  connections: [1, 32, 256],
  rounds: 5,
  seconds: 1,
  retries: 300,
  events: 30,
  sessions: 1000,
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
  const { figures, remark } = await runMeasurement(SERVERS, plan);
  const verdicts = toVerdicts(figures, plan);
  const report = `${renderTable(figures, plan)}\n${renderVerdicts(verdicts)}\n${remark}\n`;
  await print(Deno.stdout, report);
  return args.includes("--check") &&
      verdicts.some(({ reached }) => reached === false || reached === "unsure")
    ? 1
    : 0;
}

async function print(output: typeof Deno.stdout, text: string): Promise<void> {
  await new Blob([text]).stream().pipeTo(output.writable, { preventClose: true });
}

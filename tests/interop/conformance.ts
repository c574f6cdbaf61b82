// Runs the official conformance suite against the everything fixture over HTTP, everything that it has for servers:
// both requirement sets, scored and not, and the older revisions. Prints each check that is no success; exits with 1
// when one failed or only warned, or when there are not as many as there should be.

import { HttpFixture } from "./http_fixture.ts";
import { pathOf, runToEnd } from "./programs.ts";

const PACKAGE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const CONFIG = pathOf("suite/deno.json");
/** Here, because the permission to write there must be given by name. */
const SCRATCH = "/tmp";

/** One run of the suite, and how many checks of it succeed when all do. */
interface Run {
  readonly name: string;
  readonly args: readonly string[];
  readonly checks: number;
}

const RUNS: readonly Run[] = [
  { name: "2025-11-25", args: ["--requirements", "2025-11-25"], checks: 84 },
  { name: "2026-07-28", args: ["--requirements", "2026-07-28"], checks: 196 },
  {
    name: "2025-06-18, all",
    args: ["--suite", "all", "--spec-version", "2025-06-18"],
    checks: 56,
  },
  {
    name: "2025-03-26, all",
    args: ["--suite", "all", "--spec-version", "2025-03-26"],
    checks: 3,
  },
];

/** A check as the suite writes it down. */
interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly description?: string;
  readonly errorMessage?: string;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

if (import.meta.main) Deno.exitCode = await main();

async function main(): Promise<number> {
  const npm = await findPackages();
  let passed = 0;
  let failed = 0;
  let isWhole = true;
  for (const run of RUNS) {
    const tally = await check(run, npm);
    if (tally.passed !== run.checks) isWhole = false;
    passed += tally.passed;
    failed += tally.failed;
    await print(`${run.name}: ${tally.passed} of ${run.checks} checks passed\n`);
  }
  await print(`${passed} passed, ${failed} failed\n`);
  return isWhole && failed === 0 ? 0 : 1;
}

/** Where Deno keeps packages: the suite reads its requirement sets there. */
async function findPackages(): Promise<string> {
  const { npmCache }: { npmCache: string } = JSON.parse(await runToEnd("deno", ["info", "--json"]));
  return npmCache;
}

/** Runs the suite once, on a fixture of its own: some scenarios change what it offers. */
async function check({ name, args }: Run, npm: string): Promise<Tally> {
  await using fixture = await HttpFixture.start();
  const folder = await Deno.makeTempDir({ dir: SCRATCH, prefix: "conformance-" });
  try {
    const flags = [
      "--config",
      CONFIG,
      "--frozen",
      "--quiet",
      "--no-prompt",
      `--allow-net=${new URL(fixture.url).host}`,
      `--allow-read=${npm}`,
      `--allow-write=${folder}`,
      "--ignore-env",
    ];
    const command = [PACKAGE, "server", "--url", fixture.url, ...args, "-o", folder];
    // It exits with 1 for a failed check too; what it wrote down tells more.
    const note = await runToEnd("deno", ["run", ...flags, ...command]).then(() => "", String);
    const tally = await readChecks(name, folder);
    if (tally.passed === 0) await print(`${note}\n`);
    return tally;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function readChecks(name: string, folder: string): Promise<Tally> {
  let passed = 0;
  let failed = 0;
  for await (const { name: entry } of Deno.readDir(folder)) {
    const scenario = entry.replace(/^server-(.*?)-\d{4}-.*$/, "$1");
    const text = await Deno.readTextFile(`${folder}/${entry}/checks.json`);
    const checks: readonly Check[] = JSON.parse(text);
    for (const { id, status, description, errorMessage } of checks) {
      if (status === "SUCCESS") passed += 1;
      else await print(`${status} ${name} ${scenario} ${id}: ${errorMessage ?? description}\n`);
      if (status === "FAILURE" || status === "WARNING") failed += 1;
    }
  }
  return { passed, failed };
}

async function print(text: string): Promise<void> {
  await new Blob([text]).stream().pipeTo(Deno.stdout.writable, { preventClose: true });
}

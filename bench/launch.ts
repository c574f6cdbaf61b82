// deno-lint-ignore-file no-console
// Overhead of the launcher over a bare Deno.Command(...).output() of the same argv, environment and directory, for a
// plain, a bubblewrap and a Deno child; and launches a second at concurrency 8. Both sides alternate in one run. What a
// leash or a sandbox itself costs is the difference between the lines.
//
// deno run --no-prompt --allow-run=bwrap,deno,kill,ps,sh,true --allow-read=. bench/launch.ts

import { resolveGrants } from "../src/permission/grants.ts";
import { parseManifest } from "../src/permission/manifest_parse.ts";
import { probeWalls } from "../src/process/host_probe.ts";
import { ProcessLauncher } from "../src/process/launcher.ts";
import { Watchdog } from "../src/process/watchdog.ts";
import { planLaunch } from "../src/sandbox/plan_launch.ts";

const REPOSITORY = new URL("..", import.meta.url).pathname;
const MODULE = `${REPOSITORY}fixtures/programs/nothing.ts`;
const CASES = [
  { name: "plain", rules: { command: "true", sandbox: "off", unleashed: true }, rounds: 300 },
  { name: "leash", rules: { command: "true", sandbox: "off" }, rounds: 300 },
  { name: "bubblewrap", rules: { command: "true", sandbox: "require" }, rounds: 200 },
  {
    name: "deno",
    rules: { kind: "deno", command: MODULE, sandbox: "off", unleashed: true },
    rounds: 60,
  },
  { name: "deno+leash", rules: { kind: "deno", command: MODULE, sandbox: "off" }, rounds: 60 },
  { name: "deno+bubblewrap", rules: { kind: "deno", command: MODULE }, rounds: 60 },
] as const;
const CONCURRENCY = 8;
const LAUNCHES = 200;

/** With given input both sides run the same argv; an empty stdin adds a watcher that needs an open pipe. */
const EMPTY = new Uint8Array(0);

const host = await probeWalls({ denoDir: undefined });
const never = new AbortController().signal;
await using watchdog = new Watchdog();

for (const { name, rules, rounds } of CASES) {
  const text = JSON.stringify({
    mode: "bench",
    programs: { child: { ...rules, limits: { maxConcurrent: CONCURRENCY } } },
  });
  const child = parseManifest(text).programs.get("child");
  if (child === undefined) throw new TypeError("Manifest lost its program");
  const grants = resolveGrants("child", child, { roots: [], cwd: "/", tmp: "/tmp" });
  const request = {
    args: [],
    env: {},
    cwd: "/",
    stdin: "piped",
    shapes: new Map(),
    mark: "bench",
  } as const;
  const planned = planLaunch(grants, request, host);
  if (planned.kind === "refused") {
    console.log(`${name}: skipped, ${planned.reason}`);
    continue;
  }
  const { plan } = planned;
  const [program, ...args] = plan.argv;
  const stdin = plan.stop === "marked" ? {} : { stdin: EMPTY };
  const launcher = new ProcessLauncher({
    grants: new Map([["child", grants]]),
    host,
    roots: [],
    shutdown: never,
    audit: () => {},
    watchdog,
  });
  const runBare = async () => {
    await new Deno.Command(program, {
      args,
      clearEnv: true,
      env: { ...plan.env },
      cwd: "/",
      stdin: "null",
    }).output();
  };
  const runOurs = async () => {
    const outcome = await launcher.run({ name: "child", args: [], cwd: "/", ...stdin }, never);
    if (outcome.kind !== "exited" || outcome.code !== 0) throw new Error(JSON.stringify(outcome));
  };
  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds + 5; round++) {
    for (const [run, times] of [[runBare, bare], [runOurs, ours]] as const) {
      const startedAt = performance.now();
      await run();
      if (round >= 5) times.push(performance.now() - startedAt);
    }
  }
  const startedAt = performance.now();
  let left = name.startsWith("deno") ? LAUNCHES / 4 : LAUNCHES;
  const count = left;
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    while (left-- > 0) await runOurs();
  }));
  const perSecond = count / (performance.now() - startedAt) * 1000;
  const [p50Bare, p50Ours] = [toMedian(bare), toMedian(ours)];
  console.log(
    `${name.padEnd(16)} bare p50 ${p50Bare.toFixed(2)} ms, launcher p50 ${
      p50Ours.toFixed(2)
    } ms, ` +
      `ratio ${(p50Ours / p50Bare).toFixed(3)} (≤ 1.15), ${
        perSecond.toFixed(0)
      } launches/s at ${CONCURRENCY}`,
  );
}

function toMedian(times: number[]): number {
  return times.sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? NaN;
}

// Runs the Inspector's command line many times. Started by npx, which puts the package on PATH and this on Node, the
// Inspector's own runtime. Reads a plan on stdin: `[{ "args": [...], "ownProcess": true }, ...]`; prints what each run
// wrote and how it exited. Runs share this process, one after the other, where the plan does not ask for their own: a
// start of Node costs more than the run.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** Guards against a run that never ends. */
const RUN_TIMEOUT_MS = 30_000;

const runCli = await findCli();
const plan = JSON.parse(await text(process.stdin));
// The Inspector keeps its settings in the home directory; this one is nobody's.
const home = await mkdtemp(join(tmpdir(), "interop-"));
process.env.HOME = home;
process.env.USERPROFILE = home;
const runs = [];
for (const { args, ownProcess } of plan) {
  runs.push(ownProcess ? runProcess(args) : await runHere(args));
}
const ends = await Promise.all(runs);
const leftInHome = await readdir(home);
await rm(home, { recursive: true });
process.stdout.write(JSON.stringify({ ends, leftInHome }));

async function findCli() {
  const file = join("@modelcontextprotocol", "inspector", "clients", "cli", "build", "index.js");
  for (const folder of process.env.PATH.split(delimiter)) {
    if (!folder.endsWith(join("node_modules", ".bin"))) continue;
    try {
      const { runCli } = await import(pathToFileURL(join(folder, "..", file)).href);
      return runCli;
    } catch (error) {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error("The Inspector is not on PATH: start this with npx --package");
}

function runProcess(args) {
  return new Promise((resolve) => {
    const command = ["--cli", ...args];
    const options = { timeout: RUN_TIMEOUT_MS };
    execFile("mcp-inspector", command, options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

async function runHere(args) {
  const { write } = process.stdout;
  let stdout = "";
  process.stdout.write = (chunk, encodingOrDone, done) => {
    stdout += chunk;
    (typeof encodingOrDone === "function" ? encodingOrDone : done)?.();
    return true;
  };
  try {
    await runCli([process.argv[0], "mcp-inspector", ...args]);
    return { exitCode: 0, stdout, stderr: "" };
  } catch (error) {
    return { exitCode: error.exitCode ?? 1, stdout, stderr: error.message };
  } finally {
    process.stdout.write = write;
  }
}

// `mod.ts init` killed before each system call that changes something: the file is the old one or the new one, never
// anything between; the next run completes the work, and undo still finds the way back. The kills come from strace, so
// that it is the real program that dies. Reads change nothing: dying before one is dying after the change before it.

import { assert, assertEquals } from "@std/assert";
import { InitLab } from "../e2e/init_lab.ts";

const BEFORE = '// mine\n{\n  "servers": {} // none yet\n}\n';

const ARGS = ["demo", "--client", "vscode"];

const CHANGING = [
  "mkdir",
  "openat",
  "write",
  "fsync",
  "chmod",
  "rename",
  "unlink",
  "rmdir",
  "flock",
];

/** The n-th call of its name on the files that matter. */
interface Point {
  readonly call: string;
  readonly nth: number;
  /** The call as strace writes it, without what differs from run to run. */
  readonly text: string;
}

const SCENARIOS = [
  { title: "a file that is there", has: BEFORE, undoes: false },
  { title: "a file that is not there", has: undefined, undoes: false },
  { title: "undo of a change", has: BEFORE, undoes: true },
  { title: "undo of a new file", has: undefined, undoes: true },
] as const;

const CAN_TRACE = await canTrace();

for (const { title, has, undoes } of SCENARIOS) {
  Deno.test(`init is killed before each change: ${title}`, async (t) => {
    if (!CAN_TRACE) {
      // deno-lint-ignore no-console -- a skipped test must be seen
      console.warn("init is NOT tested against kills: there is no strace that may trace");
      return;
    }
    const prepare = async (lab: InitLab) => {
      if (has !== undefined) await lab.put(path(lab), has);
      const first = undoes ? await lab.run(ARGS) : undefined;
      assertEquals(first?.code ?? 0, 0, first?.stderr);
    };
    const args = undoes ? ["demo", "--undo"] : ARGS;
    const { points, after } = await findPoints(prepare, args);
    assert(points.filter(({ call }) => call === "rename").length >= 1, "nothing was renamed");

    for (const [index, point] of points.entries()) {
      await t.step(`${index + 1}: ${point.text}`, async () => {
        await using lab = await InitLab.open();
        if (has !== undefined) await lab.put(path(lab), has);
        const untouched = await lab.snapshot();
        if (undoes) assertEquals((await lab.run(ARGS)).code, 0);
        const before = await read(lab);
        const killed = await trace(lab, args, point);
        assert(killed.code !== 0, "it was not killed");
        assertEquals(callsOf(killed.log).at(-1), point, "it was killed somewhere else");

        const left = await read(lab);
        assert(left === before || left === after, `a mixture: ${left}`);
        const again = await lab.run(args);
        assertEquals(again.code, 0, again.stderr);
        assertEquals(await read(lab), after);
        const undone = await lab.run(["demo", "--undo"]);
        assertEquals(undone.code, 0, undone.stderr);
        assertEquals(await lab.snapshot(), untouched);
      });
    }
  });
}

Deno.test("init puts the former content back when what it wrote does not read back", async () => {
  if (!CAN_TRACE) return;
  await using lab = await InitLab.open();
  await lab.put(path(lab), BEFORE);
  const { log } = await trace(lab, ARGS);
  await Deno.writeTextFile(path(lab), BEFORE);
  await Deno.remove(`${lab.state}/init.json`);
  // Of the reads of the file, the one after the rename is the last.
  const nth = callsOf(log).filter(({ call }) => call === "openat").length;
  const failed = await trace(lab, ARGS, { call: "openat", nth, text: "" }, "error=EIO");
  assertEquals(failed.code, 1, failed.stderr);
  assert(failed.stderr.includes("the former content is restored"), failed.stderr);
  assertEquals(await read(lab), BEFORE);
});

function path(lab: InitLab): string {
  return `${lab.project}/.vscode/mcp.json`;
}

async function read(lab: InitLab): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path(lab));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

interface Traced {
  readonly code: number;
  readonly stderr: string;
  readonly log: string;
}

/**
 * Runs init under strace, which looks only at the files that matter: so the n-th call is the same in every run. The
 * copy is not among them, because its name differs each time; half a copy is of no consequence to the file.
 */
async function trace(
  lab: InitLab,
  args: readonly string[],
  point?: Point,
  fault = "signal=SIGKILL",
): Promise<Traced> {
  const file = `${lab.root}/trace`;
  const paths = [
    path(lab),
    `${path(lab)}.bulkhead-tmp`,
    `${lab.project}/.vscode`,
    ...["", "/lock", "/backups", "/init.json", "/init.json.tmp"].map((end) => lab.state + end),
  ].flatMap((known) => ["-P", known]);
  const inject = point === undefined
    ? []
    : ["-e", `inject=${point.call}:${fault}:when=${point.nth}`];
  const calls = ["-e", `trace=${CHANGING.join(",")}`];
  const { code, stderr } = await lab.run(args, {
    command: ["strace", "-f", "-qq", "-y", "-o", file, ...paths, ...calls, ...inject],
  });
  return { code, stderr, log: (await Deno.readTextFile(file)).replaceAll(lab.root, "") };
}

/** Traces one run to its end: the calls that change something, and what the file holds then. */
async function findPoints(
  prepare: (lab: InitLab) => Promise<void>,
  args: readonly string[],
): Promise<{ readonly points: readonly Point[]; readonly after: string | undefined }> {
  await using lab = await InitLab.open();
  await prepare(lab);
  const traced = await trace(lab, args);
  assertEquals(traced.code, 0, traced.stderr);
  const calls = callsOf(traced.log);
  // Before the lock is held nothing of ours is touched.
  const points = calls.slice(calls.findIndex(({ call }) => call === "flock"))
    .filter(({ call, text }) => call !== "openat" || text.includes("O_CREAT"));
  return { points, after: await read(lab) };
}

function callsOf(log: string): readonly Point[] {
  const counts = new Map<string, number>();
  return log.split("\n").flatMap((line) => {
    const [, text = "", call = ""] =
      /^\d+ +((\w+)\([^\n]*?)(?:\)? += .*| <unfinished.*)?$/.exec(line) ?? [];
    if (call === "") return [];
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    const stable = text.replace(/^(write\([^,]*),.*$/, "$1").replace(/\((?:\d+|AT_FDCWD)</, "(<");
    return [{ call, nth, text: stable }];
  });
}

async function canTrace(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("strace", {
      args: ["-f", "-qq", "-o", "/dev/null", "deno", "--version"],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

// Attempts to outlive a launch: by forking, leaving the session, ignoring TERM, holding pipes. Afterwards no process
// of the launch may run, whichever way the launch ended.

import { assert, assertEquals } from "@std/assert";
import { describeOutcome, toExitCode } from "../../src/process/outcome.ts";
import {
  Compartment,
  countProcesses,
  toSuccess,
  toText,
  waitForNone,
  type Wall,
} from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const NATIVE: readonly Wall[] = ["bubblewrap", "unconfined"];

const UNLEASHED = { wall: "unconfined", rules: { unleashed: true } } as const;

/** Sleeping times double as marks; each is used once. */
let next = 0;
function toMark(): string {
  next += 1;
  return `61.${Deno.pid}${next}`;
}

for (const wall of NATIVE) {
  for (const attempt of ["hang", "setsid", "nohup"]) {
    test(`${wall} child that tries "${attempt}" is gone after its timeout`, async () => {
      await using c = await Compartment.create({ wall });
      const mark = toMark();
      const outcome = await c.run([attempt, mark], { timeoutMs: 300 });
      assertEquals(outcome, { kind: "timed_out", afterMs: 300 });
      await waitForNone(mark);
    });
  }

  test(`${wall} child that double-forks and ends by timeout leaves nothing`, async () => {
    await using c = await Compartment.create({ wall });
    const mark = toMark();
    const outcome = await c.run(["run", "bash", "-c", `(setsid sleep ${mark} &); sleep 30`], {
      timeoutMs: 300,
    });
    assertEquals(outcome.kind, "timed_out");
    await waitForNone(mark);
  });

  test(`${wall} child that ignores TERM is killed after the grace`, async () => {
    await using c = await Compartment.create({ wall });
    const outcome = await c.run(["ignore-term"], { timeoutMs: 300 });
    assertEquals(outcome.kind, "timed_out");
    assertEquals(c.events.map(({ kind }) => kind), ["timeout", "kill", "launch"]);
  });

  test(`${wall} child that catches TERM may finish within the grace`, async () => {
    await using c = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    const outcome = await c.run(["catch-term", `${c.root}/caught`], { timeoutMs: 400 });
    assertEquals(outcome.kind, "timed_out");
    assertEquals(await Deno.readTextFile(`${c.root}/caught`), "caught");
    assertEquals(c.events.some(({ kind }) => kind === "kill"), false);
  });

  test(`${wall} child that hangs at exit is ended`, async () => {
    await using c = await Compartment.create({ wall });
    assertEquals((await c.run(["hang-at-exit"], { timeoutMs: 300 })).kind, "timed_out");
  });

  test(`${wall} child is gone after a cancel`, async () => {
    await using c = await Compartment.create({ wall });
    const mark = toMark();
    const cancel = new AbortController();
    const running = c.run(["setsid", mark], {}, cancel.signal);
    while (await countProcesses(mark) === 0);
    cancel.abort();
    assertEquals(await running, { kind: "canceled" });
    await waitForNone(mark);
  });

  for (const attempt of ["hold-pipe", "hold-pipe-setsid"]) {
    test(`${wall} grandchild that tries "${attempt}" does not hang the call`, async () => {
      await using c = await Compartment.create({ wall });
      const mark = toMark();
      const startedAt = performance.now();
      const outcome = await c.run([attempt, mark]);
      assertEquals(toSuccess(outcome), "parent-done", toText(outcome));
      // The grandchild sleeps for a minute; anything below shows that it was not waited for.
      assert(performance.now() - startedAt < 30_000);
      await waitForNone(mark);
    });
  }
}

/** Leaves the group, the session and the parent behind, and the environment with them. */
const WIPE = 'exec env -i setsid sh -c "setsid sleep $1 >/dev/null 2>&1 & exec sleep $1"';

for (const wall of NATIVE) {
  test(`${wall} child that daemonises and exits leaves nothing`, async () => {
    await using c = await Compartment.create({ wall });
    const mark = toMark();
    assertEquals(toSuccess(await c.run(["double-fork", mark])), "forked");
    await waitForNone(mark);
  });

  test(`${wall} child whose descendants wipe their environment leaves nothing`, async () => {
    await using c = await Compartment.create({ wall });
    const mark = toMark();
    const script = `(${WIPE.replaceAll("$1", mark)} >/dev/null 2>&1 &); exec sleep 30`;
    const outcome = await c.run(["run", "bash", "-c", script], { timeoutMs: 400 });
    assertEquals(outcome.kind, "timed_out");
    await waitForNone(`sleep ${mark}`);
  });
}

for (const attempt of ["hang", "setsid", "nohup", "ignore-term"]) {
  test(`child without a leash that tries "${attempt}" is gone after its timeout`, async () => {
    await using c = await Compartment.create(UNLEASHED);
    const mark = toMark();
    assertEquals((await c.run([attempt, mark], { timeoutMs: 300 })).kind, "timed_out");
    await waitForNone(mark);
  });
}

test("child without a leash whose descendants wipe their environment is found by their kin", async () => {
  await using c = await Compartment.create(UNLEASHED);
  const mark = toMark();
  const script = `env -i setsid sleep ${mark} & env -i sh -c "sleep ${mark} & wait" & wait`;
  const outcome = await c.run(["run", "bash", "-c", script], { timeoutMs: 300 });
  assertEquals(outcome.kind, "timed_out");
  await waitForNone(`sleep ${mark}`);
});

test("a leash confines nothing but the lifetime", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  assertEquals(toSuccess(await c.run(["write", `${c.outside}/new`])), "done");
  assertEquals(await Deno.readTextFile(`${c.outside}/new`), "written");
  // The first process of its namespace is the leash, not the machine's.
  assertEquals((toSuccess(await c.run(["run", "cat", "/proc/1/comm"])) ?? "").trim(), "bwrap");
  const [launch] = c.events;
  assert(launch?.kind === "launch");
  assertEquals([launch.sandbox, launch.walls], ["unconfined", []]);
});

test("deno child that hangs or ignores TERM is ended", async () => {
  await using c = await Compartment.create({ wall: "deno" });
  assertEquals((await c.run(["hang", "60"], { timeoutMs: 500 })).kind, "timed_out");
  assertEquals((await c.run(["ignore-term"], { timeoutMs: 800 })).kind, "timed_out");
});

test("deno child cannot leave a process behind that it was allowed to start", async () => {
  await using c = await Compartment.create({ wall: "deno", rules: { run: ["sleep"] } });
  const mark = toMark();
  assertEquals((await c.run(["run", "sleep", mark], { timeoutMs: 800 })).kind, "timed_out");
  await waitForNone(mark);
});

test("an end is reported in words and with the usual exit codes", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  const timedOut = await c.run(["hang", "60"], { timeoutMs: 1000 });
  assertEquals(describeOutcome(timedOut), "Command timed out after 1 seconds");
  assertEquals(toExitCode(timedOut), 124);
  await using missing = await Compartment.create({
    wall: "bubblewrap",
    rules: { command: "no-such-program" },
  });
  const notFound = await missing.run([]);
  assertEquals(describeOutcome(notFound), "attempt binary not found");
  assertEquals(toExitCode(notFound), 127);
});

for (const wall of NATIVE) {
  test(`${wall} child that dies by a signal is reported as such`, async () => {
    await using c = await Compartment.create({ wall });
    for (const [signal, name] of [["SEGV", "SIGSEGV"], ["KILL", "SIGKILL"], ["ABRT", "SIGABRT"]]) {
      const outcome = await c.run(["signal", signal ?? ""]);
      assertEquals(outcome.kind === "signaled" ? outcome.signal : toText(outcome), name);
    }
  });

  test(`${wall} child that exits with a code or with nothing to say is reported as such`, async () => {
    await using c = await Compartment.create({ wall });
    const failed = await c.run(["exit", "3"]);
    assertEquals(failed.kind === "exited" && failed.code, 3);
    assertEquals(toSuccess(await c.run(["silent"])), "");
  });
}

// In a namespace the end of the program is the end of all; without one its descendants have the grace too.
test("a descendant of a child without a leash may finish within the grace too", async () => {
  await using c = await Compartment.create(UNLEASHED);
  const script = `trap 'printf caught >"$1"; exit' TERM; while :; do sleep 0.05; done`;
  const outcome = await c.run(["run", "bash", "-c", script, "bash", `${c.root}/caught`], {
    timeoutMs: 400,
  });
  assertEquals(outcome.kind, "timed_out");
  assertEquals(await Deno.readTextFile(`${c.root}/caught`), "caught");
});

test("a pipe held by a process that cannot be found does not hang the call", async () => {
  await using c = await Compartment.create({ ...UNLEASHED, host: { canFindTree: false } });
  const mark = `2.${Deno.pid}`;
  assertEquals(toSuccess(await c.run(["hold-pipe", mark])), "parent-done");
  // It still sleeps, so the call has not waited for it.
  assertEquals(await countProcesses(`sleep ${mark}`), 1);
  await waitForNone(`sleep ${mark}`);
});

test("an unconfined child is ended itself where its tree cannot be found", async () => {
  await using c = await Compartment.create({ ...UNLEASHED, host: { canFindTree: false } });
  const mark = toMark();
  assertEquals((await c.run(["hang", mark], { timeoutMs: 200 })).kind, "timed_out");
  await waitForNone(`sleep ${mark}`);
});

// Long-lived children: they answer while they live, and end when they are told to, whichever way that is.

import { assert, assertEquals } from "@std/assert";
import type { Child } from "../../src/process/child.ts";
import { Compartment, countProcesses, waitForNone, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const NEVER = new AbortController().signal;

async function spawn(c: Compartment, args: readonly string[], signal = NEVER): Promise<Child> {
  const spawned = await c.launcher.spawn({ name: "attempt", args, cwd: c.root }, signal);
  assert(spawned.kind === "running", JSON.stringify(spawned));
  return spawned.child;
}

for (const wall of ["bubblewrap", "unconfined"] satisfies readonly Wall[]) {
  test(`${wall} child echoes while it lives and ends when stdin closes`, async () => {
    await using c = await Compartment.create({ wall });
    await using child = await spawn(c, ["stdin"]);
    const reader = child.stdout.getReader();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("one"));
    assertEquals(new TextDecoder().decode((await reader.read()).value), "one");
    await writer.close();
    assertEquals((await reader.read()).done, true);
    const outcome = await child.outcome;
    assertEquals(outcome.kind === "exited" && outcome.code, 0);
    const [launch] = c.events;
    assert(c.events.length === 1 && launch?.kind === "launch");
    assertEquals([launch.stdoutBytes, launch.stderrBytes], [3, 0]);
  });

  test(`${wall} child that reads stdin ends when asked, also while the caller holds a writer`, async () => {
    await using c = await Compartment.create({ wall });
    const child = await spawn(c, ["stdin"]);
    const writer = child.stdin.getWriter();
    await child.end();
    await child.stdout.cancel();
    writer.releaseLock();
    assertEquals(c.events.some(({ kind }) => kind === "kill"), false);
  });

  test(`${wall} child that does not listen is killed with its tree`, async () => {
    await using c = await Compartment.create({ wall });
    const mark = `66.${Deno.pid}${wall.length}`;
    const script = `trap '' TERM; setsid sleep ${mark} & while :; do sleep 0.05; done`;
    const child = await spawn(c, ["become", "bash", "-c", script]);
    while (await countProcesses(mark) === 0);
    await child.end();
    await child.stdout.cancel();
    await waitForNone(mark);
    assertEquals(c.events.map(({ kind }) => kind), ["kill", "launch"]);
  });

  test(`${wall} child that does not read stdin gets TERM and its grace`, async () => {
    await using c = await Compartment.create({
      wall,
      rules: { write: ["${roots}"], limits: { graceMs: 3000 } },
    });
    const mark = `67.${Deno.pid}${wall.length}`;
    const script = `trap 'printf caught >"$1"; exit' TERM; setsid sleep ${mark} & ` +
      "echo ready; while :; do sleep 0.05; done";
    const child = await spawn(c, ["become", "bash", "-c", script, "bash", `${c.root}/caught`]);
    const reader = child.stdout.getReader();
    await reader.read();
    await child.end();
    await reader.cancel();
    assertEquals(await Deno.readTextFile(`${c.root}/caught`), "caught");
    await waitForNone(`sleep ${mark}`);
    assertEquals(c.events.map(({ kind }) => kind), ["launch"]);
  });

  test(`${wall} child ends with the signal it was started with`, async () => {
    await using c = await Compartment.create({ wall });
    const cancel = new AbortController();
    const child = await spawn(c, ["hang", "60"], cancel.signal);
    cancel.abort();
    assertEquals(await child.outcome, { kind: "canceled" });
    await child.stdout.cancel();
    const late = await c.launcher.spawn({ name: "attempt", args: [], cwd: c.root }, cancel.signal);
    assertEquals(late, { kind: "ended", outcome: { kind: "canceled" } });
  });

  test(`${wall} child that fails at once tells why`, async () => {
    await using c = await Compartment.create({ wall });
    await using child = await spawn(c, ["nonsense"]);
    const outcome = await child.outcome;
    assertEquals(outcome.kind === "exited" && outcome.stderrTail, "unknown attempt: nonsense\n");
    assertEquals(child.stderrTail(), "unknown attempt: nonsense\n");
  });
}

test("spawn() reports what cannot be started", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  const denied = await c.launcher.spawn({ name: "attempt", args: ["a\0"], cwd: c.root }, NEVER);
  assertEquals(denied.kind === "ended" && denied.outcome.kind, "denied");
  await using missing = await Compartment.create({
    wall: "unconfined",
    rules: { command: "no-such-program" },
  });
  const ended = await missing.launcher.spawn(
    { name: "attempt", args: [], cwd: missing.root },
    NEVER,
  );
  assertEquals(ended, { kind: "ended", outcome: { kind: "not_found", program: "attempt" } });
  await using hidden = await Compartment.create({
    wall: "bubblewrap",
    rules: { command: "no-such-program" },
  });
  const spawned = await hidden.launcher.spawn(
    { name: "attempt", args: [], cwd: hidden.root },
    NEVER,
  );
  assert(spawned.kind === "running");
  await using child = spawned.child;
  assertEquals(await child.outcome, { kind: "not_found", program: "attempt" });
});

test("run() is denied with the flag when Deno does not allow the program", async () => {
  await using c = await Compartment.create({ wall: "unconfined", rules: { command: "uname" } });
  const outcome = await c.run([]);
  assertEquals(outcome.kind === "denied" && outcome.reason.includes("--allow-run=uname"), true);
});

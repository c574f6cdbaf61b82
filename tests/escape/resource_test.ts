// Attempts to use up the machine: disk, shared memory, processes, waiting callers.

import { assert, assertEquals } from "@std/assert";
import { Compartment, countProcesses, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const MEBIBYTE = 1024 * 1024;

test("bubblewrap child cannot fill more than its temporary directory", async () => {
  await using c = await Compartment.create({
    wall: "bubblewrap",
    rules: { write: ["${tmp}"], limits: { tmpBytes: MEBIBYTE } },
  });
  for (const path of ["/tmp/x", "/dev/shm/x"]) {
    assertEquals(toSuccess(await c.run(["fill", path, String(4 * MEBIBYTE)])), undefined, path);
    assertEquals(toSuccess(await c.run(["fill", path, "1000"])), "done", path);
  }
  // Everything else that is not granted is read-only, the root of the file system included.
  for (const path of ["/x", "/dev/x", "/usr/x", "/proc/x", `${c.root}/x`]) {
    assertEquals(toSuccess(await c.run(["fill", path, "1"])), undefined, path);
  }
  assertEquals((await Array.fromAsync(Deno.readDir(c.root))).length, 2);
});

test("bubblewrap child's temporary files are gone with it", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { write: ["${tmp}"] } });
  assertEquals(toSuccess(await c.run(["write", "/tmp/left"])), "done");
  assertEquals(toSuccess(await c.run(["read", "/tmp/left"])), undefined);
});

test("bubblewrap child's fork bomb is bounded and gone after the launch", async () => {
  await using c = await Compartment.create({
    wall: "bubblewrap",
    rules: { limits: { maxProcesses: 24 } },
  });
  const mark = `62.${Deno.pid}`;
  const bomb = `i=0; while [ $i -lt 60 ]; do sleep ${mark} & i=$((i+1)); done; wait`;
  const running = c.run(["run", "bash", "-c", bomb], { timeoutMs: 1500 });
  let most = 0;
  let isOver = false;
  running.then(() => isOver = true);
  while (!isOver) most = Math.max(most, await countProcesses(`sleep ${mark}`));
  const outcome = await running;
  assertEquals(outcome.kind === "timed_out" || outcome.kind === "exited", true, toText(outcome));
  assertEquals(await countProcesses(`sleep ${mark}`), 0);
  // Linux does not apply the bound to the superuser; for everybody else it holds. The count includes the shell and
  // the processes of bubblewrap, which have the same words among their arguments.
  if (Deno.uid() !== 0) assert(most <= 30, `${most} processes`);
});

for (const wall of ["bubblewrap", "unconfined"] satisfies readonly Wall[]) {
  test(`${wall} child gets no more memory, processor time or file size than it is given`, async () => {
    await using bounded = await Compartment.create({
      wall,
      rules: {
        write: ["${roots}"],
        limits: {
          maxMemoryBytes: 64 * MEBIBYTE,
          maxCpuSeconds: 1,
          maxFileBytes: MEBIBYTE,
        },
      },
    });
    await using free = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    const memory = ["memory", String(128 * MEBIBYTE)];
    assertEquals(toSuccess(await bounded.run(memory)) === String(128 * MEBIBYTE), false);
    assertEquals(toSuccess(await free.run(memory)), String(128 * MEBIBYTE));
    for (const c of [bounded, free]) {
      const outcome = await c.run(["fill", `${c.root}/large`, String(4 * MEBIBYTE)]);
      assertEquals(toSuccess(outcome) === "done", c === free, toText(outcome));
    }
    assertEquals((await Deno.stat(`${bounded.root}/large`)).size, MEBIBYTE);
    const spun = await bounded.run(["spin"]);
    assertEquals(spun.kind, "signaled", toText(spun));
    assertEquals((await free.run(["spin"], { timeoutMs: 1500 })).kind, "timed_out");
  });
}

test("deno child gets no more heap than it is given", async () => {
  const limits = { maxMemoryBytes: 32 * MEBIBYTE };
  await using bounded = await Compartment.create({ wall: "deno", rules: { limits } });
  await using free = await Compartment.create({ wall: "deno" });
  assertEquals(toSuccess(await bounded.run(["memory", "2000000"])), undefined);
  assertEquals(toSuccess(await free.run(["memory", "2000000"])), "2000000");
});

test("launcher runs no more than the bound at a time and refuses what cannot wait", async () => {
  await using c = await Compartment.create({
    wall: "unconfined",
    rules: { limits: { maxConcurrent: 2 } },
  });
  const mark = `63.${Deno.pid}`;
  const cancel = new AbortController();
  const runs = Array.from({ length: 70 }, () => c.run(["hang", mark], {}, cancel.signal));
  while (await countProcesses(`sleep ${mark}`) < 2);
  // Two run, sixty-four wait, four are refused at once.
  const denied = await Promise.all(runs.slice(66));
  assertEquals(denied.map(({ kind }) => kind), ["denied", "denied", "denied", "denied"]);
  assertEquals(await countProcesses(`sleep ${mark}`), 2);
  cancel.abort();
  const rest = await Promise.all(runs.slice(0, 66));
  assertEquals(rest.every(({ kind }) => kind === "canceled"), true);
  assertEquals(await countProcesses(`sleep ${mark}`), 0);
});

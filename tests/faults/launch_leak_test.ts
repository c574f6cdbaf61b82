// Two hundred launches, a third cancelled, a third timed out, a third killed abruptly with their server: afterwards no
// process, temporary file or descriptor of ours remains.

import { assert, assertEquals } from "@std/assert";
import {
  Compartment,
  countProcesses,
  toText,
  waitForNone,
  type Wall,
} from "../escape/compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const THIRD = 67;
const CONCURRENCY = 8;

/** What Deno's own threads may have opened meanwhile; a leak of ours would be a multiple of the launches. */
const OWN_DESCRIPTORS = 4;
const SERVER = new URL("../../fixtures/programs/launch_many.ts", import.meta.url).pathname;
const NATIVE = new URL("../../fixtures/programs/attempt", import.meta.url).pathname;

const LAUNCHES: readonly { name: string; wall: Wall; unleashed: boolean }[] = [
  { name: "bubblewrap", wall: "bubblewrap", unleashed: false },
  { name: "unconfined", wall: "unconfined", unleashed: false },
  { name: "unleashed", wall: "unconfined", unleashed: true },
];

for (const { name, wall, unleashed } of LAUNCHES) {
  test(`${name} launches that are cancelled or timed out leave nothing behind`, async () => {
    await using c = await Compartment.create({
      wall,
      rules: { write: ["${roots}"], unleashed, limits: { maxConcurrent: CONCURRENCY } },
    });
    // The first launch opens what stays open for the life of the process.
    await c.run(["silent"]);
    const before = await countDescriptors();
    const files = await countTemporary();
    const mark = `64.${Deno.pid}${name.charCodeAt(2)}`;
    let left = 2 * THIRD;
    async function work(): Promise<void> {
      while (left-- > 0) {
        if (left % 2 === 0) {
          const outcome = await c.run(["setsid", mark], { timeoutMs: 40 });
          assertEquals(outcome.kind, "timed_out", toText(outcome));
          continue;
        }
        const cancel = new AbortController();
        const running = c.run(["setsid", mark], {}, cancel.signal);
        // Cancelled at different moments: before the start, while starting, while running.
        for (let turn = 0; turn < left % 16; turn++) await countDescriptors();
        cancel.abort();
        const outcome = await running;
        assertEquals(outcome.kind, "canceled", toText(outcome));
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    await waitForNone(mark);
    assertEquals(await countTemporary(), files);
    assertEquals((await Array.fromAsync(Deno.readDir(c.root))).length, 2);
    // Deno closes descriptors in the background, and opens a few for itself when many children run at once.
    let after = await countDescriptors();
    for (let turn = 0; after > before && turn < 50; turn++) after = await countDescriptors();
    assert(after <= before + OWN_DESCRIPTORS, `${before} descriptors before, ${after} after`);
  });
}

/** `hold` is what ties the children to the server: a sandbox, a leash, or a mark that the watchdog looks for. */
const KILLED = [
  { kind: "native", hold: "sandbox", count: THIRD },
  { kind: "native", hold: "leash", count: THIRD },
  { kind: "native", hold: "mark", count: THIRD },
  { kind: "deno", hold: "sandbox", count: 4 },
  { kind: "deno", hold: "leash", count: 4 },
  { kind: "deno", hold: "mark", count: 4 },
] as const;

for (const { kind, hold, count } of KILLED) {
  test(`${kind} launches held by a ${hold} end with a server that is killed abruptly`, async () => {
    const seconds = `65.${Deno.pid}${hold.length}`;
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-escape-" }));
    const server = new Deno.Command("deno", {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        `--allow-read=${root}`,
        `--allow-write=${root}`,
        `--allow-run=bwrap,deno,kill,ps,sh,${NATIVE}`,
        SERVER,
        String(count),
        seconds,
        kind,
        hold,
        root,
      ],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = server.stdout.getReader();
    const { value } = await reader.read();
    const [ready, mark = ""] = new TextDecoder().decode(value).trim().split(" ");
    assertEquals([ready, mark.length], ["ready", 36]);
    assertEquals(await countProcesses(mark), hold === "leash" ? 0 : 1);
    // While they run, empty files and directories stand in for the protected names.
    assertEquals((await Array.fromAsync(Deno.readDir(root))).length > 0, hold === "sandbox");
    // The programs, and the processes of bubblewrap around them, all have the number among their arguments.
    const attempt = hold === "mark" && kind === "native" ? "setsid" : "hang";
    assert(await countProcesses(`${attempt} ${seconds}`) >= count);
    server.kill("SIGKILL");
    await server.status;
    await reader.cancel();
    await waitForNone(seconds);
    // The watchdog itself, too, and what stood in for protected names.
    await waitForNone(mark);
    assertEquals(await Array.fromAsync(Deno.readDir(root)), []);
    await Deno.remove(root);
  });
}

/** Open descriptors of this process, those of the listing itself excluded by counting it every time. */
async function countDescriptors(): Promise<number> {
  const { stdout } = await new Deno.Command("ls", { args: [`/proc/${Deno.pid}/fd`] }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").length;
}

async function countTemporary(): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir("/tmp")) {
    // The directories of tests that run at the same time, "bulkhead-escape-" and the like, are not the launcher's.
    if (name.startsWith("bulkhead") && !name.startsWith("bulkhead-")) count += 1;
  }
  return count;
}

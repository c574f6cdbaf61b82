// Attempts to drown the server in output or to hand it bytes it cannot show.

import { assert, assertEquals } from "@std/assert";
import { Compartment, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const GIBIBYTE = 1024 * 1024 * 1024;
const MAX_GROWTH = 200 * 1024 * 1024;

for (const wall of ["bubblewrap", "unconfined"] satisfies readonly Wall[]) {
  for (const stream of ["stdout", "stderr", "both"]) {
    test(`${wall} child that floods ${stream} with 1 GiB is stopped in bounded memory`, async () => {
      await using c = await Compartment.create({ wall });
      const before = Deno.memoryUsage().rss;
      const outcome = await c.run(["flood", stream, String(GIBIBYTE)]);
      assertEquals(outcome.kind, "over_limit", toText(outcome));
      assert(Deno.memoryUsage().rss - before < MAX_GROWTH);
    });
  }

  test(`${wall} child may write as much as its limit and not a byte more`, async () => {
    await using c = await Compartment.create({
      wall,
      rules: { limits: { maxStdoutBytes: 1000, maxStderrBytes: 1000 } },
    });
    const full = await c.run(["flood", "stdout", "1000"]);
    assertEquals(full.kind === "exited" && full.stdout.length, 1000);
    assertEquals(await c.run(["flood", "stdout", "1001"]), {
      kind: "over_limit",
      limit: "stdout",
      maxBytes: 1000,
    });
    assertEquals(await c.run(["flood", "stderr", "1001"]), {
      kind: "over_limit",
      limit: "stderr",
      maxBytes: 1000,
    });
  });

  test(`${wall} child's bytes arrive as they are`, async () => {
    await using c = await Compartment.create({ wall });
    const outcome = await c.run(["bytes"]);
    assert(outcome.kind === "exited");
    assertEquals([...outcome.stdout], [0xff, 0xfe, 0x6f, 0x6b, 0xc0]);
  });

  test(`${wall} child gets exactly the given stdin, or an empty one`, async () => {
    await using c = await Compartment.create({ wall });
    const empty = await c.run(["stdin"]);
    assertEquals(empty.kind === "exited" && empty.stdout.length, 0);
    const bytes = new Uint8Array(300_000).fill(65);
    const given = await c.run(["stdin"], { stdin: bytes });
    assertEquals(given.kind === "exited" && given.stdout.length, bytes.length);
    // A program that ends without reading must not make the call fail.
    const unread = await c.run(["silent"], { stdin: bytes });
    assertEquals(unread.kind === "exited" && unread.code, 0);
  });
}

// Case 14: colours, a clipboard write (OSC 52), a hyperlink (OSC 8), a right-to-left override, a cut sequence.
for (const wall of ["bubblewrap", "unconfined"] satisfies readonly Wall[]) {
  test(`${wall} child's words on stderr reach nobody as commands of a terminal`, async () => {
    await using c = await Compartment.create({ wall });
    const outcome = await c.run(["ansi"]);
    assertEquals(outcome.kind === "exited" && outcome.stderrTail, "redlink\nend");
    const spawned = await c.launcher.spawn(
      { name: "attempt", args: ["ansi"], cwd: c.root },
      new AbortController().signal,
    );
    assert(spawned.kind === "running");
    await using child = spawned.child;
    await child.outcome;
    assertEquals(child.stderrTail(), "redlink\nend");
  });
}

test("deno child that floods stdout is stopped", async () => {
  await using c = await Compartment.create({ wall: "deno" });
  const outcome = await c.run(["flood", String(GIBIBYTE)]);
  assertEquals(outcome.kind, "over_limit", toText(outcome));
});

test("bubblewrap child has no terminal to write to or to push keys into", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  const outcome = await c.run(["tty"]);
  assertEquals(outcome.kind === "exited" && new TextDecoder().decode(outcome.stdout), "no-tty\n");
});

// Attempts to start other programs, to gain privileges, and to get around a missing sandbox.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { resolveGrants } from "../../src/permission/grants.ts";
import { parseManifest } from "../../src/permission/manifest_parse.ts";
import type { AuditEvent } from "../../src/process/audit.ts";
import { ProcessLauncher } from "../../src/process/launcher.ts";
import type { Host } from "../../src/sandbox/host.ts";
import { Compartment, getHost, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

test("deno child cannot start a program that is not granted", async () => {
  await using denied = await Compartment.create({ wall: "deno" });
  assertEquals(toSuccess(await denied.run(["run", "cat", `${denied.root}/inside.txt`])), undefined);
  assertEquals(toSuccess(await denied.run(["node-run", "cat", denied.secret])), undefined);
  await using granted = await Compartment.create({ wall: "deno", rules: { run: ["cat"] } });
  const outcome = await granted.run(["run", "cat", `${granted.root}/inside.txt`]);
  assertEquals(toSuccess(outcome), "inside", toText(outcome));
  // Alone, Deno would let the granted program read anything; the mounts around it do not.
  assertEquals(toSuccess(await granted.run(["run", "cat", granted.secret])), undefined);
  assertEquals(toSuccess(await granted.run(["node-run", "cat", granted.secret])), undefined);
});

test("bubblewrap child can start only what is mounted, inside the same walls", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  assertEquals(toSuccess(await c.run(["run", "cat", `${c.root}/inside.txt`])), "inside");
  assertEquals(toSuccess(await c.run(["run", "cat", c.secret])), undefined);
  assertEquals(toSuccess(await c.run(["run", `${c.outside}/tool`])), undefined);
});

test("bubblewrap child cannot change the kernel, mount, or make a user namespace", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (const args of [["sysctl"], ["mount", "/tmp"], ["userns"]]) {
    const outcome = await c.run(args);
    assertEquals(toSuccess(outcome), undefined, args.join(" "));
  }
  const status = toSuccess(await c.run(["run", "grep", "CapEff", "/proc/self/status"]));
  assertEquals(status, "CapEff:\t0000000000000000");
  const privileges = toSuccess(await c.run(["run", "grep", "NoNewPrivs", "/proc/self/status"]));
  assertEquals(privileges, "NoNewPrivs:\t1");
});

test("bubblewrap child cannot signal a process outside", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  assertEquals(toSuccess(await c.run(["run", "kill", "-0", String(Deno.pid)])), undefined);
});

const DENO_CASES = [
  { name: "remote module", args: ["import", "https://example.com/x.ts"] },
  { name: "remote module through new Function", args: ["eval-import", "https://example.com/x.ts"] },
  { name: "npm module that is not cached", args: ["import", "npm:left-pad-of-nobody@1.0.0"] },
  { name: "foreign function", args: ["ffi", "/lib/x86_64-linux-gnu/libc.so.6"] },
  { name: "system fact", args: ["hostname"] },
] as const;

for (const { name, args } of DENO_CASES) {
  test(`deno child cannot use a ${name}`, async () => {
    await using c = await Compartment.create({ wall: "deno" });
    const outcome = await c.run(args);
    assertEquals(outcome.kind === "exited" && outcome.code === 1, true, toText(outcome));
  });
}

test("deno child gets a system fact when granted", async () => {
  await using c = await Compartment.create({ wall: "deno", rules: { sys: ["hostname"] } });
  const outcome = await c.run(["hostname"]);
  assertEquals(toSuccess(outcome), "bulkhead", toText(outcome));
});

test("deno child's workers, imports and questions have no more rights than itself", async () => {
  await using c = await Compartment.create({ wall: "deno" });
  await Deno.writeTextFile(`${c.root}/inside.json`, "{}");
  assertEquals(toSuccess(await c.run(["worker", c.secret])), undefined);
  assertEquals(toSuccess(await c.run(["worker", `${c.root}/inside.txt`])), "inside");
  await Deno.writeTextFile(`${c.outside}/code.ts`, "export const secret = 'secret';");
  await Deno.writeTextFile(`${c.root}/code.ts`, "export const own = 1;");
  assertEquals(toSuccess(await c.run(["import", `file://${c.outside}/code.ts`])), undefined);
  assertEquals(toSuccess(await c.run(["import", `file://${c.root}/code.ts`])), '{"own":1}');
  // --no-prompt: asking ends in a denial at once, it does not wait for a terminal.
  assertEquals(toSuccess(await c.run(["request", c.secret])), "denied");
});

// Case 24: what the Node side of Deno offers.
test("deno child gets nothing more through Node's own ways", async () => {
  await using c = await Compartment.create({ wall: "deno" });
  await Deno.writeTextFile(`${c.root}/own.json`, '{"own":1}');
  await Deno.writeTextFile(`${c.outside}/secret.json`, '{"secret":1}');
  await Deno.writeTextFile(`${c.root}/addon.node`, "not even a library");
  assertEquals(toSuccess(await c.run(["require", `${c.root}/own.json`])), '{"own":1}');
  for (
    const args of [
      ["require", `${c.outside}/secret.json`],
      ["require", `${c.root}/addon.node`],
      ["binding", "spawn_sync"],
      ["binding", "process_wrap"],
    ]
  ) {
    const outcome = await c.run(args);
    assertEquals(outcome.kind === "exited" && outcome.code === 1, true, toText(outcome));
  }
});

// Case 24: CVE-2026-49406, a package whose "main" leads out of node_modules.
test("deno child cannot be led out of its grants by a package's main", async () => {
  await using c = await Compartment.create({
    wall: "deno",
    rules: { command: "${roots}/tool.ts" },
  });
  const main = (name: string, path: string) =>
    Deno.writeTextFile(
      `${c.root}/node_modules/${name}/package.json`,
      JSON.stringify({ main: path }),
    );
  await Deno.writeTextFile(`${c.outside}/secret.json`, '{"secret":1}');
  await Deno.writeTextFile(`${c.root}/package.json`, "{}");
  for (const name of ["honest", "hostile"]) {
    await Deno.mkdir(`${c.root}/node_modules/${name}`, { recursive: true });
  }
  await main("honest", "own.json");
  await Deno.writeTextFile(`${c.root}/node_modules/honest/own.json`, '{"own":1}');
  await main("hostile", "../../../outside/secret.json");
  await Deno.writeTextFile(
    `${c.root}/tool.ts`,
    `import { createRequire } from "node:module";
    console.log(JSON.stringify(createRequire(import.meta.url)(Deno.args[0])));`,
  );
  assertEquals(toSuccess(await c.run(["honest"])), '{"own":1}');
  const outcome = await c.run(["hostile"]);
  assertEquals(outcome.kind === "exited" && outcome.code === 1, true, toText(outcome));
  assertEquals(toText(outcome).includes('secret\\":1'), false);
});

// Case 12: a program that was replaced after a person looked at it.
test("bubblewrap child does not start once its program is no longer the pinned one", async () => {
  await using place = await Compartment.create({ wall: "bubblewrap" });
  const command = `${place.outside}/tool`;
  const write = (words: string) =>
    Deno.writeTextFile(command, `#!/bin/sh\necho ${words}\n`, { mode: 0o755 });
  await write("honest");
  await using c = await Compartment.create({
    wall: "bubblewrap",
    rules: { command, sha256: await hash(command) },
  });
  assertEquals(toSuccess(await c.run([])), "honest");
  assertEquals(toSuccess(await c.run([])), "honest");
  await write("hostile");
  const outcome = await c.run([]);
  assert(outcome.kind === "denied", toText(outcome));
  assertStringIncludes(outcome.reason, "not the file that the manifest pins");
  await write("honest");
  assertEquals(toSuccess(await c.run([])), "honest");
});

for (const wall of ["unconfined", "deno"] satisfies readonly Wall[]) {
  test(`${wall} child does not start when its program is not the pinned one`, async () => {
    const command = new URL(
      `../../fixtures/programs/attempt${wall === "deno" ? ".ts" : ""}`,
      import.meta.url,
    ).pathname;
    const args = wall === "deno" ? ["env", "X"] : ["silent"];
    await using right = await Compartment.create({ wall, rules: { sha256: await hash(command) } });
    assertEquals(toSuccess(await right.run(args)) === undefined, false);
    await using wrong = await Compartment.create({ wall, rules: { sha256: "0".repeat(64) } });
    assertEquals((await wrong.run(args)).kind, "denied");
    assertEquals(wrong.events.map(({ kind }) => kind), ["denial"]);
  });
}

test("a program that requires a sandbox does not run without one", async () => {
  const found = await getHost();
  const bare: Host = {
    ...found,
    bubblewrap: { kind: "missing", reason: "removed by the test" },
    seatbelt: { kind: "missing", reason: "removed by the test" },
  };
  const events: AuditEvent[] = [];
  const launcher = createLauncher(bare, events);
  const never = new AbortController().signal;
  const required = await launcher.run({ name: "required", args: [] }, never);
  assert(required.kind === "denied");
  assertStringIncludes(required.reason, "without a sandbox: removed by the test");
  assertEquals(events.map(({ kind }) => kind), ["denial"]);
  const automatic = await launcher.run({ name: "automatic", args: ["args", "ran"] }, never);
  assertEquals(toSuccess(automatic), "<ran>", toText(automatic));
  const [, launch] = events;
  assertEquals(launch?.kind === "launch" && launch.sandbox, "unconfined");
});

test("a sandbox that cannot be built ends in a denial, not in an unconfined run", async () => {
  const found = await getHost();
  const broken: Host = {
    ...found,
    bubblewrap: { kind: "available", version: "broken", extras: ["--no-such-option"] },
  };
  const never = new AbortController().signal;
  const outcome = await createLauncher(broken, []).run(
    { name: "required", args: ["silent"] },
    never,
  );
  assert(outcome.kind === "denied");
  assertStringIncludes(outcome.reason, "Sandbox could not be built");
});

test("a program that is not in the manifest cannot be named", async () => {
  const events: AuditEvent[] = [];
  const launcher = createLauncher(await getHost(), events);
  const never = new AbortController().signal;
  for (const name of ["cat", "__proto__", "required\0", "../attempt"]) {
    assertEquals((await launcher.run({ name, args: [] }, never)).kind, "denied");
  }
  assertEquals(events.length, 4);
});

async function hash(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

function createLauncher(host: Host, events: AuditEvent[]): ProcessLauncher {
  const command = new URL("../../fixtures/programs/attempt", import.meta.url).pathname;
  const manifest = parseManifest(JSON.stringify({
    mode: "escape",
    programs: { required: { command }, automatic: { command, sandbox: "auto" } },
  }));
  const variables = { roots: [], cwd: "/", tmp: "/tmp" };
  return new ProcessLauncher({
    grants: new Map([...manifest.programs].map(([name, rules]) => {
      return [name, resolveGrants(name, rules, variables)];
    })),
    host,
    roots: [],
    shutdown: new AbortController().signal,
    audit: (event) => events.push(event),
  });
}

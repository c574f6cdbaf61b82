// What `mod.ts doctor` says about programs, walls and leashes of this machine.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { testWith } from "../harness/test_with.ts";

const testWalled = await testWith("bwrap");

const REPOSITORY = fromFileUrl(new URL("../../", import.meta.url));

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly detail: string;
  readonly fix?: string;
}

/** Runs doctor on a manifest of these programs. */
async function examine(
  programs: Readonly<Record<string, unknown>>,
  flags: readonly string[],
): Promise<{ code: number; findings: ReadonlyMap<string, Finding> }> {
  const manifest = await Deno.makeTempFile({ suffix: ".jsonc" });
  await Deno.writeTextFile(manifest, JSON.stringify({ mode: "demo", programs }));
  const { code, stdout } = await new Deno.Command("deno", {
    args: [
      ...["run", "--no-prompt", "--quiet", `--allow-read=${manifest}`, ...flags],
      ...["mod.ts", "doctor", "demo", "--manifest", manifest, "--json"],
    ],
    cwd: REPOSITORY,
    stdin: "null",
    stderr: "inherit",
  }).output();
  await Deno.remove(manifest);
  const { findings } = JSON.parse(new TextDecoder().decode(stdout));
  return {
    code,
    findings: new Map(findings.map((finding: Finding) => [finding.subject, finding])),
  };
}

async function makeProgram(script: string): Promise<string> {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`);
  await Deno.chmod(path, 0o755);
  return path;
}

testWalled(
  "doctor runs a program in its sandbox to learn its version, and shows it as plain text",
  async () => {
    const told = await makeProgram("printf '\\033[31mtool 1.2.3\\033[0m\\nmore'; touch /tmp/ran");
    const mute = await makeProgram("exit 64");
    const slow = await makeProgram("sleep 60");
    const { code, findings } = await examine({
      told: { command: told },
      mute: { command: mute },
      slow: { command: slow },
      gone: { command: "no-such-program" },
    }, ["--allow-run=bwrap,kill,ps"]);
    assertEquals(findings.get("program told")?.detail, `${told} (tool 1.2.3)`);
    assertEquals(findings.get("program mute")?.detail, `${mute} (does not tell its version)`);
    assertEquals(findings.get("program slow")?.detail, `${slow} (does not tell its version)`);
    assertEquals(findings.get("program gone")?.verdict, "problem");
    assertEquals(findings.get("program gone")?.detail, "gone binary not found");
    assertEquals([findings.get("wall")?.verdict, findings.get("leash")?.verdict], ["ok", "ok"]);
    assertEquals(code, 1);
    for (const path of [told, mute, slow]) await Deno.remove(path);
  },
);

Deno.test("doctor runs nothing that Deno does not permit, and says what has no sandbox", async () => {
  const ran = await Deno.makeTempDir();
  const program = await makeProgram(`touch ${ran}/ran; echo tool 1.2.3`);
  const programs = { tool: { command: program, sandbox: "auto" } };
  const denied = await examine(programs, []);
  assertStringIncludes(
    denied.findings.get("program tool")?.detail ?? "",
    "not permitted to run, or not found",
  );
  assertMatch(denied.findings.get("wall")?.fix ?? "", /install bubblewrap/);
  assertMatch(denied.findings.get("leash")?.detail ?? "", /may leave processes behind/);
  assertEquals(await Array.fromAsync(Deno.readDir(ran)), []);
  const bare = await examine(programs, [`--allow-run=${program}`]);
  assertEquals(
    bare.findings.get("program tool")?.detail,
    `${program} (tool 1.2.3), runs without a sandbox`,
  );
  await Deno.remove(ran, { recursive: true });
  await Deno.remove(program);
});

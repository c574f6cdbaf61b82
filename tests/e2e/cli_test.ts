// The command line as a person meets it: help on stdout, one sentence on stderr when it cannot be understood.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";

interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line to its end, with nothing on stdin. */
async function runCli(args: readonly string[], flags: readonly string[] = []): Promise<CliRun> {
  const output = await new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...flags, "mod.ts", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { BULKHEAD_LOG_LEVEL: "nonsense", NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

const REFUSED = [
  { args: ["nonsense"], reason: 'Unknown mode "nonsense": it is one of demo' },
  { args: ["__proto__"], reason: 'Unknown mode "__proto__": it is one of demo' },
  { args: ["--nonsense"], reason: 'Unknown option "--nonsense"; see: mod.ts --help' },
  { args: ["demo", "--nonsense"], reason: 'Unknown option "--nonsense"; see: mod.ts demo --help' },
  { args: ["demo", "extra"], reason: 'Unknown option "extra"; see: mod.ts demo --help' },
  { args: ["demo", "--max-queue", "none"], reason: "needs a whole number of at least 1" },
  { args: ["demo", "--max-queue=0"], reason: "needs a whole number of at least 1" },
  { args: ["demo", "--grace-ms=-5"], reason: "needs a whole number of at least 1" },
  { args: ["demo", "--log-level", "loud"], reason: 'Cannot log at "loud": a level must be' },
] as const;

Deno.test("a command line that cannot be understood is one sentence and exit code 2", async (t) => {
  for (const { args, reason } of REFUSED) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await runCli(args);
      assertEquals({ code, stdout }, { code: 2, stdout: "" });
      assertStringIncludes(stderr, reason);
      assertEquals(stderr.split("\n").length, 2, stderr);
    });
  }
});

Deno.test("no arguments at all show the help on stderr and exit code 2", async () => {
  const { code, stdout, stderr } = await runCli([]);
  assertEquals({ code, stdout }, { code: 2, stdout: "" });
  assertStringIncludes(stderr, "Usage: deno run");
});

Deno.test("--help lists every command with an example", async (t) => {
  for (const option of ["--help", "-h"]) {
    await t.step(option, async () => {
      const { code, stdout, stderr } = await runCli([option]);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      for (const word of ["Usage:", "Commands:", "demo", "--version", "Example"]) {
        assertStringIncludes(stdout, word);
      }
    });
  }
});

Deno.test("demo --help explains every option of a server, with examples", async () => {
  const { code, stdout, stderr } = await runCli(["demo", "--help"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const options = ["--log-level", "--max-concurrent", "--max-queue", "--max-line-bytes"];
  const others = ["--max-result-chars", "--max-notifications", "--grace-ms", "--compat-batches"];
  for (const word of [...options, ...others, "Examples:", "deno run mod.ts demo"]) {
    assertStringIncludes(stdout, word);
  }
});

Deno.test("--version prints the version of the package", async () => {
  const { code, stdout, stderr } = await runCli(["--version"]);
  const { version } = JSON.parse(await Deno.readTextFile("deno.json"));
  assertEquals({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: "" });
});

Deno.test("a level in the environment counts where it may be read, and only there", async (t) => {
  await t.step("without permission it is not looked at", async () => {
    const { code, stdout, stderr } = await runCli(["demo"]);
    assertEquals({ code, stdout }, { code: 0, stdout: "" });
    assertMatch(stderr, /"level":"info","event":"serving"/);
  });
  await t.step("with permission a level that is none is refused", async () => {
    const { code, stdout, stderr } = await runCli(["demo"], ["--allow-env=BULKHEAD_LOG_LEVEL"]);
    assertEquals({ code, stdout }, { code: 2, stdout: "" });
    assertStringIncludes(stderr, 'Cannot log at "nonsense"');
  });
  await t.step("an option goes before it", async () => {
    const flags = ["--allow-env=BULKHEAD_LOG_LEVEL"];
    const { code, stderr } = await runCli(["demo", "--log-level", "error"], flags);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
  });
});

Deno.test("a terminal is told that the server waits for a client, and how to try it", async (t) => {
  const script = await hasScript();
  if (!script) {
    // deno-lint-ignore no-console -- a skipped test must be seen
    console.warn('The hint for terminals is NOT tested: there is no program "script"');
    return;
  }
  await t.step("on a terminal", async () => {
    const output = await new Deno.Command("script", {
      args: ["-qec", "deno run --no-prompt --quiet mod.ts demo 2>&1 >/dev/null", "/dev/null"],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).output();
    const text = new TextDecoder().decode(output.stdout);
    assertStringIncludes(text, "waits for a client");
    assertStringIncludes(text, '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
  await t.step("not on a pipe", async () => {
    const { stderr } = await runCli(["demo"]);
    assert(!stderr.includes("waits for a client"), stderr);
  });
});

async function hasScript(): Promise<boolean> {
  try {
    const output = await new Deno.Command("script", { args: ["--version"], stdout: "piped" })
      .output();
    return new TextDecoder().decode(output.stdout).includes("util-linux");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    throw error;
  }
}

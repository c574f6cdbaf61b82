// Options of every server mode: what is refused, and what each one sets.

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/cli/command.ts";
import { parseServerOptions, SERVER_OPTIONS_HELP } from "../../../src/cli/server_options.ts";
import type { Limits } from "../../../src/gateway/limits.ts";

const DEFAULTS = {
  logLevel: "info",
  limits: {},
  minimal: false,
  splitBatches: false,
  deniedTools: [],
} as const;

const LIMITS: readonly (readonly [string, keyof Limits])[] = [
  ["--max-concurrent", "maxConcurrentCalls"],
  ["--max-queue", "maxQueuedCalls"],
  ["--max-line-bytes", "maxLineBytes"],
  ["--max-result-chars", "maxResultLength"],
  ["--max-notifications", "maxNotificationsPerMinute"],
  ["--grace-ms", "graceMs"],
];

const UNKNOWN: readonly (readonly [readonly string[], string])[] = [
  [["--nope"], '"--nope"'],
  [["--nope=1"], '"--nope'],
  [["-x"], '"-x"'],
  [["word"], '"word"'],
  [["--force-minimal", "word"], '"word"'],
  [["--", "word"], '"word"'],
];

Deno.test("parseServerOptions() refuses what it does not know", async (t) => {
  for (const [args, quoted] of UNKNOWN) {
    await t.step(args.join(" "), () => {
      assertThrows(() => parseServerOptions(args), UsageError, `Unknown option ${quoted}`);
    });
  }
});

Deno.test("parseServerOptions() refuses counts that are none", async (t) => {
  for (const value of ["0", "-1", "1.5", "1e3", "x", " 1", "0x10", "9".repeat(13)]) {
    await t.step(JSON.stringify(value), () => {
      for (const [flag] of LIMITS) {
        const message = `Option "${flag}" needs a whole number of at least 1`;
        assertThrows(() => parseServerOptions([`${flag}=${value}`]), UsageError, message);
      }
    });
  }
  assertThrows(() => parseServerOptions(["--max-queue"]), UsageError, '"--max-queue" needs');
});

Deno.test("parseServerOptions() refuses levels that are none, and names the right ones", () => {
  for (const level of ["loud", "INFO", "0"]) {
    const error = assertThrows(() => parseServerOptions(["--log-level", level]), UsageError);
    assertEquals(
      error.message,
      `Cannot log at "${level}": a level must be one of debug, info, notice, warning, error, ` +
        "critical, alert, emergency",
    );
  }
});

Deno.test("parseServerOptions() sets nothing unless told", () => {
  assertEquals<unknown>(parseServerOptions([]), DEFAULTS);
});

Deno.test("parseServerOptions() sets one limit a flag, and the help names each", async (t) => {
  for (const [flag, field] of LIMITS) {
    await t.step(flag, () => {
      for (const args of [[flag, "7"], [`${flag}=7`], [flag, "3", flag, "7"]]) {
        assertEquals<unknown>(parseServerOptions(args), { ...DEFAULTS, limits: { [field]: 7 } });
      }
      assertStringIncludes(SERVER_OPTIONS_HELP, flag);
    });
  }
});

Deno.test("parseServerOptions() reads level and switches", () => {
  const args = ["--log-level", "debug", "--force-minimal", "--compat-batches"];
  assertEquals<unknown>(parseServerOptions(args), {
    logLevel: "debug",
    limits: {},
    minimal: true,
    splitBatches: true,
    deniedTools: [],
  });
  for (const flag of ["--log-level", "--force-minimal", "--compat-batches"]) {
    assertStringIncludes(SERVER_OPTIONS_HELP, flag);
  }
});

Deno.test("parseServerOptions() collects the tools to deny", () => {
  const { deniedTools } = parseServerOptions(["--deny-tool", "a", "--deny-tool=b"]);
  assertEquals<unknown>(deniedTools, ["a", "b"]);
  assertThrows(
    () => parseServerOptions(["--deny-tool"]),
    UsageError,
    '"--deny-tool" needs a value',
  );
  assertStringIncludes(SERVER_OPTIONS_HELP, "--deny-tool NAME");
});

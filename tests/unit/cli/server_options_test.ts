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

const HTTP = {
  address: "",
  tokenFile: undefined,
  allowOrigins: [],
  allowHosts: [],
  legacyEvents: false,
  bounds: {},
};

const HTTP_OPTIONS: readonly (readonly [readonly string[], object])[] = [
  [["--http"], {}],
  [["--http", "9000"], { address: "9000" }],
  [["--http=0.0.0.0:80"], { address: "0.0.0.0:80" }],
  [["--http", "--legacy-sse"], { legacyEvents: true }],
  [["--http", "--token-file", "t"], { tokenFile: "t" }],
  [["--http", "--allow-origin", "https://a", "--allow-origin=https://b"], {
    allowOrigins: ["https://a", "https://b"],
  }],
  [["--http", "--allow-host", "a"], { allowHosts: ["a"] }],
  [["--http", "--max-sessions", "1", "--max-rate", "2", "--max-connections", "3"], {
    bounds: { "max-sessions": 1, "max-rate": 2, "max-connections": 3 },
  }],
];

Deno.test("parseServerOptions() reads what is about HTTP, and the help names each", async (t) => {
  for (const [args, expected] of HTTP_OPTIONS) {
    await t.step(args.join(" "), () => {
      const http = { ...HTTP, ...expected };
      assertEquals<unknown>(parseServerOptions(args), { ...DEFAULTS, http });
      for (const arg of args.filter((text) => text.startsWith("--"))) {
        assertStringIncludes(SERVER_OPTIONS_HELP, arg.split("=")[0] ?? "");
      }
    });
  }
});

Deno.test("parseServerOptions() refuses what is about HTTP where nobody asks for that", async (t) => {
  const strays = [
    ["--token-file", "t"],
    ["--allow-origin", "https://a"],
    ["--allow-host", "a"],
    ["--legacy-sse"],
    ["--max-sessions", "1"],
    ["--max-rate", "1"],
    ["--max-connections", "1"],
  ];
  for (const args of strays) {
    await t.step(args.join(" "), () => {
      const words = `Option "${args[0]}" needs --http`;
      assertThrows(() => parseServerOptions(args), UsageError, words);
    });
  }
});

Deno.test("parseServerOptions() refuses unusable values about HTTP", () => {
  for (const flag of ["--max-sessions", "--max-rate", "--max-connections"]) {
    for (const value of ["0", "-1", "1.5", "x"]) {
      const args = ["--http", `${flag}=${value}`];
      assertThrows(() => parseServerOptions(args), UsageError, `"${flag}" needs a whole number`);
    }
  }
  for (const flag of ["--allow-origin", "--allow-host"]) {
    const args = ["--http", flag];
    assertThrows(() => parseServerOptions(args), UsageError, `"${flag}" needs a value`);
  }
});

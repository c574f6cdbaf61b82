import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Grants, resolveGrants } from "../../../src/permission/grants.ts";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { listShapePaths } from "../../../src/sandbox/bubblewrap.ts";
import { planDenoFlags } from "../../../src/sandbox/deno_flags.ts";
import type { Host } from "../../../src/sandbox/host.ts";
import { type LaunchPlan, type PlanRequest, toPlanText } from "../../../src/sandbox/launch_plan.ts";
import { planLaunch } from "../../../src/sandbox/plan_launch.ts";
import { planSeatbelt } from "../../../src/sandbox/seatbelt.ts";

const MISSING = { kind: "missing", reason: "not here" } as const;
const AVAILABLE = { kind: "available", version: "1", extras: ["--disable-userns"] } as const;
const LINUX: Host = {
  os: "linux",
  bubblewrap: AVAILABLE,
  seatbelt: MISSING,
  denoPath: "/opt/deno",
  denoCommand: "deno",
  denoDir: "/srv/cache",
  canFindTree: true,
  canLeash: true,
};
const MACOS: Host = {
  ...LINUX,
  os: "darwin",
  bubblewrap: MISSING,
  seatbelt: AVAILABLE,
  canLeash: false,
};
const BARE: Host = { ...LINUX, bubblewrap: MISSING, canLeash: false, denoDir: undefined };
const REQUEST: PlanRequest = {
  args: ["a b"],
  env: {},
  cwd: "/tmp",
  stdin: "none",
  shapes: new Map(),
  mark: "m",
};

function toGrants(rules: Record<string, unknown>): Grants {
  const text = JSON.stringify({ mode: "x", programs: { p: { command: "tool", ...rules } } });
  const program = parseManifest(text).programs.get("p");
  assert(program !== undefined);
  return resolveGrants("p", program, { roots: ["/srv/r"], cwd: "/srv/r", tmp: "/tmp" });
}

function plan(
  rules: Record<string, unknown>,
  host: Host,
  request: Partial<PlanRequest> = {},
): LaunchPlan {
  const result = planLaunch(toGrants(rules), { ...REQUEST, ...request }, host);
  assert(result.kind === "planned", JSON.stringify(result));
  return result.plan;
}

function refuse(
  rules: Record<string, unknown>,
  host: Host,
  request: Partial<PlanRequest> = {},
): string {
  const result = planLaunch(toGrants(rules), { ...REQUEST, ...request }, host);
  assert(result.kind === "refused", JSON.stringify(result));
  return result.reason;
}

/** The mounts of a bubblewrap plan that concern a path, in order. */
function findMounts(argv: readonly string[], path: string): string[] {
  return argv.flatMap((word, index) => {
    return word === path && argv[index - 2]?.startsWith("--")
      ? [`${argv[index - 2]} ${argv[index - 1]}`]
      : [];
  });
}

Deno.test("planLaunch() refuses a required sandbox that does not exist", () => {
  assertEquals(refuse({}, BARE), 'Cannot start "p" without a sandbox: not here');
  assertEquals(
    refuse({}, { ...MACOS, seatbelt: MISSING }),
    'Cannot start "p" without a sandbox: not here',
  );
});

Deno.test("planLaunch() refuses arguments, variables and directories that are not granted", () => {
  assertStringIncludes(refuse({}, LINUX, { args: ["a\0"] }), "Argument 1");
  assertStringIncludes(refuse({}, LINUX, { env: { A: "1" } }), '"A" is not granted');
  assertStringIncludes(refuse({ env: ["A"] }, LINUX, { env: { A: "\0" } }), "NUL");
  assertStringIncludes(refuse({}, LINUX, { cwd: "relative" }), "absolute");
  assertStringIncludes(refuse({}, LINUX, { cwd: "/a\n" }), "absolute");
  assertStringIncludes(refuse({}, LINUX, { cwd: "/srv/r" }), "not granted");
  assertEquals(plan({ read: ["${roots}"] }, LINUX, { cwd: "/srv/r/x" }).cwd, "/srv/r/x");
  assertEquals(plan({}, LINUX, { cwd: "/" }).cwd, "/");
});

Deno.test("planLaunch() never lets a loader variable through, even a hand-made grant", () => {
  const grants = { ...toGrants({}), env: ["LD_PRELOAD"] };
  const result = planLaunch(grants, { ...REQUEST, env: { LD_PRELOAD: "x" } }, LINUX);
  assertEquals(result.kind, "refused");
});

Deno.test("planLaunch() gives a frozen plan with a complete environment", () => {
  const result = plan({ env: ["A"] }, LINUX, { env: { A: "1" } });
  for (const part of [result, result.argv, result.env, result.walls, result.masks]) {
    assert(Object.isFrozen(part));
  }
  assertEquals(Object.keys(result.env).sort(), ["A", "HOME", "LANG", "PATH", "TMPDIR"]);
});

Deno.test("planLaunch() builds namespaces, private places and a read-only rest with bubblewrap", () => {
  const { argv, sandbox, walls, stop } = plan({ read: ["${roots}"], write: ["/srv/w"] }, LINUX);
  assertEquals([argv[0], sandbox, walls, stop], ["bwrap", "bubblewrap", ["bubblewrap"], "control"]);
  const before = argv.slice(0, argv.indexOf("--"));
  for (
    const word of [
      "--unshare-all",
      "--disable-userns",
      "--die-with-parent",
      "--new-session",
      "--cap-drop",
    ]
  ) {
    assert(before.includes(word), word);
  }
  assertEquals(before.includes("--share-net"), false);
  assertEquals(before.includes("/etc/resolv.conf"), false);
  assertEquals(findMounts(argv, "/srv/r"), ["--ro-bind /srv/r"]);
  assertEquals(findMounts(argv, "/srv/w"), ["--bind /srv/w"]);
  assertEquals(before.slice(-4), ["--remount-ro", "/", "--chdir", "/tmp"]);
  assertEquals(argv.slice(-3), ["128", "tool", "a b"]);
});

Deno.test("planLaunch() shares the network only when granted", () => {
  const { argv } = plan({ net: "all" }, LINUX);
  assert(argv.includes("--share-net") && argv.includes("/etc/resolv.conf"));
});

Deno.test("planLaunch() mounts a program's own file when the system does not hold it", () => {
  assertEquals(findMounts(plan({ command: "/srv/tool" }, LINUX).argv, "/srv/tool"), [
    "--ro-bind-try /srv/tool",
  ]);
  assertEquals(findMounts(plan({ command: "/usr/bin/env" }, LINUX).argv, "/usr/bin/env"), []);
  // The private temporary directory does not hold the host's files.
  const temporary = plan({ command: "/tmp/tool", write: ["${tmp}"] }, LINUX);
  assertEquals(findMounts(temporary.argv, "/tmp/tool"), ["--ro-bind-try /tmp/tool"]);
  const granted = plan({ command: "/srv/r/tool", read: ["${roots}"] }, LINUX);
  assertEquals(findMounts(granted.argv, "/srv/r/tool"), []);
});

Deno.test("planLaunch() covers what is denied inside what is granted", () => {
  const rules = {
    read: ["${roots}"],
    write: ["/srv/w"],
    deny: {
      read: ["/srv/r/dir", "/srv/r/file", "/srv/r/none", "/srv/r/odd", "/srv/w/hidden"],
      write: ["/srv/w/keep", "/srv/w/hidden/deep"],
    },
  };
  const shapes = new Map(
    [
      ["/srv/r/dir", "directory"],
      ["/srv/r/file", "file"],
      ["/srv/r/none", "missing"],
      ["/srv/w/hidden", "missing"],
      ["/srv/w/keep", "directory"],
      ["/srv/w/.git", "missing"],
      ["/srv/w/.git/hooks", "missing"],
      ["/srv/w/.git/config", "missing"],
      ["/srv/w/.bashrc", "missing"],
      ["/srv/w/.vscode", "missing"],
    ] as const,
  );
  const { argv, masks } = plan(rules, LINUX, { shapes });
  assertEquals(
    findMounts(argv, "/srv/r/dir"),
    ["4096 --tmpfs", "/srv/r/dir --remount-ro"].slice(2),
  );
  assert(argv.join(" ").includes("--tmpfs /srv/r/dir --remount-ro /srv/r/dir"));
  assert(argv.join(" ").includes("--ro-bind /dev/null /srv/r/file"));
  assert(argv.join(" ").includes("--tmpfs /srv/r/odd"));
  assertEquals(argv.includes("/srv/r/none"), false);
  assertEquals(argv.includes("/srv/w/hidden/deep"), false);
  assertEquals(findMounts(argv, "/srv/w/keep"), ["--ro-bind /srv/w/keep"]);
  assertEquals(findMounts(argv, "/srv/w/.zshrc"), ["--ro-bind /srv/w/.zshrc"]);
  assertEquals(masks, [
    { path: "/srv/w/hidden", shape: "directory" },
    { path: "/srv/w/.git", shape: "directory" },
    { path: "/srv/w/.bashrc", shape: "file" },
    { path: "/srv/w/.vscode", shape: "directory" },
  ]);
});

Deno.test("planLaunch() keeps a .git that is a file", () => {
  const shapes = new Map([["/srv/w/.git", "file"], ["/srv/w/.git/hooks", "unknown"]] as const);
  const { argv } = plan({ write: ["/srv/w"] }, LINUX, { shapes });
  assertEquals(findMounts(argv, "/srv/w/.git").at(0), "--ro-bind /srv/w/.git");
});

Deno.test("listShapePaths() names what has to be looked at, and nothing in the temporary directory", () => {
  const paths = listShapePaths(toGrants({ write: ["/srv/w", "${tmp}"] }));
  assert(paths.includes("/srv/w/.git") && paths.includes("/srv/w/.git/hooks"));
  assertEquals(paths.some((path) => path.startsWith("/tmp")), false);
});

Deno.test("planLaunch() keeps a read-only directory below /tmp read-only when ${tmp} is granted", () => {
  const { argv } = plan({ read: ["/tmp/data"], write: ["${tmp}"] }, LINUX);
  assertEquals(findMounts(argv, "/tmp/data"), ["--ro-bind /tmp/data"]);
});

Deno.test("planLaunch() puts Deno's flags and the mounts around a Deno program", () => {
  const result = plan({ kind: "deno", command: "npm:x@1.0.0" }, LINUX, { stdin: "piped" });
  assertEquals([result.sandbox, result.walls, result.stop], [
    "deno",
    ["deno", "bubblewrap"],
    "stdin",
  ]);
  assertEquals(findMounts(result.argv, "/srv/cache"), ["--ro-bind-try /srv/cache"]);
  const inner = result.argv.slice(result.argv.indexOf("128") + 1);
  assertEquals(inner.slice(0, 2), ["/opt/deno", "run"]);
  assertEquals(inner.slice(-2), ["npm:x@1.0.0", "a b"]);
  assertEquals(result.env["DENO_DIR"], "/srv/cache");
  const bare = plan({ kind: "deno", command: "npm:x@1.0.0", sandbox: "auto" }, BARE);
  assertEquals([bare.argv[0], bare.sandbox, bare.walls], ["deno", "deno", ["deno"]]);
  assertEquals(bare.env["DENO_DIR"], undefined);
  const without = plan({ kind: "deno", command: "npm:x@1.0.0" }, { ...LINUX, denoDir: undefined });
  assertEquals(findMounts(without.argv, "/opt/deno"), ["--ro-bind-try /opt/deno"]);
});

Deno.test("planLaunch() marks an unconfined launch so that its descendants can be found", () => {
  const loose = { sandbox: "off", unleashed: true };
  for (const [rules, host] of [[{ sandbox: "auto" }, BARE], [loose, LINUX]] as const) {
    const result = plan(rules, host);
    assertEquals(result.argv, ["tool", "a b"]);
    assertEquals([result.sandbox, result.walls, result.stop], ["unconfined", [], "marked"]);
    assertEquals(result.env["BULKHEAD_LAUNCH"], "m");
  }
});

Deno.test("planLaunch() gives an unconfined launch a namespace to end in, and nothing else", () => {
  const native = plan({ sandbox: "off" }, LINUX);
  const leash = native.argv.slice(0, native.argv.indexOf("--"));
  assertEquals(
    leash.join(" "),
    [
      "bwrap --dev-bind / / --unshare-pid --proc /proc",
      "--die-with-parent --new-session",
    ].join(" "),
  );
  assertEquals(native.argv.slice(-2), ["tool", "a b"]);
  assertEquals([native.sandbox, native.walls, native.stop], ["unconfined", [], "control"]);
  assertEquals(native.env["BULKHEAD_LAUNCH"], undefined);
  const rules = { kind: "deno", command: "npm:x@1.0.0", sandbox: "off" };
  const module = plan(rules, LINUX, { stdin: "piped" });
  assertEquals(module.argv.includes("/opt/deno"), true);
  assertEquals([module.sandbox, module.walls, module.stop], ["deno", ["deno"], "stdin"]);
});

Deno.test("planLaunch() sets the bounds that a manifest asks for, and refuses to run without them", () => {
  const limits = { maxMemoryBytes: 1025, maxCpuSeconds: 7, maxFileBytes: 513 };
  for (const sandbox of ["require", "off"]) {
    const script = plan({ limits, sandbox }, LINUX).argv.find((word) => word.includes("ulimit -v"));
    for (const bound of ["-v 2", "-t 7", "-f 2"]) {
      assertStringIncludes(script ?? "", `ulimit ${bound} || exit 126\n`);
    }
  }
  assertEquals(plan({}, LINUX).argv.some((word) => word.includes("ulimit -v")), false);
  const module = plan({ kind: "deno", command: "npm:x@1.0.0", limits }, LINUX);
  assertEquals(module.argv.some((word) => word.includes("ulimit -v")), false);
  assert(module.argv.includes("--v8-flags=--max-old-space-size=1"));
});

Deno.test("planLaunch() uses sandbox-exec on macOS", () => {
  const native = plan({ read: ["${roots}"] }, MACOS);
  assertEquals([native.argv[0], native.argv[1], native.sandbox], [
    "sandbox-exec",
    "-p",
    "seatbelt",
  ]);
  assertEquals(native.argv.slice(-2), ["tool", "a b"]);
  const module = plan({ kind: "deno", command: "npm:x@1.0.0" }, MACOS);
  assertEquals(module.walls, ["deno", "seatbelt"]);
  assertEquals(module.argv[3], "/opt/deno");
});

Deno.test("planSeatbelt() writes the pinned profile", async () => {
  const grants = toGrants({
    read: ["${roots}"],
    write: ["/srv/w"],
    net: "all",
    unprotect: [".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".zshenv", ".envrc"],
    deny: { read: ['/srv/r/a"b'] },
  });
  const golden = new URL("../../../fixtures/manifests/seatbelt_full.sb", import.meta.url);
  assertEquals(planSeatbelt(grants, ["/opt/tool"]), await Deno.readTextFile(golden));
  assertEquals(planSeatbelt(toGrants({}), []).includes("network"), false);
});

Deno.test("planDenoFlags() denies by name what is not granted", () => {
  const none = planDenoFlags(toGrants({ kind: "deno", command: "npm:x@1.0.0" })).map(({ flag }) =>
    flag
  );
  assertEquals(none, [
    "--quiet",
    "--no-prompt",
    "--cached-only",
    "--no-lock",
    "--no-config",
    "--node-modules-dir=none",
    "--no-remote",
    "--deny-read",
    "--deny-write",
    "--deny-net",
    "--ignore-env",
    "--deny-run",
    "--deny-sys",
    "--deny-ffi",
  ]);
});

Deno.test("planDenoFlags() grants exactly what is granted", () => {
  const grants = toGrants({
    kind: "deno",
    command: "jsr:@a/b@1.0.0",
    read: ["${roots}"],
    write: ["/srv/w"],
    net: ["a.example:443"],
    env: ["A"],
    run: ["git"],
    sys: ["uid"],
    deny: { read: ["/srv/r/private"] },
  });
  const flags = planDenoFlags(grants).map(({ flag }) => flag);
  assert(flags.includes("--allow-read=/srv/r,/srv/w"));
  assert(flags.includes("--deny-read=/srv/r/private"));
  assert(flags.some((flag) => flag.startsWith("--deny-write=/srv/w/.git/hooks,")));
  for (
    const flag of [
      "--allow-net=a.example:443",
      "--allow-env=A",
      "--allow-run=git",
      "--allow-sys=uid",
    ]
  ) {
    assert(flags.includes(flag), flag);
  }
  assertEquals(flags.includes("--no-remote"), false);
  assert(planDenoFlags({ ...grants, net: "all" }).some(({ flag }) => flag === "--deny-net"));
  const local = planDenoFlags(toGrants({ kind: "deno", command: "/srv/r/x.ts" }));
  assertEquals(local.some(({ flag }) => flag === "--no-config"), false);
});

Deno.test("toPlanText() prints a plan without the values of variables", () => {
  const text = toPlanText(
    plan({ env: ["TOKEN"], sandbox: "off" }, LINUX, { env: { TOKEN: "secret" } }),
  );
  assertStringIncludes(text, "sandbox unconfined");
  assertStringIncludes(text, '        "a b"');
  assertStringIncludes(text, "TOKEN");
  assertEquals(text.includes("secret"), false);
  const deno = toPlanText(plan({ kind: "deno", command: "npm:x@1.0.0" }, LINUX));
  assertStringIncludes(deno, "sandbox deno (deno + bubblewrap)");
});

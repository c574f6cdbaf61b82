import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { type HostFacts, probeHost, type RunProbe } from "../../../src/sandbox/host.ts";
import { planServerFlags } from "../../../src/sandbox/server_flags.ts";

const OPTIONS = { roots: ["/srv/r"], cwd: "/srv/r", tmp: "/tmp", os: "linux" };

function toFlags(manifest: Record<string, unknown>, os = "linux"): string[] {
  const parsed = parseManifest(JSON.stringify({ mode: "x", ...manifest }));
  return planServerFlags(parsed, { ...OPTIONS, os }).map(({ flag }) => flag);
}

Deno.test("planServerFlags() asks for nothing when the manifest needs nothing", () => {
  assertEquals(toFlags({}), ["--no-prompt"]);
});

Deno.test("planServerFlags() lets the wall, not the server, start a confined program", () => {
  const programs = { p: { command: "tool", read: ["${roots}"] } };
  assertEquals(toFlags({ programs }), [
    "--no-prompt",
    "--allow-run=bwrap,kill,ps",
    "--allow-read=/srv/r",
  ]);
  assertEquals(toFlags({ programs }, "darwin")[1], "--allow-run=kill,ps,sandbox-exec,sh");
  assertEquals(toFlags({ programs }, "windows"), ["--no-prompt", "--allow-read=/srv/r"]);
});

Deno.test("planServerFlags() adds what an unconfined program needs", () => {
  const auto = { p: { command: "tool", sandbox: "auto" } };
  assertEquals(toFlags({ programs: auto })[1], "--allow-run=bwrap,kill,ps,sh,tool");
  assertEquals(toFlags({ programs: auto }, "windows")[1], "--allow-run=tool");
  const off = { p: { kind: "deno", command: "npm:x@1.0.0", sandbox: "off", write: ["/srv/w"] } };
  assertEquals(toFlags({ programs: off }), [
    "--no-prompt",
    "--allow-run=bwrap,deno,kill,ps,sh",
    "--allow-read=/srv/w",
  ]);
  const loose = { p: { command: "tool", sandbox: "off", unleashed: true } };
  assertEquals(toFlags({ programs: loose })[1], "--allow-run=kill,ps,sh,tool");
});

Deno.test("planServerFlags() lets the server read a program that it verifies", () => {
  const programs = { p: { command: "/srv/tool", sha256: "0".repeat(64) } };
  assertEquals(toFlags({ programs })[2], "--allow-read=/srv/tool");
});

Deno.test("planServerFlags() lets the server remove what protecting names leaves behind", () => {
  const flags = toFlags({ programs: { p: { command: "tool", write: ["/srv/w"] } } });
  const write = flags.find((flag) => flag.startsWith("--allow-write=")) ?? "";
  assertStringIncludes(write, "/srv/w/.git,");
  assertEquals(write.split(",").includes("/srv/w"), false);
  assertEquals(flags[1], "--allow-run=bwrap,kill,ps,sh");
});

Deno.test("planServerFlags() prints the server's own needs with reasons", () => {
  const manifest = parseManifest(JSON.stringify({
    mode: "x",
    server: {
      run: ["bn"],
      read: ["${roots}"],
      write: ["${tmp}/x"],
      net: ["127.0.0.1:80"],
      env: ["A"],
    },
  }));
  assertEquals(planServerFlags(manifest, OPTIONS), [
    { flag: "--no-prompt", reason: "a server never asks on the terminal" },
    { flag: "--allow-run=bn", reason: "bn: the server starts it" },
    {
      flag: "--allow-read=/srv/r",
      reason: "roots and the paths programs are granted, to check real paths",
    },
    {
      flag: "--allow-write=/tmp/x",
      reason: "what the mode writes, and cleaning up after protected names",
    },
    { flag: "--allow-net=127.0.0.1:80", reason: "hosts the mode talks to" },
    { flag: "--allow-env=A", reason: "variables the mode reads" },
  ]);
});

const FACTS: HostFacts = {
  os: "linux",
  denoPath: "/opt/deno",
  denoCommand: "deno",
  denoDir: undefined,
  canFindTree: false,
};

/** Answers probes of walls in turn; the leash is a question of its own. */
function answer(...answers: readonly boolean[]): RunProbe {
  const left = [...answers];
  return (argv) => {
    const ok = argv.includes("--dev-bind") ? answers[0] : left.shift();
    return Promise.resolve({ ok: ok ?? false, text: "bubblewrap 0.8.0\n" });
  };
}

const HOSTS = [
  { name: "all options", os: "linux", run: answer(true, true), wall: ["--disable-userns"] },
  { name: "an older bubblewrap", os: "linux", run: answer(true, false, true), wall: [] },
  {
    name: "no namespaces",
    os: "linux",
    run: answer(true, false, false),
    wall: "cannot make namespaces",
  },
  { name: "no bubblewrap", os: "linux", run: answer(false), wall: "install bubblewrap" },
  { name: "another system", os: "windows", run: answer(), wall: "Linux only" },
] as const;

Deno.test("probeHost() reports bubblewrap as it is", async (t) => {
  for (const { name, os, run, wall } of HOSTS) {
    await t.step(name, async () => {
      const { bubblewrap } = await probeHost({ ...FACTS, os }, run);
      if (bubblewrap.kind === "available") assertEquals([...bubblewrap.extras], [...wall]);
      else assertStringIncludes(bubblewrap.reason, String(wall));
    });
  }
});

Deno.test("probeHost() tells whether bubblewrap can be a leash", async () => {
  assertEquals((await probeHost(FACTS, answer(true))).canLeash, true);
  assertEquals((await probeHost(FACTS, answer(false))).canLeash, false);
  assertEquals((await probeHost({ ...FACTS, os: "darwin" }, answer(true))).canLeash, false);
});

Deno.test("probeHost() reports sandbox-exec on macOS", async () => {
  const mac = { ...FACTS, os: "darwin" };
  assertEquals((await probeHost(mac, answer(true))).seatbelt.kind, "available");
  assertEquals((await probeHost(mac, answer(false))).seatbelt.kind, "missing");
});

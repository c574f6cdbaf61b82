// `mod.ts doctor`: says whether this machine and this command line are fit for a mode, and what to do if not.

import { parseArgs } from "@std/cli";
import { type Grants, resolveGrants } from "../permission/grants.ts";
import type { Manifest, ProgramRules } from "../permission/manifest.ts";
import { probeWalls } from "../process/host_probe.ts";
import { ProcessLauncher } from "../process/launcher.ts";
import { describeOutcome, toPlainText } from "../process/outcome.ts";
import { checkOwnPermissions, findAllowed } from "../process/own_permissions.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import type { Host, Wall } from "../sandbox/host.ts";
import { isConfined } from "../sandbox/plan_launch.ts";
import { loadBnManifest } from "./bn_manifest.ts";
import { type Command, findVariable, print, refuseUnknown, UsageError } from "./command.ts";
import { findModeFlags } from "./mode_flags.ts";
import { loadManifest, MANIFEST_MODES } from "./manifests.ts";
import { loadReaderManifest } from "./reader_manifest.ts";

/** One thing that was looked at. */
interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "note" | "problem";
  readonly detail: string;
  readonly fix?: string;
}

/** Deno of this version is what the permissions and sandboxes were tried with. */
const OLDEST_DENO = "2.9.0";

/** A program that needs longer to tell its version, or more words, does not tell it. */
const VERSION_LIMITS = { timeoutMs: 3000, graceMs: 200, maxStdoutBytes: 65_536 };
const MAX_VERSION_CHARS = 80;

/** Where a program stands while it tells its version. */
const TMP = "/tmp";

/** The command. */
export const DOCTOR_COMMAND: Command = {
  name: "doctor",
  summary: "say what works here, what is granted too much or too little, and how to mend it",
  help: () =>
    `Usage: deno run [permissions] mod.ts doctor [mode] [options]

Looks at Deno, the walls of this machine and, for a mode, at the programs it needs and the permissions that this very
process was given. Give it the same permissions as the mode. Ends with exit code 1 if there is a problem.

Options:
  --root DIR       a directory the mode works on; repeat it for several
  --manifest FILE  another manifest than the shipped one (needs --allow-read=FILE)
  --json           as one JSON object

Examples:
  deno run mod.ts doctor
  deno run --allow-run=bwrap mod.ts doctor demo --json
`,
  async run(args) {
    const parsed = parseArgs([...args], {
      string: ["root", "manifest"],
      boolean: ["json"],
      collect: ["root"],
      unknown: refuseUnknown,
    });
    const [mode, ...extra] = parsed._.map(String);
    if (extra.length > 0) throw new UsageError(`Name one mode of ${MANIFEST_MODES.join(", ")}`);
    const host = await probeWalls({ denoDir: undefined });
    const findings = [findDeno(), findWall(host), findLeash(host)];
    if (mode !== undefined) {
      const options = { roots: parsed.root, manifest: parsed.manifest };
      const { programs } = await loadModeManifest(mode, options.manifest);
      for (const entry of programs) findings.push(await findProgram(entry, mode, host));
      findings.push(...await findPermissions(mode, options));
    }
    print(parsed.json ? toJson(findings) : toText(findings));
    return findings.some(({ verdict }) => verdict === "problem") ? 1 : 0;
  },
};

function findDeno(): Finding {
  const { deno } = Deno.version;
  const detail = `Deno ${deno} on ${Deno.build.os}`;
  return deno.localeCompare(OLDEST_DENO, "en", { numeric: true }) >= 0
    ? { subject: "runtime", verdict: "ok", detail }
    : { subject: "runtime", verdict: "problem", detail, fix: "Use npx -y deno@2.9.6" };
}

function findWall(host: Host): Finding {
  const wall: Wall = host.os === "darwin" ? host.seatbelt : host.bubblewrap;
  if (wall.kind === "available") return { subject: "wall", verdict: "ok", detail: wall.version };
  return {
    subject: "wall",
    verdict: "note",
    detail: 'No sandbox of the operating system; programs with "sandbox": "require" are refused',
    fix: wall.reason,
  };
}

/** What ties the life of programs without a sandbox to the server's. */
function findLeash(host: Host): Finding {
  if (host.canLeash) {
    const detail = "programs without a sandbox end with the server, in a process namespace";
    return { subject: "leash", verdict: "ok", detail };
  }
  return {
    subject: "leash",
    verdict: "note",
    detail: host.canFindTree
      ? "programs without a sandbox are found by a mark, and end with the server where sh may run"
      : "programs without a sandbox may leave processes behind",
    fix: host.os === "linux"
      ? "Install bubblewrap and start with --allow-run=bwrap,kill,ps,sh"
      : "Start with --allow-run=kill,ps,sh",
  };
}

/** Programs that a mode can do without, by mode, and what it does then. */
const OPTIONAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reader: { bcp: "the codec in this process does its work" },
};

/** The manifest of a mode, as the mode itself reads it. */
async function loadModeManifest(mode: string, file: string | undefined): Promise<Manifest> {
  if (mode === "bn") {
    const command = findVariable("BN_CLI_PATH");
    return await loadBnManifest({ file, command, timeoutMs: undefined });
  }
  if (mode !== "reader") return await loadManifest(mode, file);
  return await loadReaderManifest({
    file,
    command: findVariable("BCP_CLI_PATH"),
    path: findVariable("PATH"),
    timeoutMs: undefined,
  });
}

/** Whether a program of a mode is there, which version it says it is, and what will stand around it. */
async function findProgram(
  [name, rules]: readonly [string, ProgramRules],
  mode: string,
  host: Host,
): Promise<Finding> {
  const { kind, command } = rules;
  const subject = `program ${name}`;
  const grants = toVersionGrants(name, rules);
  const walls = isConfined(grants, host) ? "" : ", runs without a sandbox";
  // The version of a package is part of its name.
  if (kind === "deno") {
    return { subject, verdict: "ok", detail: `runs in Deno: ${command}${walls}` };
  }
  const without = OPTIONAL[mode]?.[name];
  const rest = without === undefined ? "" : `; ${without}`;
  // Inside a sandbox the wall starts the program, so that Deno need not allow it.
  const isAllowed = isConfined(grants, host) || await findAllowed(command) !== undefined;
  if (!isAllowed) {
    return {
      subject,
      verdict: "note",
      detail: `"${command}" is not permitted to run, or not found${rest}`,
      fix: `Install it and add --allow-run=${command}`,
    };
  }
  const found = await findVersion(grants, host);
  if (found.kind === "found") {
    return { subject, verdict: "ok", detail: `${command} (${found.version})${walls}` };
  }
  return {
    subject,
    verdict: without === undefined ? "problem" : "note",
    detail: `${found.reason}${rest}`,
    fix: `Install "${command}", or name its absolute path in a manifest`,
  };
}

/** Enough to tell a version, and nothing of what the mode itself would grant. */
function toVersionGrants(name: string, rules: ProgramRules): Grants {
  const bare = { read: [], write: [], net: [], env: [], run: [], sys: [], arguments: undefined };
  const limits = { ...rules.limits, ...VERSION_LIMITS };
  const variables = { roots: [], cwd: TMP, tmp: TMP };
  return resolveGrants(name, { ...rules, ...bare, limits }, variables);
}

/** Runs a program with `--version`, as the mode would, and takes the first line that it says. */
async function findVersion(
  grants: Grants,
  host: Host,
): Promise<
  { readonly kind: "found"; readonly version: string } | {
    readonly kind: "missing";
    readonly reason: string;
  }
> {
  const { signal } = new AbortController();
  const launcher = new ProcessLauncher({
    grants: new Map([[grants.name, grants]]),
    host,
    roots: [],
    shutdown: signal,
    audit: () => {},
  });
  const outcome = await launcher.run({ name: grants.name, args: ["--version"] }, signal);
  if (outcome.kind === "not_found" || outcome.kind === "denied") {
    return { kind: "missing", reason: describeOutcome(outcome) };
  }
  const words = outcome.kind === "exited" && outcome.code === 0
    ? toPlainText(new TextDecoder().decode(outcome.stdout)).trim().split("\n")[0] ?? ""
    : "";
  const version = words.slice(0, MAX_VERSION_CHARS);
  return { kind: "found", version: version === "" ? "does not tell its version" : version };
}

async function findPermissions(
  mode: string,
  options: { readonly roots: readonly string[]; readonly manifest: string | undefined },
): Promise<Finding[]> {
  const flags = await findModeFlags(mode, options);
  const { missing: lacking, excessive } = await checkOwnPermissions(flags);
  // A program that the mode can do without has a finding of its own.
  const missing = lacking.map((flag) => withoutOptional(flag, Object.keys(OPTIONAL[mode] ?? {})))
    .filter((flag) => flag !== undefined);
  if (missing.length === 0 && excessive.length === 0) {
    return [{ subject: "permissions", verdict: "ok", detail: `exactly what "${mode}" needs` }];
  }
  return [
    ...missing.map(({ flag, reason }): Finding => ({
      subject: "permissions",
      verdict: "problem",
      detail: `"${mode}" lacks ${flag} (${reason})`,
      fix: `Add ${flag}`,
    })),
    ...excessive.map((flag): Finding => ({
      subject: "permissions",
      verdict: "note",
      detail: `${flag} is granted without bounds, which "${mode}" does not need`,
      fix: `Start with the line that \`mod.ts permissions ${mode}\` prints`,
    })),
  ];
}

function withoutOptional(need: Flag, optional: readonly string[]): Flag | undefined {
  const [head = "", list] = need.flag.split("=");
  if (head !== "--allow-run" || list === undefined) return need;
  const rest = list.split(",").filter((command) => !optional.includes(command));
  return rest.length === 0 ? undefined : { ...need, flag: `${head}=${rest.join(",")}` };
}

function toJson(findings: readonly Finding[]): string {
  const ok = findings.every(({ verdict }) => verdict !== "problem");
  return `${JSON.stringify({ ok, findings }, null, 2)}\n`;
}

function toText(findings: readonly Finding[]): string {
  const marks = { ok: "✓", note: "·", problem: "✗" } as const;
  const lines = findings.map(({ subject, verdict, detail, fix }) =>
    `${marks[verdict]} ${subject}: ${detail}${fix === undefined ? "" : `\n    → ${fix}`}`
  );
  return `${lines.join("\n")}\n`;
}

// `mod.ts doctor`: says whether this machine and this command line are fit for a mode, and what to do if not.

import { parseArgs } from "@std/cli";
import { checkOwnPermissions } from "../process/own_permissions.ts";
import { probeWalls } from "../process/host_probe.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import type { Host, Wall } from "../sandbox/host.ts";
import { type Command, refuseUnknown, UsageError } from "./command.ts";
import { findModeFlags, loadManifest, MANIFEST_MODES } from "./manifests.ts";
import { print } from "./output.ts";

/** One thing that was looked at. */
interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "note" | "problem";
  readonly detail: string;
  readonly fix?: string;
}

/** Deno of this version is what the permissions and sandboxes were tried with. */
const OLDEST_DENO = "2.9.0";

/** The command. */
export const DOCTOR_COMMAND: Command = {
  name: "doctor",
  summary: "say what works here, what is granted too much or too little, and how to mend it",
  help: `Usage: deno run [permissions] mod.ts doctor [mode] [options]

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
    const findings = [findDeno(), findWall(host)];
    if (mode !== undefined) {
      const options = { roots: parsed.root, manifest: parsed.manifest };
      findings.push(...await findPrograms(mode, options.manifest));
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

/** Programs that a mode can do without, by mode, and what it does then. */
const OPTIONAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reader: { bcp: "the codec in this process does its work" },
};

/** Whether the programs of a mode may be started; which version they have is theirs to say when they run. */
async function findPrograms(mode: string, file: string | undefined): Promise<Finding[]> {
  const { programs } = await loadManifest(mode, file);
  const findings: Finding[] = [];
  for (const [name, { kind, command, sandbox }] of programs) {
    const subject = `program ${name}`;
    if (kind === "deno") {
      findings.push({ subject, verdict: "ok", detail: `runs in Deno: ${command}` });
      continue;
    }
    const { state } = await Deno.permissions.query({ name: "run", command });
    // Inside a sandbox the wall starts the program, so that Deno need not allow it.
    if (state === "granted" || sandbox === "require") {
      findings.push({ subject, verdict: "ok", detail: command });
      continue;
    }
    const without = OPTIONAL[mode]?.[name];
    const detail = `"${command}" is not found, or Deno does not allow it`;
    findings.push({
      subject,
      verdict: "note",
      detail: without === undefined ? detail : `${detail}; ${without}`,
      fix: `Install it and add --allow-run=${command}`,
    });
  }
  return findings;
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

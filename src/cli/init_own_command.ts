// `mod.ts init --via-cli`: the client's own program adds the server, started through the launcher within
// `permissions/init.jsonc`. What it did to the file is journaled, so that it can be taken back like our own edits.

import type { Client, Entry, Scope } from "../clients/client.ts";
import { readEntry } from "../clients/config_edit.ts";
import { createLog } from "../gateway/log.ts";
import { parseManifest } from "../permission/manifest_parse.ts";
import { describeOutcome } from "../process/outcome.ts";
import { openAudit } from "./audit.ts";
import { openCompartment } from "./compartment.ts";
import { openConfig } from "./config_file.ts";
import { findVariable, printError } from "./command.ts";
import type { InitJournal } from "./init_journal.ts";
import type { Change, Target } from "./init_target.ts";
import { findProgram } from "./manifests.ts";

/** What the client is told to add, and where it will be found afterwards. */
export interface OwnAddition {
  readonly client: Client;
  readonly target: Target;
  readonly entry: Entry;
  readonly scope: Scope;
  readonly project: string;
}

/** Has the client add the server itself, and looks whether it did. */
export async function addByOwnCommand(
  addition: OwnAddition,
  journal: InitJournal,
): Promise<Change> {
  const { client, target, entry, scope } = addition;
  const own = client.own?.scopes.includes(scope) === true ? client.own : undefined;
  if (own === undefined) {
    return refuse(
      `has no command for the scope "${scope}" that is known here; leave --via-cli out`,
    );
  }
  using _lock = journal.lock();
  const before = openConfig(target.key, target.newMode);
  if (before.kind === "refused") return before;
  const edit = target.edit(before.file.text);
  if (edit.kind !== "changed") return edit;
  const { name } = target.key;
  const problem = await runProgram(own.program, own.toArguments(name, entry, scope), addition);
  if (problem !== undefined) return refuse(problem);
  const after = openConfig(target.key, target.newMode);
  if (after.kind === "refused") return after;
  const written = readEntry(after.file.text, { ...client, name });
  if (after.file.bytes === undefined || !holds(written, entry)) {
    return refuse(
      `does not hold the entry although "${own.program}" succeeded; leave --via-cli out`,
    );
  }
  const { bytes } = before.file;
  const backup = await journal.record(target.key, bytes, after.file.bytes, false);
  return bytes === undefined ? { kind: "created" } : { kind: "updated", backup };
}

/** Returns why it failed. */
async function runProgram(
  name: string,
  args: readonly string[],
  { project }: OwnAddition,
): Promise<string | undefined> {
  const shipped = await import("../../permissions/init.jsonc", { with: { type: "text" } });
  const manifest = parseManifest(shipped.default);
  const rules = manifest.programs.get(name);
  if (rules === undefined) return `cannot be written by "${name}", which the manifest lacks`;
  const command = await findProgram(rules.command, findVariable("PATH"));
  const log = createLog({ level: "warning", sink: printError });
  const ended = new AbortController();
  const compartment = await openCompartment({
    manifest: { ...manifest, programs: new Map([[name, { ...rules, command }]]) },
    audit: openAudit(undefined, log),
    log,
    shutdown: ended.signal,
  });
  const launcher = await compartment.bind([project]);
  const env = Object.fromEntries(
    rules.env.map((variable) => [variable, findVariable(variable)] as const)
      .filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const outcome = await launcher.run({ name, args, env, cwd: project }, ended.signal);
  if (outcome.kind === "exited" && outcome.code === 0) return undefined;
  const told = outcome.kind === "exited" ? `: ${outcome.stderrTail.trim().slice(-200)}` : "";
  return `was not written by "${name}". ${describeOutcome(outcome)}${told}`;
}

function holds(written: unknown, entry: Entry): boolean {
  return typeof written === "object" && written !== null && "command" in written &&
    "args" in written && written.command === entry.command &&
    JSON.stringify(written.args) === JSON.stringify(entry.args);
}

function refuse(reason: string): Change {
  return { kind: "refused", reason };
}

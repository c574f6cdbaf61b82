// One thing that `mod.ts init` writes: a server's entry in a client's configuration, or the section of AGENTS.md. Plans
// it, writes it under the journal, and takes it back.

import { removeAgentsSection, setAgentsSection } from "../clients/agents_section.ts";
import {
  type Client,
  type ClientHost,
  type Entry,
  findClient,
  findPlace,
  homeVariable,
  type Scope,
} from "../clients/client.ts";
import { type ConfigPlace, removeEntry, setEntry } from "../clients/config_edit.ts";
import type { ConfigEdit } from "../clients/text_edit.ts";
import { toUnifiedDiff } from "../clients/unified_diff.ts";
import type { Flag } from "../sandbox/deno_flags.ts";
import {
  type ConfigFile,
  lacksDirectory,
  makeDirectory,
  openConfig,
  parentOf,
  PRIVATE_MODE,
  PROJECT_MODE,
  removeIfThere,
  replaceConfig,
  temporaryPath,
} from "./config_file.ts";
import {
  type ChangeKey,
  type ChangeRecord,
  findWayBack,
  type InitJournal,
} from "./init_journal.ts";

/** What is to be written, and how it is taken out again. */
export interface Target {
  readonly key: ChangeKey;
  /** For a question to a person. */
  readonly title: string;
  /** The path as a person would write it. */
  readonly label: string;
  readonly newMode: number;
  readonly edit: (text: string) => ConfigEdit;
}

/** One clause that follows the path. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
}

/** What became of a target. */
export type Change =
  | { readonly kind: "created" | "deleted" | "unchanged" | "restored" }
  | { readonly kind: "updated" | "removed"; readonly backup: string | undefined }
  | Refusal;

/** A server's entry in the configuration of a client; `undefined` when it has none of that scope. */
export function planEntry(
  client: Client,
  server: { readonly name: string; readonly entry: Entry; readonly scope: Scope },
  host: ClientHost,
): Target | undefined {
  const place = findPlace(client, server.scope, host);
  if (place === undefined) return undefined;
  const where: ConfigPlace = { ...client, name: server.name };
  return {
    key: { ...place, client: client.name, name: server.name },
    title: `${client.title} MCP config`,
    label: toLabel(place.path, host),
    newMode: server.scope === "project" ? PROJECT_MODE : PRIVATE_MODE,
    edit: (text) => setEntry(text, where, server.entry),
  };
}

/** The name of the section in the journal. */
const SECTION_NAME = "AGENTS.md section";

/** The section about binnacle. */
export function planAgentsSection({ project }: ClientHost): Target {
  const path = `${project}/AGENTS.md`;
  return {
    key: { path, root: project, client: undefined, name: SECTION_NAME },
    title: SECTION_NAME,
    label: "AGENTS.md",
    newMode: PROJECT_MODE,
    edit: setAgentsSection,
  };
}

/** What this process needs to write, or only to look at, some files; each flag with its reason. */
export function listNeeds(
  keys: readonly Pick<ChangeKey, "path" | "root">[],
  state: string | undefined,
): readonly Flag[] {
  // Beside a file in the home directory lie things that are none of our business.
  const paths = keys.flatMap(({ path, root }) =>
    parentOf(path) === root ? [path, temporaryPath(path)] : [parentOf(path)]
  );
  const list = [...new Set(state === undefined ? paths : [...paths, state])].join(",");
  const read = {
    flag: `--allow-read=${list}`,
    reason: "configurations, and what was done to them",
  };
  if (state === undefined) return [read];
  return [read, {
    flag: `--allow-write=${list}`,
    reason: "configurations, copies and the journal",
  }];
}

/** The difference that writing a target would make; its text is empty when there is none. */
export async function previewTarget(
  target: Target,
): Promise<{ readonly kind: "diff"; readonly text: string } | Refusal> {
  return await guard(() => {
    const opened = openConfig(target.key, target.newMode);
    if (opened.kind === "refused") return opened;
    const { bytes, text } = opened.file;
    const edit = target.edit(text);
    if (edit.kind === "refused") return edit;
    const before = bytes === undefined ? undefined : text;
    const after = edit.kind === "changed" ? edit.text : text;
    return { kind: "diff", text: toUnifiedDiff(target.label, before, after) };
  });
}

/** Writes a target: a copy of what is there, a record of the change, then the change itself. */
export async function applyTarget(target: Target, journal: InitJournal): Promise<Change> {
  using _lock = journal.lock();
  return await guard(async () => {
    const opened = openConfig(target.key, target.newMode);
    if (opened.kind === "refused") return opened;
    const edit = target.edit(opened.file.text);
    if (edit.kind !== "changed") return edit;
    const { bytes } = opened.file;
    const after = new TextEncoder().encode(edit.text);
    const lacks = lacksDirectory(target.key);
    const backup = await journal.record(target.key, bytes, after, lacks);
    const reason = (lacks ? makeDirectory(target.key) : undefined) ??
      replaceConfig(opened.file, after);
    if (reason !== undefined) return { kind: "refused", reason };
    return bytes === undefined ? { kind: "created" } : { kind: "updated", backup };
  });
}

/** Takes a change back: to the exact former bytes if nobody changed the file since, else only what is ours. */
export async function undoChange(record: ChangeRecord, journal: InitJournal): Promise<Change> {
  using _lock = journal.lock();
  return await guard(async () => {
    const opened = openConfig(record, PRIVATE_MODE);
    if (opened.kind === "refused") return opened;
    const { file } = opened;
    const way = await findWayBack(record, file.bytes);
    if (way.kind === "none") return takeOut(record, file, journal);
    const reason = way.kind === "exact" ? replaceConfig(file, way.bytes) : undefined;
    if (reason !== undefined) return { kind: "refused", reason };
    if (record.former.kind === "absent" && record.former.madeDirectory) {
      removeIfEmpty(parentOf(record.path));
    }
    journal.forget(record, { keepCopy: false });
    if (way.kind === "there") return { kind: "unchanged" };
    return way.bytes === undefined ? { kind: "deleted" } : { kind: "restored" };
  });
}

function takeOut(record: ChangeRecord, file: ConfigFile, journal: InitJournal): Change {
  const client = record.client === undefined ? undefined : findClient(record.client);
  const edit = client === undefined
    ? removeAgentsSection(file.text)
    : removeEntry(file.text, { ...client, name: record.name });
  if (edit.kind === "refused") return edit;
  let backup: string | undefined;
  if (edit.kind === "changed" && file.bytes !== undefined) {
    backup = journal.copy(record.path, file.bytes);
    const reason = replaceConfig(file, new TextEncoder().encode(edit.text));
    if (reason !== undefined) return { kind: "refused", reason };
  }
  journal.forget(record, { keepCopy: true });
  return edit.kind === "changed" ? { kind: "removed", backup } : edit;
}

/** The path as a person would write it: below the project, or with `~`. */
export function toLabel(path: string, host: ClientHost): string {
  const home = host.variables.get(homeVariable(host.os));
  if (path.startsWith(`${host.project}/`)) return path.slice(host.project.length + 1);
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function removeIfEmpty(directory: string): void {
  try {
    removeIfThere(directory);
  } catch (error) {
    // Somebody keeps something in it by now.
    if (!(error instanceof Error) || !/not empty/i.test(error.message)) throw error;
  }
}

async function guard<T>(work: () => Promise<T> | T): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    return toRefusal(error);
  }
}

/** What the operating system says no to is a refusal like any other; a fault of ours is not. */
function toRefusal(error: unknown): Refusal {
  const isSystem = error instanceof Error && ("code" in error || error.name in Deno.errors);
  if (!isSystem && !(error instanceof SyntaxError)) throw error;
  return { kind: "refused", reason: `cannot be used: ${error.message}` };
}

// What `mod.ts init` has done, so that it can be taken back: one record for each file and entry, and a copy of what
// the file held before. A record is written before the file is touched, so that no change is ever without one.

import {
  isSame,
  parentOf,
  PRIVATE_MODE,
  readIfThere,
  removeIfThere,
  syncDirectory,
  writeNewFile,
} from "./config_file.ts";

/** What a file held before our first change. */
export type Former =
  /** There was no file. */
  | { readonly kind: "absent"; readonly madeDirectory: boolean }
  | { readonly kind: "copy"; readonly backup: string; readonly hash: string }
  /** Somebody else changed it between two of our changes: there is no one moment to go back to. */
  | { readonly kind: "mixed" };

/** Which change of which file. */
export interface ChangeKey {
  /** Path as the client knows it. */
  readonly path: string;
  /** Directory that the path must not lead out of. */
  readonly root: string;
  /** Row of the table; `undefined` for AGENTS.md. */
  readonly client: string | undefined;
  /** Name of the entry, or of the section. */
  readonly name: string;
}

/** One change that can be taken back. */
export interface ChangeRecord extends ChangeKey {
  readonly former: Former;
  /** Hashes of everything we wrote in its place, the latest last. */
  readonly written: readonly string[];
}

/** Hashes kept of one file; older ones only matter if a run was killed. */
const MAX_WRITTEN = 8;

/** More than this is no journal of ours. */
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;

/** The journal in one state directory. */
export class InitJournal {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps other runs out until the handle is disposed; a killed run lets go by itself. */
  lock(): Disposable {
    Deno.mkdirSync(`${this.#directory}/backups`, { recursive: true, mode: 0o700 });
    const options = { write: true, create: true, mode: PRIVATE_MODE };
    const file = Deno.openSync(`${this.#directory}/lock`, options);
    file.lockSync(true);
    return file;
  }

  /**
   * Every record, the oldest first.
   *
   * @throws SyntaxError when the journal is damaged.
   */
  read(): readonly ChangeRecord[] {
    const bytes = readIfThere(this.#path);
    if (bytes === undefined) return [];
    const text = bytes.length > MAX_JOURNAL_BYTES ? "" : new TextDecoder().decode(bytes);
    const records = findRecords(text);
    if (records !== undefined) return records;
    throw new SyntaxError(`Journal "${this.#path}" is damaged; move it away to go on without undo`);
  }

  /** Keeps a copy of what a file holds, and says where. */
  copy(path: string, bytes: Uint8Array): string {
    const stamp = new Date().toISOString().replaceAll(/[-:.]/g, "");
    const name = path.slice(parentOf(path).length + 1).replace(/^\./, "");
    const id = crypto.randomUUID().slice(0, 8);
    const backup = `${this.#directory}/backups/${stamp}-${id}-${name}`;
    writeNewFile(backup, bytes, PRIVATE_MODE);
    syncDirectory(backup);
    return backup;
  }

  /**
   * Writes down that a file is about to change, and keeps a copy of what it holds. Returns where the copy is, if
   * there was anything to copy.
   */
  async record(
    key: ChangeKey,
    before: Uint8Array | undefined,
    after: Uint8Array,
    madeDirectory: boolean,
  ): Promise<string | undefined> {
    const records = this.read();
    const known = records.find((record) => isKey(record, key));
    const backup = before === undefined ? undefined : this.copy(key.path, before);
    const former = known === undefined
      ? await toFormer(before, backup, madeDirectory)
      : await isOurs(known, before)
      ? known.former
      : { kind: "mixed" } as const;
    const written = [...known?.written ?? [], await hashOf(after)].slice(-MAX_WRITTEN);
    const others = records.filter((record) => record !== known);
    this.#write([...others, { ...key, former, written }]);
    return backup;
  }

  /** Forgets a change that was taken back; without `keepCopy` also the copy that it needed. */
  forget(key: ChangeKey, options: { readonly keepCopy: boolean }): void {
    const records = this.read();
    const known = records.find((record) => isKey(record, key));
    this.#write(records.filter((record) => record !== known));
    if (known?.former.kind === "copy" && !options.keepCopy) removeIfThere(known.former.backup);
  }

  get #path(): string {
    return `${this.#directory}/init.json`;
  }

  #write(records: readonly ChangeRecord[]): void {
    const text = `${JSON.stringify({ version: 1, records }, null, 2)}\n`;
    const temporary = `${this.#path}.tmp`;
    removeIfThere(temporary);
    writeNewFile(temporary, new TextEncoder().encode(text), PRIVATE_MODE);
    Deno.renameSync(temporary, this.#path);
    syncDirectory(this.#path);
  }
}

/** The bytes to go back to: `before` is `undefined` when there was no file. */
export type WayBack =
  | { readonly kind: "exact"; readonly bytes: Uint8Array | undefined }
  /** Already as it was before. */
  | { readonly kind: "there" }
  /** Changed since, or no copy: only our entry can be taken out. */
  | { readonly kind: "none" };

/** How a change can be taken back, given what the file holds now. */
export async function findWayBack(
  record: ChangeRecord,
  now: Uint8Array | undefined,
): Promise<WayBack> {
  const { former } = record;
  if (former.kind === "mixed") return { kind: "none" };
  if (former.kind === "absent") {
    if (now === undefined) return { kind: "there" };
    return await isOurs(record, now) ? { kind: "exact", bytes: undefined } : { kind: "none" };
  }
  const bytes = readIfThere(former.backup);
  if (bytes === undefined || await hashOf(bytes) !== former.hash) return { kind: "none" };
  if (isSame(bytes, now)) return { kind: "there" };
  return await isOurs(record, now) ? { kind: "exact", bytes } : { kind: "none" };
}

/** Whether a file holds what we wrote, or what it held before us. */
async function isOurs(record: ChangeRecord, now: Uint8Array | undefined): Promise<boolean> {
  if (now === undefined) return record.former.kind === "absent";
  const hash = await hashOf(now);
  return record.written.includes(hash) ||
    (record.former.kind === "copy" && record.former.hash === hash);
}

async function toFormer(
  before: Uint8Array | undefined,
  backup: string | undefined,
  madeDirectory: boolean,
): Promise<Former> {
  return before === undefined || backup === undefined
    ? { kind: "absent", madeDirectory }
    : { kind: "copy", backup, hash: await hashOf(before) };
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes.slice());
  return new Uint8Array(digest).toHex();
}

function isKey(record: ChangeRecord, key: ChangeKey): boolean {
  return record.path === key.path && record.client === key.client && record.name === key.name;
}

function findRecords(text: string): readonly ChangeRecord[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const records = typeof value === "object" && value !== null && "records" in value
      ? value.records
      : undefined;
    return Array.isArray(records) && records.every(isRecord) ? records : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: Partial<ChangeRecord> | null): value is ChangeRecord {
  return typeof value?.path === "string" && typeof value.root === "string" &&
    typeof value.name === "string" && Array.isArray(value.written) &&
    ["absent", "copy", "mixed"].includes(String(value.former?.kind));
}

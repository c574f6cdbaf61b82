// Binnacle's registry of agents, as far as it can be read: where its storage is, which repository a directory belongs
// to, and whether an agent stands in `agents.jsonl`. Reads only what Deno allows and says so where that is not enough.

import { isObject, type JsonObject } from "../../jsonrpc/message.ts";
import { isGranted } from "../../process/root_access.ts";

/** Variables that binnacle knows, as far as the server may read them. */
export type BnEnvironment = Readonly<Record<string, string | undefined>>;

/** What the registry says of an agent; `unreadable` when it cannot be looked at from here. */
export type AgentState = "present" | "absent" | "unreadable";

/** The file grows with every command; one that is larger is left to the program itself. */
const MAX_REGISTRY_BYTES = 32 * 1024 * 1024;

/** How long an agent that said goodbye still counts; binnacle strikes it off after this. */
const GOODBYE_MS = 10_000;

/** Looks an agent up in the registry of the repository around a real directory. */
export async function findAgent(
  id: string,
  cwd: string,
  environment: BnEnvironment,
): Promise<AgentState> {
  const base = await findStorage(environment);
  const folder = await findStorageFolder(cwd, environment);
  if (base === undefined || folder === undefined) return "unreadable";
  const path = `${base}/${folder}/agents.jsonl`;
  if (!await isGranted("read", path)) return "unreadable";
  try {
    if ((await Deno.stat(path)).size > MAX_REGISTRY_BYTES) return "unreadable";
    return isRegistered(id, await Deno.readTextFile(path)) ? "present" : "absent";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "absent";
    return "unreadable";
  }
}

/** Where binnacle keeps the storage of all repositories; `undefined` when the environment does not tell. */
export async function findStorage(environment: BnEnvironment): Promise<string | undefined> {
  const { BN_DATA_DIR, BN_TEST_MODE, BN_TEST_ID, BN_CONTAINER_MODE, HOME } = environment;
  if (BN_DATA_DIR) return BN_DATA_DIR;
  const home = HOME === undefined
    ? undefined
    : Deno.build.os === "darwin"
    ? `${HOME}/Library/Application Support`
    : `${HOME}/.local/share`;
  const share = environment.XDG_DATA_HOME || home;
  if (BN_TEST_MODE === "1" || BN_TEST_MODE === "true") {
    return share && `${share}/binnacle-test${BN_TEST_ID ? `/${BN_TEST_ID}` : ""}`;
  }
  if (BN_CONTAINER_MODE !== undefined || await hasDirectory("/binnacle")) return "/binnacle";
  return share && `${share}/binnacle`;
}

/** The name of a repository's storage: twelve digits of a hash over its real path. */
async function findStorageFolder(
  cwd: string,
  environment: BnEnvironment,
): Promise<string | undefined> {
  const isContainer = environment.BN_CONTAINER_MODE !== undefined;
  if (isContainer && environment.BN_STORAGE_HASH) return environment.BN_STORAGE_HASH;
  const repository = environment.BN_REPO || await findRepository(cwd, isContainer);
  if (repository === undefined || repository === ELSEWHERE) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(repository));
  return new Uint8Array(digest).toHex().slice(0, 12);
}

/** A worktree's main repository may lie where the server cannot read, and a sandbox neither. */
const ELSEWHERE = "";

/** Whether a directory is of a worktree whose main repository is out of reach: inside a sandbox it would seem another. */
export async function isCutOff(cwd: string, environment: BnEnvironment): Promise<boolean> {
  if (environment.BN_REPO || environment.BN_CONTAINER_MODE !== undefined) return false;
  return await findRepository(cwd, false) === ELSEWHERE;
}

/** The nearest directory with a `.git` above, its main repository if it is a worktree, or the directory itself. */
async function findRepository(cwd: string, isContainer: boolean): Promise<string | undefined> {
  for (let folder = cwd; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    const git = `${folder}/.git`;
    if (!await isGranted("read", git)) return undefined;
    const entry = await Deno.stat(git).catch(() => undefined);
    if (entry === undefined) continue;
    return entry.isDirectory || isContainer ? folder : await findMainRepository(folder);
  }
  return cwd;
}

/** A worktree's `.git` is a file that leads to the main repository; a submodule's leads nowhere else. */
async function findMainRepository(folder: string): Promise<string> {
  const [, target] = /^gitdir: *(.+)$/m.exec(await Deno.readTextFile(`${folder}/.git`)) ?? [];
  if (target === undefined) return folder;
  const git = target.startsWith("/") ? target : `${folder}/${target}`;
  if (!await isGranted("read", `${git}/commondir`)) return ELSEWHERE;
  const common = await Deno.readTextFile(`${git}/commondir`).catch(() => undefined);
  if (common === undefined) return folder;
  const path = common.trim();
  const main = `${path.startsWith("/") ? path : `${git}/${path}`}/..`;
  return await isGranted("read", main) ? await Deno.realPath(main) : ELSEWHERE;
}

/** The last line of each process counts; lines that are no record of an agent are skipped. */
function isRegistered(id: string, text: string): boolean {
  const records = new Map<number, JsonObject>();
  for (const line of text.split("\n")) {
    const record = parseRecord(line);
    if (typeof record?.pid === "number") records.set(record.pid, record);
  }
  const record = records.values().find((candidate) => candidate.id === id);
  if (record === undefined) return false;
  const left = typeof record.goodbye_at === "string" ? Date.parse(record.goodbye_at) : NaN;
  return !(left < Date.now() - GOODBYE_MS);
}

function parseRecord(line: string): JsonObject | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return isObject(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

async function hasDirectory(path: string): Promise<boolean> {
  if (!await isGranted("read", path)) return false;
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory === true;
}

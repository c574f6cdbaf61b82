/**
 * `bcp encode`: manifest → payload, and with `--dedup` the store its references need. A payload with
 * references is never written before, or without, that store.
 */
import type { Block } from "./block.ts";
import { CommandFailure, type CommandIo, readFile, writeFile } from "./command_io.ts";
import type { CommandCall } from "./command_line.ts";
import { encodePayload } from "./encode.ts";
import { BcpEncodeError, BcpSyntaxError } from "./error.ts";
import { ManifestSyntaxError } from "./json.ts";
import { type ManifestBlock, parseManifest } from "./manifest.ts";
import { buildBlocks, type ContentReader, ManifestBlockError } from "./manifest_blocks.ts";
import { ContentStore, decodeStore, encodeStore } from "./store.ts";
import { findStrictText } from "./text.ts";

/** Runs `bcp encode`; returns what it prints. */
export async function runEncode(call: CommandCall, io: CommandIo): Promise<string> {
  const output = call.values.get("output")!;
  const storePath = call.values.get("store");
  checkStoreOption(call);
  const manifest = await readManifest(call.file, io);
  const blocks = await build(manifest, contentReader(call.file, io));
  const store = call.switches.has("dedup") ? await openStore(storePath, io) : undefined;
  const bodiesBefore = store?.size ?? 0;
  const bytes = encode(blocks, call, store);
  if (store !== undefined && hasReferences(blocks, store, bodiesBefore)) {
    if (storePath === undefined) {
      const fix = "add --store FILE to keep it, or drop --dedup";
      throw new CommandFailure(`--dedup needs a content store to be readable again: ${fix}`);
    }
    await writeFile(io, storePath, encodeStore(store));
  }
  await writeFile(io, output, bytes);
  return `Wrote ${bytes.length} bytes to ${output}\n`;
}

function checkStoreOption({ switches, values }: CommandCall): void {
  const storePath = values.get("store");
  if (storePath === undefined) return;
  if (!switches.has("dedup")) {
    throw new CommandFailure("--store has no use without --dedup: add --dedup, or drop --store");
  }
  if (storePath === values.get("output")) {
    throw new CommandFailure("--store and --output name the same file: choose another for one");
  }
}

async function readManifest(path: string, io: CommandIo): Promise<readonly ManifestBlock[]> {
  const text = findStrictText(await readFile(io, path));
  if (text === undefined) {
    throw new CommandFailure(`cannot read ${path}: stream did not contain valid UTF-8`);
  }
  try {
    return parseManifest(text);
  } catch (error) {
    if (!(error instanceof ManifestSyntaxError)) throw error;
    throw new CommandFailure(`failed to parse manifest ${path}: ${error.message}`, {
      cause: error,
    });
  }
}

async function build(
  manifest: readonly ManifestBlock[],
  read: ContentReader,
): Promise<readonly Block[]> {
  try {
    return await buildBlocks(manifest, read);
  } catch (error) {
    if (!(error instanceof ManifestBlockError)) throw error;
    throw new CommandFailure(error.message, { cause: error });
  }
}

function contentReader(manifestPath: string, io: CommandIo): ContentReader {
  return async (file) => {
    const path = joinPath(manifestPath, file);
    const outcome = await io.readFile(path);
    return outcome.kind === "read" ? outcome : { kind: "failed", path, reason: outcome.reason };
  };
}

/** A path from the manifest's folder: absolute ones replace it, and a bare manifest has no `./`. */
function joinPath(manifestPath: string, file: string): string {
  if (file.startsWith("/")) return file;
  const slash = manifestPath.lastIndexOf("/");
  return manifestPath.slice(0, slash + 1) + file;
}

async function openStore(path: string | undefined, io: CommandIo): Promise<ContentStore> {
  if (path === undefined) return new ContentStore();
  const outcome = await io.readFile(path);
  if (outcome.kind === "failed") {
    if (outcome.isMissing) return new ContentStore();
    throw new CommandFailure(`cannot read ${path}: ${outcome.reason}`);
  }
  return parseStore(path, outcome.bytes);
}

/**
 * Reads a store file.
 *
 * @throws {CommandFailure} when it is damaged or no store at all.
 */
export function parseStore(path: string, bytes: Uint8Array): ContentStore {
  try {
    return decodeStore(bytes);
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    throw new CommandFailure(`failed to read store ${path}: ${error.message}`, { cause: error });
  }
}

function encode(
  blocks: readonly Block[],
  call: CommandCall,
  store: ContentStore | undefined,
): Uint8Array {
  try {
    return encodePayload(blocks, {
      compressBlocks: call.switches.has("compress-blocks"),
      compressPayload: call.switches.has("compress-payload"),
      ...(store === undefined ? {} : { store, dedup: true }),
    });
  } catch (error) {
    if (!(error instanceof BcpEncodeError)) throw error;
    throw new CommandFailure(`BcpEncoder::encode failed: ${error.message}`, { cause: error });
  }
}

/** Every block that did not add a body to the store was replaced by a reference into it. */
function hasReferences(
  blocks: readonly Block[],
  store: ContentStore,
  bodiesBefore: number,
): boolean {
  return store.size - bodiesBefore < blocks.length;
}

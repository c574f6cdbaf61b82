/**
 * The `bcp` program as a function: arguments in, exit code out, files and texts through what the caller
 * gives it. Flags, output and exit codes are those of the reference program.
 */

import { type Block, findBlockKind, type KnownBlockKind } from "./block.ts";
import type { Verbosity } from "./budget.ts";
import { findStrictText, quote, toUtf8 } from "./bytes.ts";
import {
  type CommandCall,
  CommandFailure,
  type CommandIo,
  parseCommandLine,
  readFile,
  writeFile,
} from "./command_line.ts";
import { type DecodeOptions, decodePayload, type Payload } from "./decode.ts";
import { encodePayload } from "./encode.ts";
import { BcpEncodeError, BcpSyntaxError } from "./error.ts";
import { ManifestSyntaxError } from "./json.ts";
import { type ManifestBlock, parseManifest } from "./manifest.ts";
import { buildBlocks, type ContentReader, ManifestBlockError } from "./manifest_blocks.ts";
import { describeRenderFailure, renderBlocks, type RenderMode } from "./render.ts";
import { ContentStore, decodeStore, encodeStore } from "./store.ts";
import { toInspection, toStatsText, validatePayload } from "./views.ts";

/** The command did what was asked. */
const EXIT_OK = 0;
/** The command failed and said why. */
const EXIT_FAILED = 1;
/** The command line was wrong. */
const EXIT_USAGE = 2;

/** Runs `bcp` with the arguments after its name and returns its exit code. */
export async function runBcp(argv: readonly string[], io: CommandIo): Promise<number> {
  const line = parseCommandLine(argv);
  if (line.kind === "show") {
    io.stdout(line.text);
    return EXIT_OK;
  }
  if (line.kind === "wrong") {
    io.stderr(line.text);
    return EXIT_USAGE;
  }
  try {
    const text = await runCall(line, io);
    if (text !== "") io.stdout(text);
    return EXIT_OK;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    io.stderr(`error: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

/** Runs one command; returns what it prints when it succeeds. */
async function runCall(call: CommandCall, io: CommandIo): Promise<string> {
  const { command, file, switches, values } = call;
  if (command === "encode") return await runEncode(call, io);
  const bytes = await readFile(io, file);
  const options = await findStore(values.get("store"), io);
  if (command === "validate") {
    const validation = await validatePayload(bytes, options);
    if (validation.kind === "valid") return validation.text;
    io.stdout(validation.text);
    throw new CommandFailure("validation failed", { cause: validation.error });
  }
  const payload = await decode(file, bytes, options);
  switch (command) {
    case "decode":
      return await runDecode(payload, call, io);
    case "stats":
      return toStatsText(payload, { path: file, bytes: bytes.length });
    case "inspect": {
      const block = values.get("block");
      return toInspection(payload, {
        fileBytes: bytes.length,
        showBody: switches.has("show-body"),
        showHex: switches.has("show-hex"),
        ...(block === undefined ? {} : { block: Number(block) }),
      });
    }
  }
}

async function findStore(path: string | undefined, io: CommandIo): Promise<DecodeOptions> {
  return path === undefined ? {} : { store: parseStore(path, await readFile(io, path)) };
}

async function decode(file: string, bytes: Uint8Array, options: DecodeOptions): Promise<Payload> {
  try {
    return await decodePayload(bytes, options);
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    throw new CommandFailure(`failed to decode ${file}: ${error.message}`, { cause: error });
  }
}

// `bcp decode`: payload → text. Options are checked only after the payload decoded, as in the reference.

const MODES: ReadonlyMap<string, RenderMode> = new Map<string, RenderMode>([
  ["xml", "xml"],
  ["markdown", "markdown"],
  ["md", "markdown"],
  ["minimal", "minimal"],
]);
const VERBOSITIES: ReadonlyMap<string, Verbosity> = new Map<string, Verbosity>([
  ["full", "full"],
  ["summary", "summary"],
  ["adaptive", "adaptive"],
]);

/** Runs `bcp decode` on a decoded payload; returns what it prints. */
export async function runDecode(
  payload: Payload,
  call: CommandCall,
  io: CommandIo,
): Promise<string> {
  const mode = parseMode(call.values.get("mode") ?? "xml");
  const verbosity = parseVerbosity(call.values.get("verbosity") ?? "adaptive");
  const list = call.values.get("include");
  const budget = call.values.get("budget");
  const outcome = renderBlocks(payload.blocks, {
    mode,
    verbosity,
    ...(list === undefined ? {} : { include: parseInclude(list) }),
    ...(budget === undefined ? {} : { budget: Number(budget) }),
  });
  if (outcome.kind !== "rendered") {
    throw new CommandFailure(`driver render failed: ${describeRenderFailure(outcome)}`);
  }
  const output = call.values.get("output");
  if (output !== undefined) {
    await writeFile(io, output, toUtf8(outcome.text));
    return "";
  }
  return outcome.text.endsWith("\n") ? outcome.text : `${outcome.text}\n`;
}

function parseMode(text: string): RenderMode {
  const mode = MODES.get(text.toLowerCase());
  if (mode !== undefined) return mode;
  throw new CommandFailure(`unknown mode ${quote(text)} — expected xml|markdown|minimal`);
}

function parseVerbosity(text: string): Verbosity {
  const verbosity = VERBOSITIES.get(text.toLowerCase());
  if (verbosity !== undefined) return verbosity;
  throw new CommandFailure(`unknown verbosity ${quote(text)} — expected full|summary|adaptive`);
}

function parseInclude(list: string): ReadonlySet<KnownBlockKind> {
  const kinds = new Set<KnownBlockKind>();
  for (const item of list.split(",").map((part) => part.trim())) {
    if (item === "") continue;
    const kind = findBlockKind(item);
    if (kind === undefined) throw new CommandFailure(`unknown block type ${quote(item)}`);
    kinds.add(kind);
  }
  return kinds;
}

// `bcp encode`: manifest → payload, and with `--dedup` the store its references need. A payload with
// references is never written before, or without, that store.

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

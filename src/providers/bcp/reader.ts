// What the reader's tools and resources do: open the file, hand it to the engine, say what came of it.

import type {
  Call,
  CallEvent,
  Completion,
  CompletionRequest,
  Inquiry,
} from "../../activation/activation.ts";
import { findBlockKind, type KnownBlockKind } from "../../bcp/block.ts";
import type { Verbosity } from "../../bcp/budget.ts";
import { RENDER_MODES, type RenderMode } from "../../bcp/render.ts";
import { askClientRoots } from "../../activation/client_roots.ts";
import {
  INTERNAL_ERROR,
  type JsonObject,
  type JsonValue,
  RpcError,
} from "../../jsonrpc/message.ts";
import type { Resource, ResourceContents, ResourceTemplate } from "../../mcp/model.ts";
import type { Refusal } from "../../process/root_access.ts";
import type {
  BcpEngine,
  ContentOutcome,
  EngineOutcome,
  EngineRun,
  OpenFile,
  ReadOptions,
} from "./engine.ts";
import { EngineChoice, type ReaderOptions } from "./engine_choice.ts";
import { FileAccess, MAX_FILE_BYTES } from "./file_access.ts";
import { findTarget, writePayload } from "./write_payload.ts";
import { outlineFile } from "./payload_outline.ts";
import { type PayloadEntry, ResourceTree, TEMPLATE } from "./resource_tree.ts";

type View = "inspect" | "validate" | "stats";

const VIEWS: ReadonlyMap<string, View> = new Map([
  ["inspect_bcp_file", "inspect"],
  ["validate_bcp_file", "validate"],
  ["bcp_stats", "stats"],
]);

type Access =
  | { readonly kind: "files"; readonly files: FileAccess }
  | { readonly kind: "refused"; readonly reason: string };

/** The reader once it is needed. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #access: FileAccess;
  readonly #choice: EngineChoice;
  readonly #tree: ResourceTree;

  /** Opens nothing yet. */
  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#access = new FileAccess(options.roots);
    this.#choice = new EngineChoice(options);
    this.#tree = new ResourceTree(this.#access);
  }

  /** Runs a tool. */
  async *call(call: Call): AsyncGenerator<CallEvent> {
    const { tool, arguments: given } = call;
    const run = toRun(call, tool);
    const access = await this.#narrowAccess(call);
    if (access.kind === "refused") return yield failure(access.reason);
    if (tool === "encode_bcp_file") return yield* this.#encode(given, run, access.files);
    const opened = await access.files.openPayload(String(given.path));
    if (opened.kind === "refused") return yield failure(opened.reason);
    const { file } = opened;
    if (tool === "read_bcp_file") return yield* this.#read(file, given, run);
    const view = VIEWS.get(tool);
    if (view === undefined) throw new TypeError(`Unknown tool "${tool}"`);
    const engine = await this.#choice.get(file.roots);
    yield* report(file, engine, await engine[view](file, run));
  }

  /** The payloads below the declared roots, and the client's own where it has any. */
  async listResources(inquiry: Inquiry): Promise<readonly Resource[]> {
    return (await this.#listPayloads(inquiry)).map(({ uri, name, bytes }) => ({
      uri,
      name,
      mimeType: "text/plain",
      // The size of the file; its rendered text is longer or shorter.
      size: bytes,
    }));
  }

  /** The one family of resources. */
  listTemplates(): Promise<readonly ResourceTemplate[]> {
    return Promise.resolve([TEMPLATE]);
  }

  /** A payload as text in the default mode; `undefined` where there is none. */
  async readResource(
    uri: string,
    inquiry: Inquiry,
  ): Promise<readonly ResourceContents[] | undefined> {
    const path = await this.#tree.find(uri);
    if (path === undefined) return undefined;
    const access = await this.#narrowAccess(inquiry);
    if (access.kind === "refused") throw new RpcError(INTERNAL_ERROR, access.reason);
    const opened = await access.files.openPayload(path);
    if (opened.kind === "refused") return undefined;
    // Messages name the resource as the client knows it.
    const file = { ...opened.file, name: uri };
    const { mode } = this.#options;
    const engine = await this.#choice.get(file.roots);
    const outcome = await engine.read(file, { mode }, toRun(inquiry, "resources/read"));
    if (outcome.kind === "failed") throw new RpcError(INTERNAL_ERROR, outcome.message);
    const mimeType = mode === "markdown" ? "text/markdown" : "text/plain";
    return [{ uri, mimeType, text: outcome.text }];
  }

  /** Completes the path of a resource. */
  async complete(request: CompletionRequest): Promise<Completion> {
    const { reference, argument } = request;
    if (reference.kind !== "resource" || reference.uri !== TEMPLATE.uriTemplate) {
      return { values: [] };
    }
    const paths = (await this.#listPayloads(request)).map(({ name }) => name);
    return { values: paths.filter((path) => path.startsWith(argument.value)) };
  }

  async #listPayloads(inquiry: Inquiry): Promise<readonly PayloadEntry[]> {
    const access = await this.#narrowAccess(inquiry);
    if (access.kind === "refused") throw new RpcError(INTERNAL_ERROR, access.reason);
    return await this.#tree.list(access.files);
  }

  async *#read(
    file: OpenFile,
    given: JsonObject,
    run: EngineRun,
  ): AsyncGenerator<CallEvent> {
    const options = parseReadOptions(given, this.#options.mode);
    if (options.kind === "refused") return yield failure(options.reason);
    // No `bcp` program selects by index, so that is the codec's work whichever engine is in force.
    const engine = options.blocks === undefined
      ? await this.#choice.get(file.roots)
      : await this.#choice.embedded();
    const outcome = await engine.read(file, options, run);
    yield* report(file, engine, outcome, { mode: options.mode });
  }

  /** Opens the files of one manifest, all of them together within the bound of one file. */
  #contentReader(files: FileAccess): (name: string) => Promise<ContentOutcome> {
    let left = MAX_FILE_BYTES;
    return async (name) => {
      const content = await files.open(name);
      if (content.kind === "refused") return content;
      const { bytes } = content.file;
      left -= bytes.length;
      if (left >= 0) return { kind: "read", bytes };
      const reason = `the files of the manifest are larger than ${MAX_FILE_BYTES} bytes together`;
      return { kind: "refused", reason };
    };
  }

  /** The files that this client lets us touch: those below the roots, or below the client's own within them. */
  async #narrowAccess(inquiry: Inquiry): Promise<Access> {
    if (this.#options.clientRoots === "ignore") return { kind: "files", files: this.#access };
    const roots = await askClientRoots(inquiry);
    if (roots.kind === "refused") return roots;
    const isNarrowed = roots.kind === "offered";
    return {
      kind: "files",
      files: isNarrowed ? this.#access.narrowedTo(roots.paths) : this.#access,
    };
  }

  async *#encode(
    given: JsonObject,
    run: EngineRun,
    files: FileAccess,
  ): AsyncGenerator<CallEvent> {
    const output = String(given.output_path);
    const target = await findTarget(files, output);
    if (target.kind === "refused") return yield failure(target.reason);
    const opened = await files.open(String(given.manifest_path));
    if (opened.kind === "refused") return yield failure(opened.reason);
    const engine = await this.#choice.get(opened.file.roots);
    const encoded = await engine.encode({
      manifest: opened.file,
      compress: given.compress === true,
      readContent: this.#contentReader(files),
    }, run);
    if (encoded.kind === "failed") return yield failure(encoded.message);
    const { bytes } = encoded;
    const outline = await outlineFile(bytes);
    if (outline === undefined) {
      return yield failure("The engine made a payload that does not decode");
    }
    const written = await writePayload(output, target, { bytes, signal: run.signal });
    if (written.kind === "refused") return yield failure(written.reason);
    const stats = await engine.stats(written.file, run);
    const head = `Wrote ${bytes.length} bytes to ${output}\n`;
    yield text(stats.kind === "done" ? `${head}\n${stats.text}` : head);
    const ratio = Math.round(bytes.length * 1000 / Math.max(1, outline.contentBytes)) / 1000;
    yield {
      kind: "structured",
      value: { path: output, engine: engine.kind, bytes: bytes.length, ratio, ...outline },
    };
  }
}

function toRun({ signal, caller }: Inquiry, tool: string): EngineRun {
  return caller === undefined ? { signal } : { signal, caller: { ...caller, tool } };
}

/** What an engine said, and beside it the outline of the payload. */
async function* report(
  file: OpenFile,
  engine: BcpEngine,
  outcome: EngineOutcome,
  more: JsonObject = {},
): AsyncGenerator<CallEvent> {
  if (outcome.kind === "failed") return yield failure(outcome.message);
  yield text(outcome.text);
  const outline = await outlineFile(file.bytes, outcome.payload);
  yield {
    kind: "structured",
    value: { path: file.name, engine: engine.kind, bytes: file.bytes.length, ...more, ...outline },
  };
}

function text(words: string): CallEvent {
  return { kind: "content", block: { type: "text", text: words } };
}

function failure(message: string): CallEvent {
  return { kind: "failure", message };
}

// Arguments of `read_bcp_file` → options of an engine. The schema has checked types and enums; numbers that `bcp` could
// not take are refused here.

const MAX_BUDGET = 0xffff_ffff;
const VERBOSITIES: readonly Verbosity[] = ["full", "summary", "adaptive"];

/** The options, or what is wrong with the arguments. */
export function parseReadOptions(
  given: JsonObject,
  defaultMode: RenderMode,
): ReadOptions & { readonly kind: "options" } | Refusal {
  const { budget } = given;
  if (budget !== undefined && !isBudget(budget)) {
    const reason = `"budget" must be a whole number from 0 to ${MAX_BUDGET}`;
    return { kind: "refused", reason: `Cannot read: ${reason}; correct it and call again` };
  }
  const verbosity = VERBOSITIES.find((name) => name === given.verbosity) ??
    (budget === undefined ? undefined : "adaptive");
  const include = findKinds(given.include);
  const blocks = findIndices(given.blocks);
  return {
    kind: "options",
    mode: RENDER_MODES.find((name) => name === given.mode) ?? defaultMode,
    ...(budget === undefined ? {} : { budget }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(include === undefined ? {} : { include }),
    ...(blocks === undefined ? {} : { blocks }),
  };
}

function isBudget(value: JsonValue): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_BUDGET;
}

/** An empty list is no choice: clients that fill in every argument send one. */
function findKinds(value: JsonValue | undefined): readonly KnownBlockKind[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((name) => findBlockKind(String(name))).filter((kind) => kind !== undefined);
}

function findIndices(value: JsonValue | undefined): readonly number[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(Number) : undefined;
}

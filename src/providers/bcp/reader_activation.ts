// The activation of `reader` mode. This file is all that loads before a client is greeted; what opens files, starts
// programs and decodes is loaded by the first request that needs it.

import type {
  Activation,
  Call,
  CallEvent,
  Completion,
  CompletionRequest,
  Inquiry,
  ResourceSource,
} from "../../activation/activation.ts";
import type { RenderMode } from "../../bcp/render.ts";
import type { Tool } from "../../mcp/model.ts";
import type { ReaderOptions } from "./engine_choice.ts";
import type { Reader } from "./reader.ts";

/** Serves BCP files. */
export class ReaderActivation implements Activation {
  readonly namespace: string;
  readonly resources: ResourceSource;
  readonly #options: ReaderOptions;
  readonly #tools: readonly Tool[];
  #reader: Promise<Reader> | undefined;

  /** Opens nothing yet. */
  constructor(options: ReaderOptions) {
    this.namespace = options.namespace;
    this.#options = options;
    this.#tools = listReaderTools(options.mode);
    this.resources = {
      list: async (inquiry: Inquiry) => (await this.#load()).listResources(inquiry),
      templates: async () => (await this.#load()).listTemplates(),
      read: async (uri: string, inquiry: Inquiry) =>
        (await this.#load()).readResource(uri, inquiry),
    };
  }

  /** The five tools. */
  tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Runs one of them. */
  async *call(call: Call): AsyncGenerator<CallEvent> {
    yield* (await this.#load()).call(call);
  }

  /** Completes the path of a resource. */
  async complete(request: CompletionRequest): Promise<Completion> {
    return await (await this.#load()).complete(request);
  }

  /** Nothing outlives a call: programs end with the signal of the call or of the server. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #load(): Promise<Reader> {
    return this.#reader ??= import("./reader.ts").then(({ Reader }) => new Reader(this.#options));
  }
}

// The tools of the reader as data: names, schemas and descriptions of SPEC_11 §3, and two more that `bcp` offers too.

const PATH = { type: "string", description: "Absolute path to the .bcp file" } as const;

const BLOCK_TYPES = [
  "code",
  "conversation",
  "file_tree",
  "tool_result",
  "document",
  "structured_data",
  "diff",
  "embedding_ref",
  "image",
  "extension",
] as const;

const INSPECT: Tool = {
  name: "inspect_bcp_file",
  title: "Inspect BCP file",
  description: "Inspect a .bcp file and return a summary of its blocks, sizes, and structure " +
    "without rendering the full content.",
  inputSchema: { type: "object", properties: { path: PATH }, required: ["path"] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const ENCODE: Tool = {
  name: "encode_bcp_file",
  title: "Encode BCP file",
  description: "Encode a JSON manifest into a .bcp file. The manifest describes blocks to " +
    "include (code, conversation, tool results, etc.).",
  inputSchema: {
    type: "object",
    properties: {
      manifest_path: { type: "string", description: "Absolute path to the JSON manifest file" },
      output_path: { type: "string", description: "Absolute path for the output .bcp file" },
      compress: {
        type: "boolean",
        description: "Enable per-block zstd compression",
        default: false,
      },
    },
    required: ["manifest_path", "output_path"],
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

const VALIDATE: Tool = {
  name: "validate_bcp_file",
  title: "Validate BCP file",
  description: "Check that a .bcp file is well-formed: header, every block, END sentinel.",
  inputSchema: { type: "object", properties: { path: PATH }, required: ["path"] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const STATS: Tool = {
  name: "bcp_stats",
  title: "BCP statistics",
  description: "Count the blocks and bytes of a .bcp file by type, and estimate the tokens that " +
    "each render mode would cost.",
  inputSchema: { type: "object", properties: { path: PATH }, required: ["path"] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** The tools, with the mode that `read_bcp_file` renders in when none is asked for. */
export function listReaderTools(mode: RenderMode): readonly Tool[] {
  return [toReadTool(mode), INSPECT, ENCODE, VALIDATE, STATS];
}

function toReadTool(mode: RenderMode): Tool {
  return {
    name: "read_bcp_file",
    title: "Read BCP file",
    description: "Read and decode a .bcp (Bit Context Protocol) file, returning the rendered " +
      "content as model-ready text. Supports XML, Markdown, and Minimal output modes.",
    inputSchema: {
      type: "object",
      properties: {
        path: PATH,
        mode: {
          type: "string",
          description: "Output render mode",
          enum: ["xml", "markdown", "minimal"],
          default: mode,
        },
        budget: {
          type: "number",
          description: "Optional token budget. When set, low-priority blocks are summarized to " +
            "fit within the budget.",
        },
        include: {
          type: "array",
          description: "Render only blocks of these types",
          items: { type: "string", enum: BLOCK_TYPES },
        },
        blocks: {
          type: "array",
          description: "Render only the blocks at these zero-based indices, as " +
            "inspect_bcp_file numbers them",
          items: { type: "integer", minimum: 0 },
        },
        verbosity: {
          type: "string",
          description: "full ignores the budget, summary prefers summaries, adaptive obeys the " +
            "budget",
          enum: ["full", "summary", "adaptive"],
          default: "adaptive",
        },
      },
      required: ["path"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

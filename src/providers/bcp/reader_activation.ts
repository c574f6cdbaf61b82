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
import type { Tool } from "../../mcp/model.ts";
import type { Reader } from "./reader.ts";
import type { ReaderOptions } from "./reader_options.ts";
import { listReaderTools } from "./reader_tools.ts";

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
      list: async () => (await this.#load()).listResources(),
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

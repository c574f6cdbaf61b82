// The activation of `bn` mode. This file and its schemas are all that loads before a client is greeted.

import type {
  Activation,
  Call,
  CallEvent,
  PromptSource,
  ResourceSource,
} from "../../activation/activation.ts";
import type { Tool } from "../../mcp/model.ts";
import type { BnOptions } from "./bn_program.ts";
import type { BnServer } from "./bn_server.ts";
import { BN_TOOLS } from "./bn_tools.ts";

const RESOURCES = [
  {
    name: "status",
    mimeType: "application/json",
    description: "Current project status (task counts, queue state)",
  },
  { name: "agents", mimeType: "text/markdown", description: "Content of AGENTS.md if present" },
  { name: "issues", mimeType: "application/json", description: "Issues of the project" },
] as const;

/** Serves the binnacle program. */
export class BnActivation implements Activation {
  readonly namespace: string;
  readonly resources: ResourceSource;
  readonly prompts: PromptSource;
  readonly #options: BnOptions;
  #server: Promise<BnServer> | undefined;

  /** Starts nothing yet. */
  constructor(options: BnOptions) {
    this.namespace = options.namespace;
    this.#options = options;
    this.resources = {
      list: () =>
        Promise.resolve(RESOURCES.map((row) => ({ ...row, uri: `binnacle://${row.name}` }))),
      // For the stateless wire, where nobody remembers a session.
      templates: () =>
        Promise.resolve(
          RESOURCES.map((row) => ({ ...row, uriTemplate: `binnacle://${row.name}{?session}` })),
        ),
      read: async (uri, inquiry) => await (await this.#load()).read(uri, inquiry),
    };
    this.prompts = {
      list: () =>
        Promise.resolve([{
          name: "agent_instructions",
          description: "How an agent works with binnacle",
        }]),
      get: async (request) => {
        const text = await (await this.#load()).getInstructions(request);
        return { messages: [{ role: "user", content: { type: "text", text } }] };
      },
    };
  }

  /** The four tools. */
  tools(): readonly Tool[] {
    return BN_TOOLS;
  }

  /** Runs one of them. */
  async *call(call: Call): AsyncGenerator<CallEvent> {
    yield* (await this.#load()).call(call);
  }

  /** Nothing outlives a call: programs end with the signal of the call or of the server. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #load(): Promise<BnServer> {
    return this.#server ??= import("./bn_server.ts").then(({ BnServer }) =>
      new BnServer(this.#options)
    );
  }
}

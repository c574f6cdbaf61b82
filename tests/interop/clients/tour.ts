// The journey that every SDK client makes through the everything fixture, whatever its library and era.

import {
  ASKING_PROMPT,
  DESCRIBED_TOOL,
  PROMPT_ARGUMENTS,
  RESOURCES,
  TOOL_ARGUMENTS,
} from "./answers.ts";
import type { Notebook } from "./notebook.ts";
import {
  type CompletionResult,
  type Contents,
  type PromptResult,
  showCompletion,
  showContents,
  showError,
  showPrompt,
  showToolResult,
  type ToolResult,
} from "./report.ts";

/** How a client starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** Where a client finds the server: it starts one, or connects to one. */
export type ServerPlace = ServerCommand | { readonly url: string };

/** The least severe message that a call wants to be told; unset is the revision's own choice. */
export interface CallOptions {
  readonly logLevel?: "info" | "error";
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: string) => void;
}

/** A tool's definition. */
export interface Named {
  readonly name: string;
}

/** One page of a list. */
export interface ToolPage {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

/** What a client watches, and how it stops. */
export interface Watching {
  readonly honored: unknown;
  stop(): Promise<unknown>;
}

/** A client library, seen alike. */
export interface Peer {
  readonly notebook: Notebook;
  readonly greeting: unknown;
  /** Every page. */
  listTools(): Promise<readonly Named[]>;
  listFirstTools(): Promise<ToolPage>;
  callTool(
    name: string,
    given: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  listResources(): Promise<string[]>;
  listTemplates(): Promise<string[]>;
  readResource(uri: string): Promise<Contents[]>;
  /** How this era watches a resource; the stateless wire hears of changed lists this way too. */
  readonly watchMethod: "resources/subscribe" | "subscriptions/listen";
  watch(): Promise<Watching>;
  listPrompts(): Promise<string[]>;
  getPrompt(name: string, given: Record<string, string>): Promise<PromptResult>;
  complete(reference: Reference, value: string): Promise<CompletionResult>;
  ping(): Promise<unknown>;
  /** A request that the server answers at once, however busy it is. */
  touch(): Promise<unknown>;
}

/** What is completed. */
export type Reference = { type: "ref/prompt"; name: string } | {
  type: "ref/resource";
  uri: string;
};

/** As many calls as run side by side, and one that waits. */
const CALLS_TO_CANCEL = 17;
/** With the fixture's own tools more than the 50 of a page. */
const TOOLS_TO_ADD = 20;

/** Makes the journey; what it saw is told by feature. */
export async function tour(peer: Peer): Promise<Record<string, unknown>> {
  const definitions = await peer.listTools();
  const tools = definitions.map((tool) => tool.name);
  const prompts = await peer.listPrompts();
  return {
    "connect": peer.greeting,
    "ping": await attempt(() => peer.ping()),
    "tools/list": tools,
    "a tool's definition": definitions.find((tool) => tool.name === DESCRIBED_TOOL),
    "resources/list": await peer.listResources(),
    "resources/templates/list": await peer.listTemplates(),
    "resources/read": await eachOf(
      RESOURCES,
      async (uri) => showContents(await peer.readResource(uri)),
    ),
    "unknown resource": await attempt(() => peer.readResource("test://nowhere")),
    "prompts/list": prompts,
    "prompts/get": await eachOf(
      prompts.filter((name) => name !== ASKING_PROMPT),
      async (name) => showPrompt(await peer.getPrompt(name, PROMPT_ARGUMENTS[name] ?? {})),
    ),
    "a prompt that asks": await attempt(async () =>
      showPrompt(await peer.getPrompt(ASKING_PROMPT, {}))
    ),
    "unknown prompt": await attempt(() => peer.getPrompt("nothing", {})),
    "completion": await completeBoth(peer),
    ...await watch(peer),
    "progress": await followProgress(peer),
    "logging": await readLogs(peer),
    "cancel": await cancelMany(peer),
    "tools/call": await eachOf(
      tools,
      async (name) => showToolResult(await peer.callTool(name, TOOL_ARGUMENTS[name] ?? {})),
    ),
    "unknown tool": await attempt(() => peer.callTool("nothing", {})),
    "bad arguments": showToolResult(await peer.callTool("greet", { name: 7 })),
    "pagination": await addTools(peer),
  };
}

async function completeBoth(peer: Peer): Promise<unknown> {
  const prompt = { type: "ref/prompt", name: "test_prompt_with_arguments" } as const;
  const resource = { type: "ref/resource", uri: "test://template/{id}/data" } as const;
  return {
    prompt: showCompletion(await peer.complete(prompt, "test")),
    resource: showCompletion(await peer.complete(resource, "7")),
  };
}

/** Hears of changes while it watches, and of none while it does not. */
async function watch(peer: Peer): Promise<Record<string, unknown>> {
  const { notebook } = peer;
  const first = await peer.watch();
  for (const what of ["tool_change", "prompt_change", "resource_change", "resource_update"]) {
    const heard = notebook.nextNews();
    await peer.callTool(`test_trigger_${what}`, {});
    await heard;
  }
  await first.stop();
  await peer.callTool("test_trigger_resource_update", {});
  const second = await peer.watch();
  const heard = notebook.nextNews();
  await peer.callTool("test_trigger_resource_update", {});
  await heard;
  await second.stop();
  await peer.touch();
  return { [peer.watchMethod]: first.honored, "list_changed, updated": [...notebook.news] };
}

async function followProgress(peer: Peer): Promise<unknown> {
  const progress: string[] = [];
  await peer.callTool("test_tool_with_progress", {}, {
    onProgress: (step) => progress.push(step),
  });
  return progress;
}

async function readLogs(peer: Peer): Promise<unknown> {
  const { logs } = peer.notebook;
  const read = async (options: CallOptions) => {
    logs.length = 0;
    await peer.callTool("test_tool_with_logging", {}, options);
    return [...logs];
  };
  const unset = await read({});
  const info = await read({ logLevel: "info" });
  const error = await read({ logLevel: "error" });
  return { unset, info, error };
}

/** Takes every place to run, gives them back by canceling, and sees that they are free. */
async function cancelMany(peer: Peer): Promise<unknown> {
  const controller = new AbortController();
  const calls = Array.from(
    { length: CALLS_TO_CANCEL },
    () => peer.callTool("slow_compute", { seconds: 600 }, { signal: controller.signal }),
  );
  const ends = Promise.allSettled(calls);
  await peer.touch();
  controller.abort("Enough");
  const canceled = (await ends).filter(({ status }) => status === "rejected").length;
  return { canceled, next: showToolResult(await peer.callTool("greet", { name: "next" })) };
}

async function addTools(peer: Peer): Promise<unknown> {
  const before = new Set((await peer.listTools()).map((tool) => tool.name));
  for (let index = 0; index < TOOLS_TO_ADD; index++) {
    await peer.callTool("test_trigger_tool_change", {});
  }
  const { tools, nextCursor } = await peer.listFirstTools();
  const first = `${tools.length}${nextCursor === undefined ? "" : " and more"}`;
  const all = new Set((await peer.listTools()).map((tool) => tool.name));
  return { first, all: all.size, kept: before.isSubsetOf(all), added: all.size - before.size };
}

async function eachOf(
  keys: readonly string[],
  show: (key: string) => Promise<string>,
): Promise<Record<string, unknown>> {
  const lines: Record<string, unknown> = {};
  for (const key of keys) lines[key] = await attempt(() => show(key));
  return lines;
}

/** What the act gives, or the line of what it throws. */
export async function attempt(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return showError(error);
  }
}

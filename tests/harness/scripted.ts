// Activations made of a few lines, and what their tools wait for.

import type { Activation, Call, CallEvent, JsonObject, Tool } from "../../mod.ts";
import { withDeadline } from "./deadline.ts";

/** What a scripted tool does. */
export type Script = (call: Call) => AsyncIterable<CallEvent> | Iterable<CallEvent>;

/** A tool: what it does alone, or with parts of its definition. */
export type ScriptedTool = Script | (Partial<Tool> & { readonly run: Script });

/** An activation of these tools, by name; anything else that it offers goes into `parts`. */
export function scripted(
  tools: Readonly<Record<string, ScriptedTool>>,
  parts: Partial<Activation> = {},
): Activation {
  return {
    namespace: "scripted",
    tools: () => Object.entries(tools).map(([name, tool]) => define(name, tool)),
    async *call(call) {
      const tool = tools[call.tool];
      if (tool === undefined) throw new TypeError(`No script for "${call.tool}"`);
      yield* typeof tool === "function" ? tool(call) : tool.run(call);
    },
    async [Symbol.asyncDispose]() {},
    ...parts,
  };
}

/** An activation of `count` tools that are only listed, named so that their order is plain. */
export function numbered(count: number): Activation {
  const names = Array.from({ length: count }, (_, index) => `tool_${`${index}`.padStart(4, "0")}`);
  return scripted(Object.fromEntries(names.map((name) => [name, () => []])));
}

/** An event of one text block. */
export function say(text: string): CallEvent {
  return { kind: "content", block: { type: "text", text } };
}

/** The text of a tool's result, its blocks joined by line feeds. */
export function textOf(result: JsonObject): string {
  const content = Array.isArray(result.content) ? result.content : [];
  return content.map((block) => block.text).filter((text) => text !== undefined).join("\n");
}

/** A tool that holds on until it is let go or canceled, and tells what became of it. */
export class Held {
  readonly #started = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<"answered" | "aborted">();

  /** Resolves when the tool runs. */
  readonly started: Promise<void> = this.#started.promise;
  /** What the tool does. */
  readonly run: Script = (call) => this.#run(call);

  /** How the tool ended. */
  get ended(): Promise<"answered" | "aborted"> {
    return withDeadline(this.#ended.promise, () => "The tool did not end");
  }

  /** Lets the tool answer. */
  release(): void {
    this.#released.resolve();
  }

  async *#run({ signal }: Call): AsyncGenerator<CallEvent> {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    this.#started.resolve();
    try {
      await Promise.race([aborted.promise, this.#released.promise]);
      yield say("released");
    } finally {
      this.#ended.resolve(signal.aborted ? "aborted" : "answered");
    }
  }
}

function define(name: string, tool: ScriptedTool): Tool {
  const simple: Tool = { name, description: `The tool ${name}`, inputSchema: { type: "object" } };
  if (typeof tool === "function") return simple;
  const { run: _run, ...definition } = tool;
  return { ...simple, ...definition };
}

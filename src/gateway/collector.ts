// Call events → one tool result. Whatever the stream does, there is exactly one result, and it is never longer than the
// bound.

import type { CallEvent } from "../activation/activation.ts";
import type { JsonValue } from "../jsonrpc/message.ts";
import type { ContentBlock, ToolResult } from "../mcp/model.ts";
import { toMeaning } from "./domain_event.ts";
import type { Notifier } from "./notifier.ts";

/** What even an empty block costs, so that there is no end of empty ones. */
const BLOCK_LENGTH = 32;

/** Takes what a call tells while it runs. */
export type Teller = Pick<Notifier, "progress" | "log">;

/** Gathers what a call yields. */
export class Collector {
  readonly #teller: Teller;
  readonly #maxLength: number;
  readonly #blocks: ContentBlock[] = [];
  readonly #failures: string[] = [];
  #text = "";
  #structured: JsonValue | undefined;
  #fallback: JsonValue | undefined;
  #length = 0;
  #steps = 0;
  #ended = false;

  /** Starts empty; live events go to the teller. */
  constructor(teller: Teller, maxLength: number) {
    this.#teller = teller;
    this.#maxLength = maxLength;
  }

  /** Whether nothing that may still come would count. */
  get isFull(): boolean {
    return this.#ended || this.#length > this.#maxLength;
  }

  /** Takes one event. */
  add(event: CallEvent): void {
    switch (event.kind) {
      case "content":
        this.#addBlock(event.block);
        break;
      case "structured":
        this.#structured = event.value;
        this.#length += textOf(event.value).length;
        break;
      case "progress":
        this.#teller.progress(event);
        break;
      case "log":
        this.#teller.log(event);
        break;
      case "event":
        this.#addDomainEvent(event.data);
        break;
      case "failure":
        this.#fail(event.message);
        if (event.details !== undefined) this.#addDetails(event.details);
        break;
      case "detach":
        // Where the call goes on is not the result's matter.
        break;
    }
  }

  /** The result of all that was taken. */
  toResult(): ToolResult {
    if (this.#length > this.#maxLength) {
      return failedResult(
        `The result is longer than ${this.#maxLength} characters and was left out; ask for less`,
      );
    }
    const isError = this.#failures.length > 0;
    const content = this.#toContent(isError);
    return this.#structured === undefined
      ? { kind: "call", content, isError }
      : { kind: "call", content, isError, structured: this.#structured };
  }

  /** Most results are blocks and nothing else; those need no copy. */
  #toContent(isError: boolean): readonly ContentBlock[] {
    if (this.#text === "" && !isError && this.#blocks.length > 0) return this.#blocks;
    const content = [...this.#texts(), ...this.#blocks, ...this.#failures.map(textBlock)];
    return content.length > 0 ? content : this.#fallbackBlocks();
  }

  #texts(): ContentBlock[] {
    return this.#text === "" ? [] : [textBlock(this.#text)];
  }

  /** Clients that do not read structured content still get it, as JSON text (MCP server/tools). */
  #fallbackBlocks(): ContentBlock[] {
    if (this.#structured !== undefined) return [textBlock(JSON.stringify(this.#structured))];
    if (this.#fallback === undefined) return [];
    return [textBlock(JSON.stringify(this.#fallback, null, 2))];
  }

  #addDomainEvent(data: JsonValue): void {
    const meaning = toMeaning(data);
    switch (meaning.kind) {
      case "text":
        this.#text += meaning.text;
        this.#length += meaning.text.length;
        this.#step(meaning.text);
        break;
      case "note":
        this.#addBlock(textBlock(meaning.text));
        this.#step(meaning.text);
        break;
      case "block":
        this.#addBlock(meaning.block);
        break;
      case "failure":
        this.#fail(meaning.message);
        break;
      case "end":
        this.#fallback = meaning.result;
        if (meaning.result !== undefined) this.#length += textOf(meaning.result).length;
        this.#ended = true;
        break;
      case "nothing":
        break;
    }
  }

  #step(message: string): void {
    this.#steps += 1;
    this.#teller.progress({ kind: "progress", progress: this.#steps, message });
  }

  #addBlock(block: ContentBlock): void {
    this.#blocks.push(block);
    this.#length += BLOCK_LENGTH + lengthOf(block);
  }

  #addDetails(details: JsonValue): void {
    this.#structured ??= details;
    this.#length += textOf(details).length;
  }

  #fail(message: string): void {
    this.#failures.push(message);
    this.#length += BLOCK_LENGTH + message.length;
  }
}

/** A tool result that says why there is no other. */
export function failedResult(message: string): ToolResult {
  return { kind: "call", content: [textBlock(message)], isError: true };
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/**
 * The value as JSON.
 *
 * @throws TypeError when JSON cannot carry it, as that of an activation that is not typed may happen not to.
 */
function textOf(value: JsonValue): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("Cannot send a value that is not JSON");
  return text;
}

function lengthOf(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
    case "audio":
      return block.data.length;
    default:
      return JSON.stringify(block).length;
  }
}

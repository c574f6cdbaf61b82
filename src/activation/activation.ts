// The contracts between the core and whatever offers tools. An activation is one enabled provider; it knows nothing of
// MCP revisions, transports or sessions.

import type { JsonObject, JsonValue } from "../jsonrpc/message.ts";
import type {
  ContentBlock,
  Prompt,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from "../mcp/model.ts";
import type { CompletionReference, LogLevel } from "../mcp/params.ts";
import type { Answer, Question } from "../mcp/question.ts";

/** One enabled provider: a namespace and what it offers. */
export interface Activation extends AsyncDisposable {
  /** Prefix of its tools where their bare names would collide with another activation's. */
  readonly namespace: string;
  /** Its tools now, from memory: everybody waits while it looks. One that throws has none until it is asked again. */
  tools(): readonly Tool[];
  /** Runs a tool. A tool's own failure is an event, not an exception. */
  call(call: Call): AsyncIterable<CallEvent>;
  /** Its resources, if it has any. */
  readonly resources?: ResourceSource;
  /** Its prompts, if it has any. */
  readonly prompts?: PromptSource;
  /** Completes an argument of a prompt or a resource template. */
  complete?(request: CompletionRequest): Promise<Completion>;
  /** Tells when its tools, resources or prompts differ from before; ends when `signal` aborts. */
  changes?(signal: AbortSignal): AsyncIterable<Change>;
}

/** What every request to an activation may do: notice that it is no longer wanted, and ask the client. */
export interface Inquiry {
  /** Who asks; for the audit, never for a decision: a client may call itself anything. */
  readonly caller?: { readonly client: string; readonly requestId: string | number };
  /**
   * One object for all requests of a session, and for nothing else: a key for what an activation remembers of a client.
   * Keep it in a `WeakMap`, so that what is remembered ends with the session. Absent on the stateless wire, where a
   * request must bring along what is to be known.
   */
  readonly session?: object | undefined;
  /** Whose token the client showed, as a word that tells owners apart; empty where none is asked for. */
  readonly owner?: string;
  /** Aborts when the client cancels, disconnects, or the server ends. */
  readonly signal: AbortSignal;
  /** Whether the client can be asked this. */
  canAsk(question: Question): boolean;
  /**
   * Asks the client or its user. On the stateless wire the request may run again from its start with the answer at
   * hand, so ask before acting; `key` names the question among those of this request.
   */
  ask(key: string, question: Question): Promise<Answer>;
}

/** One invocation of a tool; its arguments fit the tool's input schema. */
export interface Call extends Inquiry {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What a running tool tells. */
export type CallEvent =
  | {
    readonly kind: "progress";
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }
  | {
    readonly kind: "log";
    readonly level: LogLevel;
    readonly logger?: string;
    readonly data: JsonValue;
  }
  | { readonly kind: "content"; readonly block: ContentBlock }
  | { readonly kind: "structured"; readonly value: JsonValue }
  | { readonly kind: "event"; readonly data: JsonValue }
  /**
   * From here on the call goes on by itself: a client that can fetch the result later need not wait for it, and should
   * ask for it about every `retryMs`. To any other client this means nothing.
   */
  | { readonly kind: "detach"; readonly retryMs?: number }
  | {
    readonly kind: "failure";
    readonly message: string;
    readonly code?: string;
    readonly details?: JsonValue;
  };

/** An activation's resources. A list is waited for until the inquiry's signal aborts; the stateless wire cannot be asked. */
export interface ResourceSource {
  list(inquiry: Inquiry): Promise<readonly Resource[]>;
  templates(inquiry: Inquiry): Promise<readonly ResourceTemplate[]>;
  /** The contents, or `undefined` when there is no such resource here. */
  read(uri: string, inquiry: Inquiry): Promise<readonly ResourceContents[] | undefined>;
  /** Yields each time the resource changes, until the signal aborts; `undefined` when it is not one of these. */
  watch?(uri: string, signal: AbortSignal): AsyncIterable<void> | undefined;
}

/** An activation's prompts; listed as resources are. */
export interface PromptSource {
  list(inquiry: Inquiry): Promise<readonly Prompt[]>;
  /** Renders a prompt; every required argument is there. */
  get(request: PromptRequest): Promise<RenderedPrompt>;
}

/** One rendering of a prompt. */
export interface PromptRequest extends Inquiry {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** A prompt with its arguments filled in. */
export interface RenderedPrompt {
  readonly messages: readonly PromptMessage[];
  readonly description?: string;
}

/** An argument that wants completing; as with lists, the stateless wire cannot be asked. */
export interface CompletionRequest extends Inquiry {
  readonly reference: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are settled already. */
  readonly context: Readonly<Record<string, string>>;
}

/** Suggestions, best first; the core hands on at most 100. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
}

/** Which list of an activation differs now. */
export interface Change {
  readonly kind: "tools" | "resources" | "prompts";
}

/** Code that can offer tools, before it is enabled. */
export interface Provider {
  /** The word for it in configs and logs. */
  readonly kind: string;
  /** Enables it under a namespace. */
  activate(request: ActivationRequest): Promise<Activation>;
}

/** How a provider is to be enabled. */
export interface ActivationRequest {
  readonly namespace: string;
}

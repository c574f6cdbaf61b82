// The revision-neutral model: what activations offer and handlers return. Shapes follow the newest revision; codecs
// leave out what an older one lacks.

import type { JsonObject, JsonValue } from "../jsonrpc/message.ts";

/** A picture for a client's user interface. */
export type Icon = {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
};

/** Who made a program and what it is called. */
export type Implementation = {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
};

/** Hints about a tool's behaviour; never to be relied on for safety. */
export type ToolAnnotations = {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

/** A tool's definition. The input schema's root is always an object. */
export type Tool = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /**
   * Whether its calls can or must go on as tasks, where the client knows those. Never sent: the server decides for each
   * call.
   */
  readonly task?: "optional" | "required";
};

/** For whom a piece of content is meant, how much it matters, and its age. */
export type Annotations = {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
};

type Noted = { readonly annotations?: Annotations; readonly _meta?: JsonObject };

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents =
  & { readonly uri: string; readonly mimeType?: string; readonly _meta?: JsonObject }
  & ({ readonly text: string } | { readonly blob: string });

/** One piece of a tool's result or of a prompt's message. */
export type ContentBlock =
  & Noted
  & (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | ({ readonly type: "resource_link" } & Omit<Resource, "annotations" | "_meta">)
  );

/** A resource's definition. */
export type Resource = Noted & {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
};

/** A family of resources, by RFC 6570 template. */
export type ResourceTemplate = Noted & {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
};

/** A prompt's definition. */
export type Prompt = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
};

/** One argument of a prompt. */
export type PromptArgument = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
};

/** One message of a rendered prompt. */
export type PromptMessage = {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
};

/** How long a result stays fresh, and whether it may be shared between users. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: "public" | "private";
}

/** What a handler returns; a codec turns it into the wire shape of the client's revision. */
export type Result =
  | { readonly kind: "empty" }
  | { readonly kind: "initialize"; readonly features: Features; readonly server: ServerIdentity }
  | { readonly kind: "discover"; readonly features: Features; readonly server: ServerIdentity }
  | Page<"tools", Tool>
  | Page<"resources", Resource>
  | Page<"resourceTemplates", ResourceTemplate>
  | Page<"prompts", Prompt>
  | ToolResult
  | { readonly kind: "contents"; readonly contents: readonly ResourceContents[] }
  | {
    readonly kind: "messages";
    readonly messages: readonly PromptMessage[];
    readonly description?: string;
  }
  | {
    readonly kind: "completion";
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore: boolean;
  }
  | { readonly kind: "listened"; readonly subscriptionId: string | number }
  | {
    readonly kind: "input_required";
    readonly requests: ReadonlyMap<string, WireQuestion>;
    readonly state: string;
  }
  | { readonly kind: "task_created" | "task"; readonly task: Task };

/** One page of a list. */
export interface Page<Kind extends string, Item> {
  readonly kind: Kind;
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** What a tool call came to. */
export interface ToolResult {
  readonly kind: "call";
  readonly content: readonly ContentBlock[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
}

/** A call that goes on after its request was answered (MCP extension tasks). */
export interface Task {
  /** Not to be guessed: who knows it and is its owner may see the result. */
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How long after its creation it can be asked for. */
  readonly ttlMs: number;
  /** How often a client should ask. */
  readonly pollIntervalMs: number;
  /** What it is about now, in words for people. */
  readonly statusMessage?: string;
  readonly state: TaskState;
}

/** Where a task stands; the last three are final. */
export type TaskState =
  | { readonly status: "working" }
  | { readonly status: "input_required"; readonly requests: ReadonlyMap<string, WireQuestion> }
  | { readonly status: "completed"; readonly result: ToolResult }
  | {
    readonly status: "failed";
    readonly error: {
      readonly code: number;
      readonly message: string;
      readonly data: JsonValue | undefined;
    };
  }
  | { readonly status: "cancelled" };

/** A question as it goes over a wire. */
export interface WireQuestion {
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/** What this server can do, from its activations. */
export interface Features {
  readonly tools: boolean;
  readonly resources: boolean;
  /** Whether resources can be watched. */
  readonly subscriptions: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  /** Lists of which clients are told when they differ. */
  readonly listChanges: Readonly<Record<"tools" | "resources" | "prompts", boolean>>;
}

/** How this server introduces itself. */
export interface ServerIdentity {
  readonly implementation: Implementation;
  readonly instructions?: string;
}

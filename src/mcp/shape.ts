// What the messages of one revision can hold. A codec is a shape plus the functions that fit a neutral value to it.

import type { ContentBlock } from "./model.ts";
import type { Revision } from "./revision.ts";

/** The features of one revision, as facts about its schema. */
export interface Shape {
  readonly revision: Revision;
  readonly wire: "handshake" | "stateless";
  /** Whether one line may hold an array of messages. */
  readonly batches: boolean;
  /** Kinds of content blocks. */
  readonly content: ReadonlySet<ContentBlock["type"]>;
  /** `annotations` on tools. */
  readonly toolAnnotations: boolean;
  /** `title` and `_meta` on definitions, `annotations.lastModified`. */
  readonly titles: boolean;
  /** `icons`, and `description` and `websiteUrl` of an implementation. */
  readonly icons: boolean;
  /** What `structuredContent` and `outputSchema` may be. */
  readonly structured: "none" | "object" | "any";
  /** `message` in progress notifications. */
  readonly progressMessage: boolean;
  /** The `completions` capability. */
  readonly completions: boolean;
  /** Ways in which the user may be asked. */
  readonly elicitation: "none" | "form" | "form and url";
  /** `elicitationId` in URL elicitations. */
  readonly elicitationId: boolean;
  /** `tools` and `toolChoice` in sampling requests. */
  readonly samplingTools: boolean;
  /** Whether a call may become a task of the tasks extension. */
  readonly tasks: boolean;
  /** How an error names a request whose id could not be read: JSON-RPC's `null`, or not at all. */
  readonly unreadableId: null | undefined;
  /** The error number of a resource that does not exist. */
  readonly resourceNotFound: -32002 | -32602;
}

/** Requests of the stateless wire. */
export const STATELESS_REQUESTS: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "server/discover",
  "subscriptions/listen",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
]);

// Neutral results and notifications → the wire shape of one revision; one codec per revision.

import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import {
  encodeBlock,
  encodeBlocks,
  encodeImplementation,
  encodePrompt,
  encodeResource,
  encodeTool,
  type Revision,
  type Shape,
  SHAPES,
  STATELESS_REVISIONS,
} from "./revision.ts";
import { META_SERVER_INFO, META_SUBSCRIPTION_ID, TASKS_EXTENSION } from "./params.ts";
import type {
  CacheHint,
  Features,
  Result,
  ServerIdentity,
  Task,
  TaskState,
  ToolResult,
  WireQuestion,
} from "./model.ts";

/** What a result is written with besides itself. */
export interface EncodeContext {
  readonly server: ServerIdentity;
  /** What `toSeal` made of the server: the same for every result, so it is made once. */
  readonly seal: JsonObject;
  readonly cache: CacheHint;
}

/** The metadata by which every stateless result tells its server. */
export function toSeal({ implementation }: ServerIdentity): JsonObject {
  return { [META_SERVER_INFO]: implementation };
}

/** Writes messages of one revision. */
export interface Codec {
  readonly shape: Shape;
  /** The wire form of a result. */
  encode(result: Result, context: EncodeContext): JsonObject;
  /** The parameters of a progress notification. */
  encodeProgress(progress: JsonObject): JsonObject;
  /** A task with all that belongs to its state. */
  encodeTask(task: Task): JsonObject;
}

/** Makes the codec of a revision from what its messages can hold. */
export function createCodec(shape: Shape): Codec {
  return {
    shape,
    encode: shape.wire === "handshake"
      ? (result) => encodeResult(result, shape)
      : (result, context) => seal(result, encodeResult(result, shape), context),
    encodeProgress({ message, ...rest }) {
      return shape.progressMessage && message !== undefined ? { ...rest, message } : rest;
    },
    encodeTask: (task) => encodeDetailedTask(task, shape),
  };
}

function encodeResult(result: Result, shape: Shape): JsonObject {
  switch (result.kind) {
    case "empty":
      return {};
    case "initialize":
      return encodeInitialize(result.features, result.server, shape);
    case "discover":
      return {
        supportedVersions: STATELESS_REVISIONS,
        capabilities: encodeCapabilities(result.features, shape),
        instructions: result.server.instructions,
      };
    case "tools":
      return encodePage("tools", result.items.map((tool) => encodeTool(tool, shape)), result);
    case "resources":
    case "resourceTemplates":
      return encodePage(
        result.kind,
        result.items.map((item) => encodeResource(item, shape)),
        result,
      );
    case "prompts":
      return encodePage("prompts", result.items.map((item) => encodePrompt(item, shape)), result);
    case "call":
      return encodeToolResult(result, shape);
    case "contents":
      return { contents: result.contents };
    case "messages":
      return {
        description: result.description,
        messages: result.messages.map(({ role, content }) => ({
          role,
          content: encodeBlock(content, shape),
        })),
      };
    case "completion": {
      const { values, total, hasMore } = result;
      return { completion: { values, total, hasMore } };
    }
    case "listened":
      return { _meta: { [META_SUBSCRIPTION_ID]: result.subscriptionId } };
    case "input_required":
      return { inputRequests: encodeQuestions(result.requests), requestState: result.state };
    case "task_created":
      return encodeTask(result.task);
    case "task":
      return encodeDetailedTask(result.task, shape);
  }
}

/** What every stateless result carries: its type, its server and, where it may be kept, for how long. */
function seal(result: Result, encoded: JsonObject, context: EncodeContext): JsonObject {
  const meta = isObject(encoded._meta) ? { ...encoded._meta, ...context.seal } : context.seal;
  const resultType = resultTypeOf(result);
  if (!isCacheable(result)) return { ...encoded, resultType, _meta: meta };
  const { ttlMs, scope: cacheScope } = context.cache;
  return { ...encoded, ttlMs, cacheScope, resultType, _meta: meta };
}

function resultTypeOf({ kind }: Result): string {
  switch (kind) {
    case "input_required":
      return "input_required";
    case "task_created":
      return "task";
    default:
      return "complete";
  }
}

function isCacheable(result: Result): boolean {
  switch (result.kind) {
    case "discover":
    case "tools":
    case "resources":
    case "resourceTemplates":
    case "prompts":
    case "contents":
      return true;
    default:
      return false;
  }
}

function encodePage(
  field: string,
  items: readonly JsonObject[],
  page: { readonly nextCursor?: string },
): JsonObject {
  return page.nextCursor === undefined
    ? { [field]: items }
    : { [field]: items, nextCursor: page.nextCursor };
}

function encodeToolResult(result: ToolResult, shape: Shape): JsonObject {
  const content = encodeBlocks(result.content, shape);
  const structuredContent = encodeStructured(result.structured, shape);
  return result.isError
    ? { content, structuredContent, isError: true }
    : { content, structuredContent };
}

function encodeStructured(value: JsonValue | undefined, shape: Shape): JsonValue | undefined {
  if (shape.structured === "none") return undefined;
  return shape.structured === "any" || isObject(value) ? value : undefined;
}

function encodeInitialize(features: Features, server: ServerIdentity, shape: Shape): JsonObject {
  return {
    protocolVersion: shape.revision,
    capabilities: encodeCapabilities(features, shape),
    serverInfo: encodeImplementation(server.implementation, shape),
    instructions: server.instructions,
  };
}

/** Watching and news of lists are promised only where an activation can tell of them. */
function encodeCapabilities(features: Features, shape: Shape): JsonObject {
  const { listChanges } = features;
  const watching = features.subscriptions ? { subscribe: true } : {};
  return {
    logging: {},
    ...(features.tools ? { tools: encodeNews(listChanges.tools) } : {}),
    ...(features.resources
      ? { resources: { ...watching, ...encodeNews(listChanges.resources) } }
      : {}),
    ...(features.prompts ? { prompts: encodeNews(listChanges.prompts) } : {}),
    ...(features.completions && shape.completions ? { completions: {} } : {}),
    ...(features.tools && shape.tasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  };
}

function encodeNews(listChanged: boolean): JsonObject {
  return listChanged ? { listChanged } : {};
}

function encodeQuestions(questions: ReadonlyMap<string, WireQuestion>): JsonObject {
  const requests = [...questions].map(([key, { method, params }]) => [key, { method, params }]);
  return Object.fromEntries(requests);
}

function encodeTask(task: Task): JsonObject {
  const { taskId, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs, state } = task;
  return {
    taskId,
    status: state.status,
    statusMessage,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

function encodeDetailedTask(task: Task, shape: Shape): JsonObject {
  return { ...encodeTask(task), ...encodeTaskState(task.state, shape) };
}

/** The result stands inside as it would have been answered; only who answers is told outside already. */
function encodeTaskState(state: TaskState, shape: Shape): JsonObject {
  switch (state.status) {
    case "input_required":
      return { inputRequests: encodeQuestions(state.requests) };
    case "completed":
      return { result: { ...encodeToolResult(state.result, shape), resultType: "complete" } };
    case "failed":
      return { error: state.error };
    default:
      return {};
  }
}

const CODECS: ReadonlyMap<Revision, Codec> = new Map(
  SHAPES.map((shape) => [shape.revision, createCodec(shape)]),
);

/** The codec of a revision. */
export function getCodec(revision: Revision): Codec {
  const codec = CODECS.get(revision);
  if (codec === undefined) throw new RangeError(`Cannot find a codec for "${revision}"`);
  return codec;
}

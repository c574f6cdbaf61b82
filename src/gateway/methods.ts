// Requests that need no session: the same for every revision and transport. A handler returns the neutral result.

import type { Activation } from "../activation/activation.ts";
import { INTERNAL_ERROR, invalidParams, type JsonObject, RpcError } from "../jsonrpc/message.ts";
import { paginate } from "../mcp/cursor.ts";
import type { Prompt, Resource, ResourceTemplate, Result } from "../mcp/model.ts";
import { parseOptionalObject, parseReference, parseString, parseStrings } from "../mcp/params.ts";
import { hashOf } from "../router/catalog.ts";
import { AskError } from "./ask_error.ts";
import { callTool } from "./call_tool.ts";
import type { RequestInquiry } from "./inquiry.ts";
import { type OfferedMethod, resourceNotFound } from "./offer.ts";
import type { Room } from "./room.ts";

/** Most completion values in one answer (MCP server/utilities/completion). */
const MAX_COMPLETIONS = 100;

/** Answers one kind of request. */
type Handler = (
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
) => Result | Promise<Result>;

/** The handlers by method; which of them a server offers is `isOffered`'s matter. */
export const HANDLERS: Readonly<Record<OfferedMethod, Handler>> = {
  "tools/list": listTools,
  "tools/call": callTool,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "completion/complete": complete,
};

function listTools(room: Room, _request: RequestInquiry, params: JsonObject): Result {
  const { tools, hash } = room.catalog;
  return { kind: "tools", ...paginate({ name: "tools", items: tools, hash }, params) };
}

async function listResources(
  room: Room,
  _request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<Resource>(room, (activation) => activation.resources?.list());
  const sorted = sortBy(items, (item) => item.uri);
  return { kind: "resources", ...paginate(collectionOf("resources", sorted), params) };
}

async function listTemplates(
  room: Room,
  _request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<ResourceTemplate>(
    room,
    (activation) => activation.resources?.templates(),
  );
  const sorted = sortBy(items, (item) => item.uriTemplate);
  return { kind: "resourceTemplates", ...paginate(collectionOf("templates", sorted), params) };
}

async function readResource(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const uri = parseString(params, "uri");
  return await inTurn(room, request, async () => {
    for (const { resources } of room.activations) {
      const contents = await resources?.read(uri, request);
      if (contents !== undefined) return { kind: "contents", contents };
    }
    throw resourceNotFound(uri, request.exchange);
  });
}

async function listPrompts(
  room: Room,
  _request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<Prompt>(room, (activation) => activation.prompts?.list());
  const sorted = sortBy(items, (item) => item.name);
  return { kind: "prompts", ...paginate(collectionOf("prompts", sorted), params) };
}

async function getPrompt(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const name = parseString(params, "name");
  const given = parseStrings(params, "arguments");
  return await inTurn(room, request, async () => {
    for (const { prompts } of room.activations) {
      const prompt = (await prompts?.list())?.find((candidate) => candidate.name === name);
      if (prompts === undefined || prompt === undefined) continue;
      requireArguments(prompt, given);
      const rendered = await prompts.get({
        name,
        arguments: given,
        signal: request.signal,
        canAsk: (question) => request.canAsk(question),
        ask: (key, question) => request.ask(key, question),
      });
      return { kind: "messages", ...rendered };
    }
    throw invalidParams(`Unknown prompt: "${name}"`);
  });
}

async function complete(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const reference = parseReference(params);
  const argument = parseOptionalObject(params, "argument");
  const completing = {
    reference,
    argument: { name: parseString(argument, "name"), value: parseString(argument, "value") },
    context: parseStrings(parseOptionalObject(params, "context"), "arguments"),
    signal: request.signal,
  };
  return await inTurn(room, request, async () => {
    for (const activation of room.activations) {
      const found = await activation.complete?.(completing);
      if (found === undefined || found.values.length === 0) continue;
      const values = found.values.slice(0, MAX_COMPLETIONS);
      const total = found.total ?? found.values.length;
      return { kind: "completion", values, total, hasMore: total > values.length };
    }
    return { kind: "completion", values: [], hasMore: false };
  });
}

/** Runs provider work in its turn, and no longer than it is wanted. */
async function inTurn(
  room: Room,
  request: RequestInquiry,
  work: () => Promise<Result>,
): Promise<Result> {
  const { exchange } = request;
  await room.slots.acquire(exchange);
  try {
    const result = await exchange.untilCanceled(work());
    const taken = exchange.outlet.ready();
    if (taken !== undefined) await exchange.untilCanceled(taken);
    return result;
  } catch (error) {
    // These results have no place for a failure, as a tool's has: the client learns from the error what was missing.
    throw error instanceof AskError ? new RpcError(INTERNAL_ERROR, error.message) : error;
  } finally {
    room.slots.release();
  }
}

function requireArguments(prompt: Prompt, given: Readonly<Record<string, string>>): void {
  const missing = (prompt.arguments ?? [])
    .filter((argument) => argument.required === true && !Object.hasOwn(given, argument.name))
    .map((argument) => `"${argument.name}"`);
  if (missing.length > 0) {
    throw invalidParams(`Prompt "${prompt.name}" needs the argument ${missing.join(", ")}`);
  }
}

async function gatherLists<Item>(
  room: Room,
  list: (activation: Activation) => Promise<readonly Item[]> | undefined,
): Promise<Item[]> {
  const lists = await Promise.all(room.activations.map((activation) => list(activation) ?? []));
  return lists.flat();
}

function collectionOf<Item>(name: string, items: readonly Item[]) {
  return { name, items, hash: hashOf(items) };
}

function sortBy<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

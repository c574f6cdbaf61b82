// Requests that need no session: the same for every revision and transport. A handler returns the neutral result.

import type { Activation } from "../activation/activation.ts";
import { INTERNAL_ERROR, invalidParams, type JsonObject, RpcError } from "../jsonrpc/message.ts";
import { paginate } from "../mcp/cursor.ts";
import type { Prompt, Result } from "../mcp/model.ts";
import { parseOptionalObject, parseReference, parseString, parseStrings } from "../mcp/params.ts";
import type { Question } from "../mcp/question.ts";
import { hashOf } from "../router/catalog.ts";
import { AskError, InputRequiredError } from "./asker.ts";
import { callTool } from "./call_tool.ts";
import { CanceledError } from "./exchange.ts";
import { type OfferedMethod, resourceNotFound } from "./guard.ts";
import { ListInquiry, type RequestInquiry } from "./inquiry.ts";
import { cannotList } from "./listings.ts";
import { reportFault } from "./log.ts";
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
  // A list that is being paged stays what it was.
  const { tools, hash, broken } = params.cursor === undefined ? room.lookAgain() : room.catalog;
  if (broken.length > 0 && broken.length === room.activations.length) throw cannotList("tools");
  return { kind: "tools", ...paginate({ name: "tools", items: tools, hash }, params) };
}

async function listResources(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await room.listings.gather("resources", request);
  const sorted = sortBy(items, (item) => item.uri);
  return { kind: "resources", ...paginate(collectionOf("resources", sorted), params) };
}

async function listTemplates(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await room.listings.gather("templates", request);
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
    const contents = await askInTurn(
      room,
      async ({ resources }) => await resources?.read(uri, request),
    );
    if (contents === undefined) throw resourceNotFound(uri, request.exchange);
    return { kind: "contents", contents };
  });
}

async function listPrompts(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const items = await room.listings.gather("prompts", request);
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
    let missing: RpcError | undefined;
    for (const activation of room.activations) {
      const { prompts } = activation;
      if (prompts === undefined) continue;
      const part = await room.listings.read("prompts", activation, request);
      if (part.kind === "missing") missing ??= part.error;
      const prompt = part.kind === "listed" && part.items.find((item) => item.name === name);
      if (!prompt) continue;
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
    throw missing ?? invalidParams(`Unknown prompt: "${name}"`);
  });
}

async function complete(
  room: Room,
  request: RequestInquiry,
  params: JsonObject,
): Promise<Result> {
  const reference = parseReference(params);
  const argument = parseOptionalObject(params, "argument");
  const inquiry = new ListInquiry(request);
  const completing = {
    reference,
    argument: { name: parseString(argument, "name"), value: parseString(argument, "value") },
    context: parseStrings(parseOptionalObject(params, "context"), "arguments"),
    signal: request.signal,
    canAsk: (question: Question) => inquiry.canAsk(question),
    ask: (key: string, question: Question) => inquiry.ask(key, question),
  };
  return await inTurn(room, request, async () => {
    const found = await askInTurn(room, async (activation) => {
      const completion = await activation.complete?.(completing);
      return completion === undefined || completion.values.length === 0 ? undefined : completion;
    });
    if (found === undefined) return { kind: "completion", values: [], hasMore: false };
    const values = found.values.slice(0, MAX_COMPLETIONS);
    const total = found.total ?? found.values.length;
    return { kind: "completion", values, total, hasMore: total > values.length };
  });
}

/** Asks one activation after the other until one answers; a fault of one counts only if none does. */
async function askInTurn<Value>(
  room: Room,
  ask: (activation: Activation) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const faults: unknown[] = [];
  for (const activation of room.activations) {
    try {
      const answer = await ask(activation);
      if (answer === undefined) continue;
      for (const fault of faults) reportFault(fault, room.log);
      return answer;
    } catch (error) {
      if (isMeant(error)) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return undefined;
}

/** Whether what was thrown is for the client or about it, and no fault of the activation. */
function isMeant(error: unknown): boolean {
  return error instanceof RpcError || error instanceof AskError ||
    error instanceof InputRequiredError || error instanceof CanceledError;
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
    room.slots.release(exchange);
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

function collectionOf<Item>(name: string, items: readonly Item[]) {
  return { name, items, hash: hashOf(items) };
}

function sortBy<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

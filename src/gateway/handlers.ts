// Requests that need no session: the same for every revision and transport. A handler returns the neutral result.

import { invalidParams, METHOD_NOT_FOUND, RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/json.ts";
import { paginate } from "../mcp/cursor.ts";
import type { Features, Prompt, Resource, ResourceTemplate, Result } from "../mcp/model.ts";
import { parseOptionalObject, parseReference, parseString, parseStrings } from "../mcp/params.ts";
import { hashOf } from "../router/catalog.ts";
import { callTool } from "./call_tool.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";

/** Answers one kind of request. */
export type Handler = (
  gateway: Gateway,
  exchange: Exchange,
  params: JsonObject,
) => Result | Promise<Result>;

/** Most completion values in one answer (MCP server/utilities/completion). */
const MAX_COMPLETIONS = 100;

const HANDLERS: Readonly<
  Record<string, { readonly needs: keyof Features; readonly run: Handler }>
> = {
  "tools/list": { needs: "tools", run: listTools },
  "tools/call": { needs: "tools", run: callTool },
  "resources/list": { needs: "resources", run: listResources },
  "resources/templates/list": { needs: "resources", run: listTemplates },
  "resources/read": { needs: "resources", run: readResource },
  "prompts/list": { needs: "prompts", run: listPrompts },
  "prompts/get": { needs: "prompts", run: getPrompt },
  "completion/complete": { needs: "completions", run: complete },
};

/** The handler of a method, if this server offers what it is about. */
export function findHandler(method: string, features: Features): Handler | undefined {
  const handler = Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined;
  return handler !== undefined && features[handler.needs] ? handler.run : undefined;
}

function listTools(gateway: Gateway, _exchange: Exchange, params: JsonObject): Result {
  const { tools, hash } = gateway.catalog;
  return { kind: "tools", ...paginate({ name: "tools", items: tools, hash }, params) };
}

async function listResources(
  gateway: Gateway,
  _exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<Resource>(gateway, (activation) => activation.resources?.list());
  const sorted = sortBy(items, (item) => item.uri);
  return { kind: "resources", ...paginate(collectionOf("resources", sorted), params) };
}

async function listTemplates(
  gateway: Gateway,
  _exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<ResourceTemplate>(
    gateway,
    (activation) => activation.resources?.templates(),
  );
  const sorted = sortBy(items, (item) => item.uriTemplate);
  return { kind: "resourceTemplates", ...paginate(collectionOf("templates", sorted), params) };
}

async function readResource(
  gateway: Gateway,
  exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const uri = parseString(params, "uri");
  return await inTurn(gateway, exchange, async () => {
    for (const { resources } of gateway.activations) {
      const contents = await resources?.read(uri, exchange);
      if (contents !== undefined) return { kind: "contents", contents };
    }
    throw resourceNotFound(uri, exchange);
  });
}

async function listPrompts(
  gateway: Gateway,
  _exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const items = await gatherLists<Prompt>(gateway, (activation) => activation.prompts?.list());
  const sorted = sortBy(items, (item) => item.name);
  return { kind: "prompts", ...paginate(collectionOf("prompts", sorted), params) };
}

async function getPrompt(
  gateway: Gateway,
  exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const name = parseString(params, "name");
  const given = parseStrings(params, "arguments");
  return await inTurn(gateway, exchange, async () => {
    for (const { prompts } of gateway.activations) {
      const prompt = (await prompts?.list())?.find((candidate) => candidate.name === name);
      if (prompts === undefined || prompt === undefined) continue;
      requireArguments(prompt, given);
      const rendered = await prompts.get({
        name,
        arguments: given,
        signal: exchange.signal,
        canAsk: (question) => exchange.canAsk(question),
        ask: (key, question) => exchange.ask(key, question),
      });
      return { kind: "messages", ...rendered };
    }
    throw invalidParams(`Unknown prompt: "${name}"`);
  });
}

async function complete(
  gateway: Gateway,
  exchange: Exchange,
  params: JsonObject,
): Promise<Result> {
  const reference = parseReference(params);
  const argument = parseOptionalObject(params, "argument");
  const request = {
    reference,
    argument: { name: parseString(argument, "name"), value: parseString(argument, "value") },
    context: parseStrings(parseOptionalObject(params, "context"), "arguments"),
    signal: exchange.signal,
  };
  return await inTurn(gateway, exchange, async () => {
    for (const activation of gateway.activations) {
      const found = await activation.complete?.(request);
      if (found === undefined || found.values.length === 0) continue;
      const values = found.values.slice(0, MAX_COMPLETIONS);
      const total = found.total ?? found.values.length;
      return { kind: "completion", values, total, hasMore: total > values.length };
    }
    return { kind: "completion", values: [], hasMore: false };
  });
}

/** The refusal of a method that the revision or this server does not have. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: "${method}"`);
}

/** The refusal of a resource that no activation knows, in the number of the client's revision. */
export function resourceNotFound(uri: string, exchange: Exchange): RpcError {
  return new RpcError(exchange.codec.shape.resourceNotFound, "Resource not found", { uri });
}

/** Runs provider work in its turn, and no longer than it is wanted. */
async function inTurn(
  gateway: Gateway,
  exchange: Exchange,
  work: () => Promise<Result>,
): Promise<Result> {
  await gateway.slots.acquire(exchange);
  try {
    const result = await exchange.untilCanceled(work());
    const taken = exchange.outlet.ready();
    if (taken !== undefined) await exchange.untilCanceled(taken);
    return result;
  } finally {
    gateway.slots.release();
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
  gateway: Gateway,
  list: (activation: Gateway["activations"][number]) => Promise<readonly Item[]> | undefined,
): Promise<Item[]> {
  const lists = await Promise.all(gateway.activations.map((activation) => list(activation) ?? []));
  return lists.flat();
}

function collectionOf<Item>(name: string, items: readonly Item[]) {
  return { name, items, hash: hashOf(items) };
}

function sortBy<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

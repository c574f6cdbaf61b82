// Requests of the stateless wire: each brings all that is known about its client, and leaves nothing behind.

import {
  INTERNAL_ERROR,
  invalidParams,
  type JsonObject,
  notificationText,
  type Request,
  RpcError,
} from "../jsonrpc/message.ts";
import { getCodec } from "../mcp/codec.ts";
import {
  checkCapabilities,
  declaresTasks,
  findMeta,
  findProgressToken,
  isStateless,
  type ListenFilter,
  MAX_CAPABILITIES_LENGTH,
  META_CLIENT_INFO,
  META_SUBSCRIPTION_ID,
  missingTasks,
  parseListenFilter,
  parseParams,
  parseStatelessMeta,
  toClientName,
} from "../mcp/params.ts";
import type { Features, Result } from "../mcp/model.ts";
import { STATELESS_REQUESTS } from "../mcp/revision.ts";
import { Exchange, type Port, type Prepared, type Wire } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { ClientListener, tooManyListen } from "./audience.ts";
import { isOffered, methodNotFound } from "./guard.ts";
import type { TaskMethod } from "./tasks.ts";

/** Where a stateless request came from. */
export interface StatelessOrigin {
  readonly port: Port;
  /** Aborts when listening must end with a proper answer. */
  readonly closing: AbortSignal;
}

const STATELESS: Wire = { kind: "stateless" };

/**
 * Whether a request is of the stateless wire: by its metadata, or because only that wire has its method. In a session
 * only its metadata tells: there a method of the other wire is unknown.
 */
export function isStatelessRequest(request: Request, isInSession = false): boolean {
  if (isStateless(findMeta(request.params))) return true;
  return !isInSession &&
    (request.method === "server/discover" || request.method === "subscriptions/listen");
}

/**
 * Reads a request's metadata and finds what answers it.
 *
 * @throws RpcError as MCP 2026-07-28 demands: -32602 for metadata, -32022 for the revision, -32601 for the method.
 */
export function prepareStateless(
  gateway: Gateway,
  request: Request,
  origin: StatelessOrigin,
): Prepared {
  const params = parseParams(request.params);
  const meta = findMeta(params);
  const { revision, capabilities, logLevel } = parseStatelessMeta(meta);
  if (!STATELESS_REQUESTS.has(request.method)) throw methodNotFound(request.method);
  if (origin.closing.aborted) throw new RpcError(INTERNAL_ERROR, "Server shutting down");
  // They are no longer than the message they are in.
  if (origin.port.length > MAX_CAPABILITIES_LENGTH) checkCapabilities(capabilities);
  const exchange = new Exchange({
    id: request.id,
    codec: getCodec(revision),
    outlet: origin.port.outlet,
    reply: origin.port.reply,
    capabilities,
    client: toClientName(meta?.[META_CLIENT_INFO]),
    owner: origin.port.owner,
    wire: STATELESS,
    logLevel: () => logLevel,
    progressToken: findProgressToken(meta),
    length: origin.port.length,
  });
  return { exchange, run: findRun(gateway, exchange, request.method, params, origin.closing) };
}

function findRun(
  gateway: Gateway,
  exchange: Exchange,
  method: string,
  params: JsonObject,
  closing: AbortSignal,
): () => Result | Promise<Result> {
  const { features, server } = gateway;
  if (method === "server/discover") return () => ({ kind: "discover", features, server });
  if (method === "subscriptions/listen") {
    return () => listen(gateway, exchange, parseListenFilter(params), closing);
  }
  if (isTaskMethod(method) && features.tools) {
    if (!declaresTasks(exchange.capabilities)) throw missingTasks();
    return async () => (await gateway.workroom).tasks.handle(method, exchange.owner, params);
  }
  if (!isOffered(method, features)) throw methodNotFound(method);
  return () => gateway.handle(method, exchange, params);
}

function isTaskMethod(method: string): method is TaskMethod {
  return method.startsWith("tasks/");
}

/** Tells what is honoured, then news, until the client cancels or the server ends. */
async function listen(
  gateway: Gateway,
  exchange: Exchange,
  filter: ListenFilter,
  closing: AbortSignal,
): Promise<Result> {
  const { owner, length } = exchange;
  const { audience, limits } = gateway;
  if (length > limits.maxListenLength) {
    throw invalidParams(
      `A request to listen may have at most ${limits.maxListenLength} characters`,
    );
  }
  if (!audience.kept.take(owner, length)) throw tooManyListen();
  const closed = Promise.withResolvers<void>();
  const close = () => closed.resolve();
  closing.addEventListener("abort", close);
  try {
    return await tell(gateway, exchange, filter, closed.promise);
  } finally {
    // The signal outlives the request, and would keep it.
    closing.removeEventListener("abort", close);
    audience.kept.give(owner, length);
  }
}

async function tell(
  gateway: Gateway,
  exchange: Exchange,
  filter: ListenFilter,
  closed: Promise<void>,
): Promise<Result> {
  const meta = { [META_SUBSCRIPTION_ID]: exchange.id };
  const { audience, limits, features } = gateway;
  const { resourceSubscriptions, taskIds } = filter;
  const asked = Math.max(resourceSubscriptions.length, taskIds?.length ?? 0);
  if (asked > limits.maxSubscriptions) {
    throw invalidParams(
      `Cannot watch more than ${limits.maxSubscriptions} resources or tasks at once`,
    );
  }
  if (taskIds !== undefined && !declaresTasks(exchange.capabilities)) throw missingTasks();
  const wanted = new Set<string>(["resource"]);
  for (const kind of ["tools", "prompts", "resources"] as const) {
    if (filter[`${kind}ListChanged`] && features.listChanges[kind]) wanted.add(kind);
  }
  const listener = new ClientListener({
    outlet: exchange.outlet,
    wants: (kind) => wanted.has(kind),
    meta,
  });
  // Those who ask for no tasks need not wait until what knows them is loaded.
  using tasks = taskIds === undefined || !features.tools
    ? undefined
    : (await gateway.workroom).createTaskListener(exchange, meta);
  const watchedTasks = tasks === undefined ? undefined : await tasks.watch(taskIds ?? []);
  const watched = features.resources
    ? resourceSubscriptions.filter((uri) => audience.tryWatch(uri, listener))
    : [];
  try {
    if (exchange.isOver) return { kind: "empty" };
    const notifications = {
      ...acknowledge(filter, watched, features.listChanges),
      ...(watchedTasks === undefined ? {} : { taskIds: watchedTasks }),
    };
    exchange.outlet.send(
      notificationText("notifications/subscriptions/acknowledged", { _meta: meta, notifications }),
    );
    audience.join(listener);
    tasks?.start();
    await exchange.untilCanceled(closed);
    return { kind: "listened", subscriptionId: exchange.id };
  } finally {
    audience.leave(listener);
  }
}

/** The part of a filter that is honoured; what was not asked for is not mentioned. */
function acknowledge(
  filter: ListenFilter,
  watched: readonly string[],
  told: Features["listChanges"],
): JsonObject {
  return {
    ...(filter.toolsListChanged && told.tools ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged && told.prompts ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged && told.resources ? { resourcesListChanged: true } : {}),
    ...(filter.resourceSubscriptions.length > 0 ? { resourceSubscriptions: watched } : {}),
  };
}

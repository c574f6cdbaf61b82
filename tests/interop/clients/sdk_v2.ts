// The official SDK's second generation on the tour: `@modelcontextprotocol/client`, both wires. Its arguments are how it
// chooses the wire (legacy, auto, or a revision to insist on) and, as JSON, where the server is; it prints one report.

import {
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answerForm, answerRoots, answerSampling, CAPABILITIES } from "./answers.ts";
import { Notebook } from "./notebook.ts";
import { printReport, showToolResult } from "./report.ts";
import { steadyFetch } from "./steady_fetch.ts";
import {
  attempt,
  type CallOptions,
  type Peer,
  type ServerPlace,
  tour,
  type Watching,
} from "./tour.ts";

const IDENTITY = { name: "interop-v2", version: "1.0.0" };
const WATCHED = "test://watched-resource";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

const wire = Deno.args[0] ?? "";
const place: ServerPlace = JSON.parse(Deno.args[1] ?? "");
const mode = wire === "legacy" || wire === "auto" ? wire : { pin: wire };
const notebook = new Notebook();
const client = new Client(IDENTITY, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
answerQuestions(client);
hearNews(client, notebook);
await connect(client, place, notebook);
const era = client.getProtocolEra() ?? "legacy";
const seen = {
  ...await tour(toPeer(client, notebook)),
  "without capabilities": await callUnasked(place, notebook),
};
await client.close();
const { complaints, stderr } = notebook;
await printReport({ client: `sdk v2 ${wire}`, era, seen, complaints, stderr });

async function connect(client: Client, place: ServerPlace, notebook: Notebook): Promise<void> {
  client.onerror = (error) => notebook.complaints.push(error.message);
  if ("url" in place) {
    return await client.connect(
      new StreamableHTTPClientTransport(new URL(place.url), { fetch: steadyFetch }),
    );
  }
  const transport = new StdioClientTransport({ ...place, stderr: "pipe" });
  transport.stderr?.on("data", (chunk) => notebook.stderr += chunk);
  await client.connect(transport);
}

function answerQuestions(client: Client): void {
  client.setRequestHandler("elicitation/create", ({ params }) => answerForm(params.message));
  client.setRequestHandler("sampling/createMessage", answerSampling);
  client.setRequestHandler("roots/list", answerRoots);
}

function hearNews(client: Client, notebook: Notebook): void {
  client.setNotificationHandler(
    "notifications/message",
    ({ params }) => notebook.log(params.level, params.data),
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => notebook.hear("tools"));
  client.setNotificationHandler(
    "notifications/prompts/list_changed",
    () => notebook.hear("prompts"),
  );
  client.setNotificationHandler(
    "notifications/resources/list_changed",
    () => notebook.hear("resources"),
  );
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => notebook.hear(params.uri),
  );
}

function toPeer(client: Client, notebook: Notebook): Peer {
  const isModern = client.getProtocolEra() === "modern";
  return {
    notebook,
    greeting: {
      revision: client.getNegotiatedProtocolVersion(),
      server: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    },
    listTools: async () => (await client.listTools()).tools,
    // Without a cursor its `listTools` gathers every page by itself.
    listFirstTools: () => client.request({ method: "tools/list" }),
    callTool: async (name, given, options = {}) => {
      const { logLevel } = options;
      if (logLevel !== undefined && !isModern) await client.setLoggingLevel(logLevel);
      const meta = logLevel !== undefined && isModern ? { _meta: { [LOG_LEVEL]: logLevel } } : {};
      return await client.callTool(
        { name, arguments: given, ...meta },
        toRequestOptions(options),
      );
    },
    listResources: async () =>
      (await client.listResources()).resources.map((resource) => resource.uri),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    watchMethod: isModern ? "subscriptions/listen" : "resources/subscribe",
    watch: () => isModern ? listen(client) : subscribe(client),
    listPrompts: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    getPrompt: (name, given) => client.getPrompt({ name, arguments: given }),
    complete: async (ref, value) =>
      (await client.complete({ ref, argument: { name: "arg1", value } })).completion,
    ping: () => client.ping(),
    touch: () => isModern ? client.discover() : client.ping(),
  };
}

async function subscribe(client: Client): Promise<Watching> {
  const honored = await client.subscribeResource({ uri: WATCHED });
  return { honored, stop: () => client.unsubscribeResource({ uri: WATCHED }) };
}

async function listen(client: Client): Promise<Watching> {
  const subscription = await client.listen({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [WATCHED, "test://static-text"],
  });
  return { honored: subscription.honoredFilter, stop: () => subscription.close() };
}

function toRequestOptions({ signal, onProgress }: CallOptions): RequestOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : {
      onprogress: ({ progress, total, message }) => onProgress(`${progress}/${total} ${message}`),
    }),
  };
}

/** A client that cannot be asked calls a tool that asks. */
async function callUnasked(place: ServerPlace, notebook: Notebook): Promise<unknown> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode } });
  await connect(client, place, notebook);
  try {
    const params = { name: "test_missing_capability" };
    return await attempt(async () => showToolResult(await client.callTool(params)));
  } finally {
    await client.close();
  }
}

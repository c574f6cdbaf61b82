// The official SDK's first generation on the tour: `@modelcontextprotocol/sdk`, handshake wire only. Its argument says
// as JSON where the server is; it prints one report.

import { Client } from "@modelcontextprotocol/sdk/client";
// The package declares the types of these modules under their names without ending.
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answerForm, answerRoots, answerSampling, CAPABILITIES } from "./answers.ts";
import { Notebook } from "./notebook.ts";
import { printReport, showToolResult } from "./report.ts";
import { steadyFetch } from "./steady_fetch.ts";
import {
  attempt,
  type CallOptions,
  type Named,
  type Peer,
  type ServerPlace,
  tour,
} from "./tour.ts";

const IDENTITY = { name: "interop-v1", version: "1.0.0" };
const WATCHED = "test://watched-resource";

const place: ServerPlace = JSON.parse(Deno.args[0] ?? "");
const notebook = new Notebook();
const client = new Client(IDENTITY, { capabilities: CAPABILITIES });
answerQuestions(client);
hearNews(client, notebook);
await connect(client, place, notebook);
const seen = {
  ...await tour(toPeer(client, notebook)),
  "without capabilities": await callUnasked(place, notebook),
};
await client.close();
const { complaints, stderr } = notebook;
await printReport({ client: "sdk v1", era: "legacy", seen, complaints, stderr });

async function connect(client: Client, place: ServerPlace, notebook: Notebook): Promise<void> {
  client.onerror = (error) => notebook.complaints.push(error.message);
  if ("url" in place) {
    const transport = new StreamableHTTPClientTransport(new URL(place.url), { fetch: steadyFetch });
    await client.connect(transport);
    notebook.revision = transport.protocolVersion;
    return;
  }
  const transport = Object.assign(new StdioClientTransport({ ...place, stderr: "pipe" }), {
    // The client tells its transport alone what was negotiated.
    setProtocolVersion: (revision: string) => notebook.revision = revision,
  });
  transport.stderr?.on("data", (chunk) => notebook.stderr += chunk);
  await client.connect(transport);
}

function answerQuestions(client: Client): void {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerForm(params.message));
  client.setRequestHandler(CreateMessageRequestSchema, answerSampling);
  client.setRequestHandler(ListRootsRequestSchema, answerRoots);
}

function hearNews(client: Client, notebook: Notebook): void {
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => notebook.log(params.level, params.data),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => notebook.hear("tools"));
  client.setNotificationHandler(
    PromptListChangedNotificationSchema,
    () => notebook.hear("prompts"),
  );
  client.setNotificationHandler(
    ResourceListChangedNotificationSchema,
    () => notebook.hear("resources"),
  );
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => notebook.hear(params.uri),
  );
}

function toPeer(client: Client, notebook: Notebook): Peer {
  return {
    notebook,
    greeting: {
      revision: notebook.revision,
      server: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
    },
    listTools: async () => {
      const tools: Named[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return tools;
    },
    listFirstTools: () => client.listTools(),
    callTool: async (name, given, options = {}) => {
      if (options.logLevel !== undefined) await client.setLoggingLevel(options.logLevel);
      const params = { name, arguments: given };
      return CallToolResultSchema.parse(
        await client.callTool(params, CallToolResultSchema, toRequestOptions(options)),
      );
    },
    listResources: async () =>
      (await client.listResources()).resources.map((resource) => resource.uri),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    watchMethod: "resources/subscribe",
    watch: async () => {
      const honored = await client.subscribeResource({ uri: WATCHED });
      return { honored, stop: () => client.unsubscribeResource({ uri: WATCHED }) };
    },
    listPrompts: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    getPrompt: (name, given) => client.getPrompt({ name, arguments: given }),
    complete: async (ref, value) =>
      (await client.complete({ ref, argument: { name: "arg1", value } })).completion,
    ping: () => client.ping(),
    touch: () => client.ping(),
  };
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
  const client = new Client(IDENTITY);
  await connect(client, place, notebook);
  try {
    const params = { name: "test_missing_capability" };
    return await attempt(async () =>
      showToolResult(CallToolResultSchema.parse(await client.callTool(params)))
    );
  } finally {
    await client.close();
  }
}

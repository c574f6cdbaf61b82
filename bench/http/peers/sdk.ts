// The peer: the official SDK's HTTP handlers with the same tools. `/mcp` is `createMcpHandler` as it comes, which serves
// both wires without sessions; `/sessions` is a transport and a server a session, wired by hand as its documentation has it.

import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
const handler = createMcpHandler(createServer);

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  async (request) => {
    if (request.url.endsWith("/mcp")) return await handler.fetch(request);
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return await known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
      // Faster than a stream for an answer that is all there is, but then nothing can be told before it.
      enableJsonResponse: request.url.endsWith("?json"),
    });
    await createServer().connect(transport);
    return await transport.handleRequest(request);
  },
);

function createServer(): McpServer {
  const server = new McpServer({ name: "sdk-echo", version: "1.0.0" });
  server.registerTool(
    "echo",
    { description: "Returns the message", inputSchema: z.object({ message: z.string() }) },
    ({ message }) => ({ content: [{ type: "text", text: message }] }),
  );
  server.registerTool(
    "count",
    { description: "Counts", inputSchema: z.object({ to: z.number() }) },
    async ({ to }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to && progressToken !== undefined; progress++) {
        // The demo's own lets the event loop turn before each step.
        await new Promise((resolve) => setTimeout(resolve, 0));
        const params = { progressToken, progress, total: to };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return { content: [{ type: "text", text: `Counted to ${to}` }] };
    },
  );
  return server;
}

// The peer that is small: mcp-lite with sessions in memory and the same tools. It has the handshake wire alone.

import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";

const server = new McpServer({
  name: "mcp-lite-echo",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
});
server.tool("echo", {
  description: "Returns the message",
  inputSchema: z.object({ message: z.string() }),
  handler: ({ message }) => ({ content: [{ type: "text", text: message }] }),
});
server.tool("count", {
  description: "Counts",
  inputSchema: z.object({ to: z.number() }),
  handler: async ({ to }, context) => {
    for (let progress = 1; progress <= to; progress++) {
      // The demo's own lets the event loop turn before each step.
      await new Promise((resolve) => setTimeout(resolve, 0));
      await context.progress?.({ progress, total: to });
    }
    return { content: [{ type: "text", text: `Counted to ${to}` }] };
  },
});

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
});
const handle = transport.bind(server);
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  (request) => handle(request),
);

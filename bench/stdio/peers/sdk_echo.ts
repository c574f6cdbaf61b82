// The peer: the official SDK's stdio server with the same `echo` tool. Of the ways the SDK offers
// this is the fastest: `serveStdio` is slower, a JSON Schema instead of zod is not faster.

import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const server = new McpServer({ name: "sdk-echo", version: "1.0.0" });
server.registerTool(
  "echo",
  { description: "Returns the message", inputSchema: z.object({ message: z.string() }) },
  ({ message }) => ({ content: [{ type: "text", text: message }] }),
);
await server.connect(new StdioServerTransport());

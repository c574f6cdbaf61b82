// The floor with JSON: one `JSON.parse` and one `JSON.stringify` a message, one write a chunk, no
// checks. What is between it and the floor is the price of JSON; what is above it is a server's own.

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments: { readonly message: string } };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const input = new Uint8Array(65_536);
let rest = "";

for (;;) {
  const count = await Deno.stdin.read(input);
  if (count === null) break;
  const lines = (rest + decoder.decode(input.subarray(0, count), { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  let text = "";
  for (const line of lines) {
    const request: Request = JSON.parse(line);
    if (request.id === undefined) continue;
    text += JSON.stringify({ jsonrpc: "2.0", id: request.id, result: toResult(request) }) + "\n";
  }
  const replies = encoder.encode(text);
  for (let sent = 0; sent < replies.length;) {
    sent += await Deno.stdout.write(replies.subarray(sent));
  }
}

function toResult(request: Request): unknown {
  switch (request.method) {
    case "ping":
      return {};
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "json-floor", version: "1.0.0" },
      };
    default:
      return { content: [{ type: "text", text: request.params?.arguments.message }] };
  }
}

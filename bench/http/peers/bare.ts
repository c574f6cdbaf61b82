// The floor: `Deno.serve` with one `JSON.parse` and one `JSON.stringify` a request, no checks, no MCP. What is between
// it and a server is the server's own.

interface Body {
  readonly id: number;
  readonly params?: { readonly arguments?: { readonly message?: string } };
}

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  async (request) => {
    const { id, params }: Body = await request.json();
    const result = { content: [{ type: "text", text: params?.arguments?.message }] };
    return Response.json({ jsonrpc: "2.0", id, result });
  },
);

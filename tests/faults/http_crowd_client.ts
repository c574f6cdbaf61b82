// A program: opens many connections to a port, and asks on each as fast as it is answered, until it is killed.

const [port = "", name = "", count = ""] = Deno.args;

await Promise.all(Array.from({ length: Number(count) }, (_, index) => ask(`/${name}-${index}`)));

async function ask(path: string): Promise<void> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const request = new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  const buffer = new Uint8Array(1024);
  for (;;) {
    await conn.write(request);
    // The answer is short, and there is none to come after it.
    if (await conn.read(buffer) === null) return;
  }
}

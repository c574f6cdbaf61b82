// HTTP/1.1 over real sockets: every refusal with raw bytes, connections that are kept, answers in order, streams.

import { assertEquals } from "@std/assert";
import { SAMPLES } from "../harness/http_samples.ts";
import { Host } from "./http_peer.ts";

const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

function post(body: string, ...fields: readonly string[]): string {
  const lines = ["POST /echo HTTP/1.1", "Host: a", `Content-Length: ${body.length}`, ...fields];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const FAULTS = [
  ["no HTTP at all", 400, "hello\r\n\r\n"],
  ["a greeting of TLS", 400, "\x16\x03\x01\x02\0\x01\0"],
  ["lines that end in line feeds", 400, "GET / HTTP/1.1\nHost: a\n\n"],
  ["a carriage return alone", 400, "GET / HTTP/1.1\rHost: a\r\n\r\n"],
  ["a zero byte", 400, "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["no Host", 400, "GET / HTTP/1.1\r\n\r\n"],
  ["two Hosts", 400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
  ["a folded line", 400, "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"],
  ["a space before the colon", 400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\n"],
  ["a length that is no number", 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1e1\r\n\r\n"],
  [
    "two lengths",
    400,
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
  ],
  [
    "length and chunks",
    400,
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a bad chunk", 400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"],
  ["a body over the bound", 413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n"],
  [
    "a body far over the bound",
    413,
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
  ],
  [
    "chunks over the bound",
    413,
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n",
  ],
  ["an unknown expectation", 417, post("", "Expect: 200-ok")],
  ["a long head", 431, `GET /${"a".repeat(4_096)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["a head without an end", 431, "a".repeat(4_096)],
  ["many fields", 431, `GET / HTTP/1.1\r\nHost: a\r\n${"A: b\r\n".repeat(20)}\r\n`],
  ["another coding", 501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"],
  ["HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
] as const;

Deno.test("a request that cannot be understood is answered, and what follows it never is", async (t) => {
  await using host = new Host({ maxHeadBytes: 4_096, maxHeaders: 20, maxBodyBytes: 1_000 });
  for (const [name, status, request] of FAULTS) {
    await t.step(name, async () => {
      using peer = await host.connect();
      await peer.send(request + NEXT);
      const answer = await peer.answer();
      assertEquals(answer.status, status);
      assertEquals(answer.headers.get("connection"), "close");
      assertEquals(answer.headers.get("content-type"), "text/plain; charset=utf-8");
      assertEquals(await peer.rest(), "");
    });
  }
  assertEquals(host.screened.includes("/next"), false);
  assertEquals(host.refusals, FAULTS.map(([, status]) => status), "the handler hears of each once");
});

Deno.test("every kind of request is answered, alone and sent together", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const alone: string[] = [];
  for (const sample of SAMPLES) alone.push((await peer.ask(sample)).body);
  assertEquals(alone.slice(0, 3), [
    "GET /healthz ",
    'POST /mcp {"id":"\xc3\xa9\xe2\x82\xac"}',
    'POST /mcp {"id":"\xc3\xa9\xe2\x82\xac"}',
  ]);
  await peer.send(SAMPLES.join("").repeat(40));
  for (let round = 0; round < 40; round++) {
    for (const body of alone) assertEquals((await peer.answer()).body, body);
  }
});

Deno.test("a request may arrive cut in two at any byte", async () => {
  await using host = new Host();
  for (const sample of SAMPLES) {
    using peer = await host.connect();
    const { body } = await peer.ask(sample);
    for (let cut = 1; cut < sample.length; cut++) {
      await peer.send(sample.slice(0, cut));
      // The first part has been read when another client, served after it, has its answer.
      if (cut % 8 === 0) {
        using other = await host.connect();
        await other.ask(NEXT);
      }
      assertEquals((await peer.ask(sample.slice(cut))).body, body, `cut at ${cut}`);
    }
  }
});

Deno.test("answers have a date and a length, and nothing about the server", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const { headers, body } = await peer.ask(post("\xc3\xa9"));
  assertEquals([...headers.keys()], ["date", "content-type", "content-length"]);
  assertEquals(Number.isNaN(Date.parse(headers.get("date") ?? "")), false);
  assertEquals(body, "POST /echo \xc3\xa9");
});

Deno.test("a body that is not UTF-8 is told as such", async () => {
  await using host = new Host();
  using peer = await host.connect();
  assertEquals((await peer.ask(post("\xff"))).body, "POST /echo not UTF-8");
});

Deno.test("a large body arrives whole, by length and in chunks", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const large = "0123456789abcdef".repeat(20_000);
  assertEquals((await peer.ask(post(large))).body, `POST /echo ${large}`);
  const chunks = large.replaceAll(
    /.{1,7001}/g,
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  );
  const head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  assertEquals((await peer.ask(`${head}${chunks}0\r\n\r\n`)).body, `POST /echo ${large}`);
  assertEquals((await peer.ask(NEXT)).status, 200);
});

Deno.test("HEAD is answered without a body, whole or streamed or refused", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const answer = await peer.ask("HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n", { isHead: true });
  assertEquals(answer.headers.get("content-length"), String("HEAD /echo ".length));
  const refused = await peer.ask("HEAD /refused HTTP/1.1\r\nHost: a\r\n\r\n", { isHead: true });
  assertEquals([refused.status, refused.headers.get("content-length")], [403, "2"]);
  await peer.send("HEAD /held HTTP/1.1\r\nHost: a\r\n\r\n");
  const { reply } = await host.next();
  const stream = reply.stream({ status: 200, headers: {} });
  stream.send("a");
  stream.end();
  assertEquals((await peer.answer({ isHead: true })).status, 200);
  assertEquals((await peer.ask(NEXT)).body, "GET /next ");
});

Deno.test("a connection ends after the answer when the client, the version or the handler wants it", async () => {
  await using host = new Host();
  const requests = [
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
  ];
  for (const request of requests) {
    using peer = await host.connect();
    const answer = await peer.ask(request + NEXT);
    assertEquals([answer.status, answer.headers.get("connection")], [200, "close"]);
    assertEquals(await peer.rest(), "");
  }
  using peer = await host.connect();
  await peer.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  (await host.next()).reply.answer({ status: 200, close: true });
  assertEquals((await peer.answer()).headers.get("connection"), "close");
  assertEquals(await peer.rest(), "");
});

Deno.test("100 Continue is sent when the head was let in and the body is not there yet", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const [head = "", body = ""] = post("abc", "Expect: 100-continue").split(/(?<=\r\n\r\n)/);
  assertEquals((await peer.ask(head)).status, 100);
  assertEquals((await peer.ask(body)).body, "POST /echo abc");
  assertEquals((await peer.ask(head + body)).status, 200);
});

Deno.test("a client that waits for 100 Continue in vain gets the refusal, and the connection ends", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const request =
    "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
  const answer = await peer.ask(request);
  assertEquals([answer.status, answer.headers.get("connection")], [403, "close"]);
  assertEquals(await peer.rest(), "");
});

Deno.test("a request that is refused by its head keeps the connection if its body is small", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const refused = (size: number) =>
    `POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`;
  for (const size of [0, 3, 20_000, 65_536]) {
    const answer = await peer.ask(refused(size));
    assertEquals([answer.status, answer.headers.has("connection")], [403, false], `${size}`);
    assertEquals((await peer.ask(NEXT)).body, "GET /next ");
  }
  assertEquals((await peer.ask(refused(65_537))).headers.get("connection"), "close");
  assertEquals(await peer.rest(), "");
  using other = await host.connect();
  const chunked =
    "POST /refused HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  assertEquals((await other.ask(chunked + NEXT)).headers.get("connection"), "close");
  assertEquals(await other.rest(), "");
});

Deno.test("a client that sends too much before it reads still gets its 413", async () => {
  const maxBodyBytes = 5_000_000;
  await using host = new Host({ maxBodyBytes });
  using peer = await host.connect();
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${maxBodyBytes + 1}\r\n\r\n`;
  assertEquals(await peer.send(head), true);
  assertEquals(await peer.sendBytes(new Uint8Array(maxBodyBytes)), true);
  assertEquals([(await peer.answer()).status, await peer.rest()], [413, ""]);
});

Deno.test("requests sent together are answered in order, one at a time", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT + NEXT);
  const { reply } = await host.next();
  assertEquals(host.screened, ["/held"]);
  reply.answer({ status: 202 });
  assertEquals((await peer.answer()).status, 202);
  assertEquals((await peer.answer()).body, "GET /next ");
  assertEquals((await peer.answer()).body, "GET /next ");
});

Deno.test("a stream leaves as it is sent, in chunks, and the connection is kept", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  const { reply } = await host.next();
  const stream = reply.stream({ status: 200, headers: { "content-type": "text/event-stream" } });
  const head = await peer.take("HTTP/1.1 200 OK\r\ndate: ".length);
  assertEquals(head.startsWith("HTTP/1.1 200 OK"), true);
  let text = "";
  while (!text.endsWith("\r\n\r\n")) text += await peer.take(1);
  assertEquals(text.endsWith("\r\ntransfer-encoding: chunked\r\n\r\n"), true);
  stream.send("data: 1\n\n");
  assertEquals(await peer.take(14), "9\r\ndata: 1\n\n\r\n");
  stream.send("a");
  stream.send("é");
  assertEquals(await peer.take(13), "1\r\na\r\n2\r\n\xc3\xa9\r\n");
  stream.end();
  assertEquals(await peer.take(5), "0\r\n\r\n");
  assertEquals((await peer.ask(NEXT)).body, "GET /next ");
});

Deno.test("a stream to HTTP/1.0 ends with the connection", async () => {
  await using host = new Host();
  using peer = await host.connect();
  await peer.send("GET /held HTTP/1.0\r\n\r\n");
  const stream = (await host.next()).reply.stream({ status: 200, headers: {} });
  stream.send("a");
  stream.send("b");
  stream.end();
  assertEquals((await peer.answer()).body, "ab");
});

Deno.test("a handler that throws costs its client a 500 and nobody else anything", async () => {
  await using host = new Host();
  using other = await host.connect();
  await other.ask(NEXT);
  for (const path of ["/throw", "/throw/early", "/unwritable"]) {
    using peer = await host.connect();
    assertEquals((await peer.ask(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 500, path);
    assertEquals(await peer.rest(), "");
  }
  assertEquals((await other.ask(NEXT)).status, 200);
});

Deno.test("close() lets answers under way be given, and ends all else", async () => {
  await using host = new Host();
  using silent = await host.connect();
  using idle = await host.connect();
  await idle.ask(NEXT);
  using busy = await host.connect();
  await busy.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT);
  using half = await host.connect();
  const { reply } = await host.next();
  await half.send(NEXT.slice(0, 10));
  using streaming = await host.connect();
  await streaming.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  const stream = (await host.next()).reply.stream({ status: 200, headers: {} });
  host.server.close();
  assertEquals([await silent.rest(), await idle.rest()], ["", ""]);
  reply.answer({ status: 200, body: "last" });
  stream.send("end");
  stream.end();
  const answer = await busy.answer();
  assertEquals([answer.body, answer.headers.get("connection")], ["last", "close"]);
  assertEquals(await busy.rest(), "");
  const late = await half.ask(NEXT.slice(10));
  assertEquals(late.headers.get("connection"), "close");
  assertEquals([(await streaming.answer()).body, await streaming.rest()], ["end", ""]);
});

Deno.test("a body whose parts come before, during and after the answer to the request before it", async () => {
  await using host = new Host();
  using peer = await host.connect();
  const evil = "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n";
  const body = `begin${evil}end`;
  const head = `POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
  await peer.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${head}begin`);
  const held = await host.next();
  held.reply.answer({ status: 200, body: "first" });
  assertEquals((await peer.answer()).body, "first");
  await peer.send(evil);
  await peer.send(`end${"GET /third HTTP/1.1\r\nHost: a\r\n\r\n"}`);
  assertEquals((await peer.answer()).body, `POST /second ${body}`);
  assertEquals((await peer.answer()).body, "GET /third ");
  assertEquals(host.screened, ["/held", "/second", "/third"]);
});

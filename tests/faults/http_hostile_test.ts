// The HTTP server against noise, and against a system that has no more files for it.

import { assert, assertEquals } from "@std/assert";
import { Dice } from "../harness/dice.ts";
import { mutate, SAMPLES, toBytes } from "../harness/http_samples.ts";
import { Host, Peer } from "./http_peer.ts";

const REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const ROUNDS = 2_000;
const KNOWN = new Set([100, 200, 400, 413, 417, 431, 501, 505]);

Deno.test("two thousand broken requests get valid answers or none, and never hang", async () => {
  await using host = new Host({ maxHeadBytes: 1_024, maxHeaders: 10, maxBodyBytes: 4_096 });
  using other = await host.connect();
  const dice = new Dice(99);
  let answers = 0;
  for (let round = 0; round < ROUNDS; round++) {
    using peer = await host.connect();
    const bytes = mutate(toBytes(dice.pick(SAMPLES) + dice.pick(SAMPLES)), dice);
    const cut = dice.below(bytes.length + 1);
    await peer.sendBytes(bytes.subarray(0, cut));
    await peer.sendBytes(bytes.subarray(cut));
    await peer.endSending();
    answers += checkAnswers(await peer.rest(), `round ${round}`);
    if (round % 100 === 0) assertEquals((await other.ask(REQUEST)).status, 200);
  }
  assert(answers > ROUNDS);
});

/** Counts the answers of a text that must be nothing but answers. */
function checkAnswers(text: string, round: string): number {
  let rest = text;
  let count = 0;
  while (rest !== "") {
    const head = /^HTTP\/1\.1 (\d{3}) [\w ]+\r\n(?:[a-z-]+: [ -~]*\r\n)*\r\n/.exec(rest);
    assert(head !== null, `${round}: ${JSON.stringify(rest)}`);
    assert(KNOWN.has(Number(head[1])), `${round}: ${head[1]}`);
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(head[0])?.[1] ?? "0";
    rest = rest.slice(head[0].length + Number(length));
    count += 1;
  }
  return count;
}

Deno.test("a server that may open no more files goes on serving", async () => {
  const child = new Deno.Command("./fixtures/programs/attempt", {
    args: [
      "run",
      "bash",
      "-c",
      "ulimit -n 60; exec deno run --no-prompt --quiet --allow-net=127.0.0.1 fixtures/programs/http_echo.ts",
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const output = child.stdout.getReader();
  const { value } = await output.read();
  const port = Number(new TextDecoder().decode(value));
  const flood: Peer[] = [];
  try {
    for (let round = 0; round < 4; round++) {
      // More than the server may open; it is told of each only when it has closed another.
      for (let count = 0; count < 50; count++) flood.push(await Peer.connect(port));
      const peer = await Peer.connect(port);
      flood.push(peer);
      assertEquals((await peer.ask(REQUEST)).status, 200);
    }
  } finally {
    for (const peer of flood) peer.close();
    await child.stdin.close();
    await output.cancel();
  }
  assertEquals([(await child.status).code, await errors], [0, ""]);
});

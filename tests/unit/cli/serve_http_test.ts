// Where a server over HTTP listens, and what it refuses before it does.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type HttpChoice, UsageError } from "../../../src/cli/command.ts";
import { openHttp, parseAddress } from "../../../src/cli/serve_http.ts";

const ADDRESSES: readonly (readonly [string, string, number])[] = [
  ["", "127.0.0.1", 8808],
  ["9000", "127.0.0.1", 9000],
  [":9000", "127.0.0.1", 9000],
  ["0", "127.0.0.1", 0],
  ["localhost", "localhost", 8808],
  ["localhost:9000", "localhost", 9000],
  ["127.0.0.1:65535", "127.0.0.1", 65535],
  ["0.0.0.0:80", "0.0.0.0", 80],
  ["0.0.0.0", "0.0.0.0", 8808],
  ["[::1]:9000", "[::1]", 9000],
  ["[::]", "[::]", 8808],
  ["my-host.example:1", "my-host.example", 1],
];

Deno.test("parseAddress() reads host, port, both or none", async (t) => {
  for (const [text, host, port] of ADDRESSES) {
    await t.step(JSON.stringify(text), () => assertEquals(parseAddress(text), { host, port }));
  }
});

const BAD = [
  "65536",
  "127.0.0.1:65536",
  "localhost:",
  "localhost:port",
  "localhost:-1",
  "localhost:1:2",
  "::1",
  "[::1",
  "[evil]:1",
  "[::1]9000",
  "http://localhost:1",
  "localhost:1/mcp",
  "a b",
  " 9000",
  "9000\n",
  ":",
  "user@host:1",
];

Deno.test("parseAddress() refuses anything else, with an example", async (t) => {
  for (const text of BAD) {
    await t.step(JSON.stringify(text), () => {
      const words = `Cannot listen on "${text}": give HOST:PORT, as 127.0.0.1:8808`;
      assertThrows(() => parseAddress(text), UsageError, words);
    });
  }
});

function choose(address: string, tokenFile?: string): HttpChoice {
  return {
    address,
    tokenFile,
    allowOrigins: [],
    allowHosts: [],
    legacyEvents: false,
    bounds: {},
  };
}

Deno.test("openHttp() refuses other machines without tokens", async (t) => {
  for (const address of ["0.0.0.0", "[::]:80", "192.168.0.1:80", "host.example", "LOCALHOST"]) {
    await t.step(address, async () => {
      const { host } = parseAddress(address);
      const words = `Cannot listen on ${host} for everyone: name a file of bearer tokens`;
      await assertRejects(() => openHttp(choose(address)), UsageError, words);
    });
  }
});

Deno.test("openHttp() names the permission that is missing", async () => {
  await assertRejects(
    () => openHttp(choose("[::1]:9000")),
    UsageError,
    "Cannot listen without --allow-net=[::1]:9000",
  );
  await assertRejects(
    () => openHttp(choose("0.0.0.0:80", "/etc/tokens")),
    UsageError,
    'Cannot use the token file "/etc/tokens": add --allow-read=/etc/tokens',
  );
});

Deno.test("openHttp() refuses files without tokens", async (t) => {
  // Files that are there anyway: none of them is a list of tokens.
  for (const file of ["deno.json", "README.md", "no-such-file"]) {
    await t.step(file, async () => {
      const words = `Cannot use the token file "${file}": it`;
      await assertRejects(() => openHttp(choose("", file)), UsageError, words);
    });
  }
});

// Who is let in over HTTP, by the head of a request alone.

import { assertEquals } from "@std/assert";
import { TokenList } from "../../../src/gateway/authenticator.ts";
import { Door, type DoorOptions, isLoopback } from "../../../src/gateway/http_door.ts";
import type { HttpHead } from "../../../src/transport/http.ts";

const LIMITS = { maxRequestsPerClient: 10, maxRate: 0, identifyTimeoutMs: 1_000 };

function createDoor(options: Partial<DoorOptions> = {}): Door {
  return new Door({
    hostname: "127.0.0.1",
    allowHosts: [],
    allowOrigins: [],
    authenticator: undefined,
    limits: LIMITS,
    ...options,
  });
}

function headOf(headers: Readonly<Record<string, string>>): HttpHead {
  const all = new Map(Object.entries(headers));
  return { method: "POST", path: "/mcp", query: "", headers: all, peer: "127.0.0.1" };
}

/** "host", "origin", "token" or "in". */
function verdictOf(admission: ReturnType<Door["admitSite"]>): string {
  return admission?.kind === "denied" ? admission.reason : "in";
}

const LOOPBACK: readonly (readonly [string, boolean])[] = [
  ["127.0.0.1", true],
  ["localhost", true],
  ["::1", true],
  ["[::1]", true],
  ["0.0.0.0", false],
  ["::", false],
  ["", false],
  ["127.0.0.2", false],
  ["LOCALHOST", false],
  ["localhost.example", false],
];

Deno.test("isLoopback() is sure, or says no", () => {
  for (const [hostname, expected] of LOOPBACK) {
    assertEquals(isLoopback(hostname), expected, hostname);
  }
});

Deno.test("Door on this machine takes the names of this machine, and those it was given", () => {
  const door = createDoor({ allowHosts: ["Named.Example", "exact.example:8443"] });
  const taken = [
    "localhost",
    "localhost:1",
    "LocalHost:65535",
    "127.0.0.1",
    "[::1]:8808",
    "named.example",
    "NAMED.example:9",
    "exact.example:8443",
  ];
  for (const host of taken) assertEquals(verdictOf(door.admitSite(headOf({ host }))), "in", host);
  const refused = [
    "evil.example",
    "192.168.0.1",
    "10.0.0.1:8808",
    "[2001:db8::1]",
    "exact.example",
    "",
    "::1",
  ];
  for (const host of refused) {
    assertEquals(verdictOf(door.admitSite(headOf({ host }))), "host", host);
  }
  assertEquals(verdictOf(door.admitSite(headOf({}))), "host");
});

Deno.test("Door for other machines takes addresses, which no name server gave, but no names", () => {
  const door = createDoor({ hostname: "0.0.0.0", authenticator: new TokenList(["x".repeat(16)]) });
  for (const host of ["192.168.0.1", "10.0.0.1:8808", "[2001:db8::1]:80", "0.0.0.0"]) {
    assertEquals(verdictOf(door.admitSite(headOf({ host }))), "in", host);
  }
  for (const host of ["evil.example", "1.2.3.4.example", "1.2.3.4x", "[evil]"]) {
    assertEquals(verdictOf(door.admitSite(headOf({ host }))), "host", host);
  }
});

Deno.test("Door judges a host again each time, however often it let others in", () => {
  const door = createDoor();
  for (let count = 0; count < 200; count++) {
    assertEquals(verdictOf(door.admitSite(headOf({ host: `localhost:${count}` }))), "in");
    assertEquals(verdictOf(door.admitSite(headOf({ host: `evil${count}.example` }))), "host");
  }
});

Deno.test("Door takes pages of its own and those it was given, whatever the host says", () => {
  const door = createDoor({ allowOrigins: ["https://app.example"] });
  const host = "localhost:8808";
  const rows = [
    ["http://localhost:8808", "in"],
    ["https://localhost:8808", "in"],
    ["https://app.example", "in"],
    ["http://localhost:8809", "origin"],
    ["http://localhost", "origin"],
    ["http://127.0.0.1:8808", "origin"],
    ["http://app.example", "origin"],
    ["null", "origin"],
    ["", "origin"],
    ["https://app.example, https://evil.example", "origin"],
  ] as const;
  for (const [origin, verdict] of rows) {
    assertEquals(verdictOf(door.admitSite(headOf({ host, origin }))), verdict, origin);
  }
  const foreign = headOf({ host: "evil.example", origin: "https://app.example" });
  assertEquals(verdictOf(door.admitSite(foreign)), "host");
});

Deno.test("Door tells owners apart by their tokens", async () => {
  const door = createDoor({
    authenticator: new TokenList(["first-token-123456", "second-token-12345"]),
  });
  const ownerOf = async (authorization: string) => {
    const admission = await door.admitOwner(headOf({ authorization }));
    return admission.kind === "admitted" ? admission.owner : admission.answer.status;
  };
  assertEquals(await ownerOf("Bearer first-token-123456"), "token-1");
  assertEquals(await ownerOf("bearer second-token-12345"), "token-2");
  for (
    const wrong of ["", "Bearer ", "Bearer x", "Basic first-token-123456", "first-token-123456"]
  ) {
    assertEquals(await ownerOf(wrong), 401, wrong);
  }
  assertEquals(createDoor().admitOwner(headOf({})), { kind: "admitted", owner: "" });
});

Deno.test("Door answers a wrong token with how to bring a right one, and nothing of either", async () => {
  const door = createDoor({ authenticator: new TokenList(["first-token-123456"]) });
  const challengeOf = async (headers: Readonly<Record<string, string>>) => {
    const admission = await door.admitOwner(headOf(headers));
    return admission.kind === "denied" ? admission.answer : undefined;
  };
  assertEquals((await challengeOf({}))?.headers?.["www-authenticate"], 'Bearer realm="bulkhead"');
  const answer = await challengeOf({ authorization: "Bearer guessed-token-1" });
  assertEquals(
    answer?.headers?.["www-authenticate"],
    'Bearer realm="bulkhead", error="invalid_token"',
  );
  assertEquals(JSON.stringify(answer).includes("token-1"), false);
});

Deno.test("Door bounds what one client has under way, and nobody else's", () => {
  const door = createDoor({ limits: { ...LIMITS, maxRequestsPerClient: 2, maxRate: 0 } });
  const enter = (client: string) => door.enter(client, "request");
  assertEquals([enter("a"), enter("a")], [undefined, undefined]);
  const refused = enter("a");
  assertEquals(refused?.kind === "denied" && [refused.reason, refused.answer.status], [
    "rate",
    429,
  ]);
  assertEquals(enter("b"), undefined);
  door.leave("a", "request");
  assertEquals(enter("a"), undefined);
});

Deno.test("Door leaves a client that holds all the streams it may some requests", () => {
  const door = createDoor({ limits: { ...LIMITS, maxRequestsPerClient: 16, maxRate: 0 } });
  for (let count = 0; count < 14; count++) assertEquals(door.enter("a", "stream"), undefined);
  assertEquals(door.enter("a", "stream")?.kind, "denied");
  assertEquals(door.enter("a", "request"), undefined);
  assertEquals(door.enter("a", "request"), undefined);
  assertEquals(door.enter("a", "request")?.kind, "denied");
  door.leave("a", "stream");
  assertEquals(door.enter("a", "stream"), undefined);
});

Deno.test("Door bounds how often one client comes, and says when it may again", () => {
  const door = createDoor({ limits: { ...LIMITS, maxRequestsPerClient: 1000, maxRate: 5 } });
  let taken = 0;
  let refused = door.admitClient("a");
  while (refused === undefined && taken < 1_000) {
    taken += 1;
    refused = door.admitClient("a");
  }
  // Two seconds' worth at once, and what came in while this ran.
  assertEquals(taken >= 10, true);
  assertEquals(refused?.kind === "denied" && refused.answer.headers?.["retry-after"], "1");
  assertEquals(door.admitClient("b"), undefined);
});

Deno.test("Door forgets idle clients rather than grow, never those with something under way", () => {
  const door = createDoor({ limits: { ...LIMITS, maxRequestsPerClient: 1, maxRate: 0 } });
  door.enter("busy", "request");
  for (let count = 0; count < 20_100; count++) {
    door.enter(`client-${count}`, "request");
    door.leave(`client-${count}`, "request");
  }
  assertEquals(door.enter("busy", "request")?.kind, "denied");
});

Deno.test("Door forgets nobody who keeps coming, however many others come", () => {
  // One request may come at once, and the next in two seconds.
  const door = createDoor({ limits: { ...LIMITS, maxRequestsPerClient: 1, maxRate: 0.5 } });
  assertEquals(door.admitClient("often"), undefined);
  let denied = 0;
  for (let count = 0; count < 20_100; count++) {
    if (count % 4_000 === 0 && door.admitClient("often")?.kind === "denied") denied += 1;
    door.admitClient(`client-${count}`);
  }
  assertEquals(denied, 6);
});

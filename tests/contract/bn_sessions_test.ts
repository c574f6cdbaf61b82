// One client's working directory and agent are never another's: on the handshake wire they belong to the session, on the
// stateless wire to whoever carries the handle.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { openCompartment } from "../../src/cli/compartment.ts";
import { loadBnManifest } from "../../src/cli/bn_manifest.ts";
import { Connection } from "../../src/gateway/connection.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/gateway/log.ts";
import { BnActivation } from "../../src/providers/bn/bn_activation.ts";
import { BnSessions, HANDLE_MS } from "../../src/providers/bn/bn_session.ts";
import { FIXTURE, Harbour } from "./bn_harbour.ts";

const LOG = createLog({ level: "error", sink: () => {} });
const SESSION = { id: "s", cwd: "/srv/repo", agent: undefined, isLinked: false };

Deno.test("clients of one server have a directory and an agent each", async () => {
  await using harbour = await Harbour.create();
  await Deno.mkdir(`${harbour.repo}/a`);
  await Deno.mkdir(`${harbour.repo}/b`);
  await using gateway = await serve(harbour);
  using first = new Client(gateway);
  using second = new Client(gateway);
  using third = new Client(gateway);
  for (const client of [first, second, third]) await client.greet();
  const record = { pid: 4_000_001, "parent_pid": 1, name: "a", type: "agent", id: "bn-first" };
  await harbour.record(record);
  const [one, two] = await Promise.all([
    first.call("binnacle-set_agent", { path: `${harbour.repo}/a`, agent_id: "bn-first" }),
    second.call("binnacle-set_agent", { path: `${harbour.repo}/b` }),
  ]);
  assertEquals([one.agent_id, one.cwd, two.cwd], [
    "bn-first",
    `${harbour.repo}/a`,
    `${harbour.repo}/b`,
  ]);
  const seen = await Promise.all(
    [first, second, first, second].map((client) => client.call("bn_run", { args: ["env"] })),
  );
  const facts = seen.map(({ stdout }) => ({
    cwd: /^PWD=(.*)$/m.exec(String(stdout))?.[1],
    agent: /^BN_AGENT_ID=(.*)$/m.exec(String(stdout))?.[1],
    session: /^BN_MCP_SESSION=(.*)$/m.exec(String(stdout))?.[1],
  }));
  assertEquals(facts[0], facts[2]);
  assertEquals(facts[1], facts[3]);
  assertEquals([facts[0]?.cwd, facts[0]?.agent], [`${harbour.repo}/a`, "bn-first"]);
  assertEquals([facts[1]?.cwd, facts[1]?.agent], [`${harbour.repo}/b`, undefined]);
  assert(facts[0]?.session !== facts[1]?.session);
  const text = "Session not initialized. Call binnacle-set_agent first.";
  assertEquals((await third.call("bn_run", { args: ["env"] })).text, text);
});

Deno.test("a client's own roots narrow which directory it may choose", async () => {
  await using harbour = await Harbour.create();
  for (const name of ["a", "b"]) await Deno.mkdir(`${harbour.repo}/${name}`);
  await using gateway = await serve(harbour);
  using client = new Client(gateway, "handshake", [`${harbour.repo}/a`, harbour.storage]);
  await client.greet();
  const set = (path: string) => client.call("binnacle-set_agent", { path });
  assertEquals((await set(`${harbour.repo}/a`)).cwd, `${harbour.repo}/a`);
  for (const path of [`${harbour.repo}/b`, harbour.repo]) {
    assertMatch(String((await set(path)).text), /outside the client's own roots/);
  }
  assertMatch(String((await set(harbour.storage)).text), /outside the roots/, "never widen");
  const named = await client.call("bn_run", { args: ["-C", `${harbour.repo}/b`, "args"] });
  assertMatch(String(named.stderr), /outside the client's own roots/);
});

Deno.test("a handle is honoured from any connection, and only as it was given", async () => {
  await using harbour = await Harbour.create();
  await using gateway = await serve(harbour);
  using first = new Client(gateway, "stateless");
  using second = new Client(gateway, "stateless");
  const { session } = await first.call("binnacle-set_agent", { path: harbour.repo });
  const handle = String(session);
  const run = (given: unknown) => second.call("bn_run", { args: ["args"], session: given });
  assertEquals((await run(handle)).stdout, `<${harbour.repo}>\n`);
  const [payload = "", signature = ""] = handle.split(".");
  const forged = { ...JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) };
  forged.value.cwd = "/";
  const lies = btoa(JSON.stringify(forged)).replaceAll("+", "-").replaceAll("/", "_").replace(
    /=+$/,
    "",
  );
  const FALSE = [
    "",
    "x",
    payload,
    `${payload}.`,
    `.${signature}`,
    `${lies}.${signature}`,
    `${handle}.`,
    `${handle}=`,
    handle.slice(1),
    handle.slice(0, -1),
    `${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
  ];
  for (const text of FALSE) {
    assertMatch(String((await run(text)).text), /is not one that this server gave/, text);
  }
  await using other = await serve(harbour);
  using stranger = new Client(other, "stateless");
  const { text } = await stranger.call("bn_run", { args: ["args"], session: handle });
  assertMatch(String(text), /is not one that this server gave/, "another process");
});

Deno.test("a handle expires, and then says what to do", async () => {
  let now = 0;
  const sessions = new BnSessions(() => now);
  const handle = await sessions.keep(inquiry(undefined), SESSION);
  assertEquals((await sessions.find(inquiry(undefined), handle)).kind, "found");
  now = HANDLE_MS;
  assertEquals((await sessions.find(inquiry(undefined), handle)).kind, "found");
  now += 1;
  assertEquals(await sessions.find(inquiry(undefined), handle), {
    kind: "missing",
    reason: '"session" has expired. Call binnacle-set_agent again.',
  });
});

Deno.test("a handle is of use to its owner only", async () => {
  const sessions = new BnSessions();
  const handle = await sessions.keep(inquiry(undefined, "ada"), SESSION);
  assertEquals((await sessions.find(inquiry(undefined, "ada"), handle)).kind, "found");
  for (const owner of ["", "bob"]) {
    assertEquals((await sessions.find(inquiry(undefined, owner), handle)).kind, "missing");
  }
});

Deno.test("a session that has a connection of its own needs no handle", async () => {
  const sessions = new BnSessions();
  const [one, two] = [{}, {}];
  assertEquals(await sessions.keep(inquiry(one), SESSION), undefined);
  assertEquals(await sessions.find(inquiry(one), undefined), { kind: "found", session: SESSION });
  assertEquals((await sessions.find(inquiry(two), undefined)).kind, "missing");
  assertEquals((await sessions.find(inquiry(undefined), undefined)).kind, "missing");
});

/** A gateway over the stand-in, without a sandbox: these tests are about who gets what. */
async function serve(harbour: Harbour): Promise<Gateway> {
  const shipped = await loadBnManifest({ file: undefined, command: FIXTURE, timeoutMs: undefined });
  const programs = [...shipped.programs].map(([name, rules]) =>
    [name, { ...rules, sandbox: "off" as const }] as const
  );
  const compartment = await openCompartment({
    manifest: { ...shipped, programs: new Map(programs) },
    audit: () => {},
    log: LOG,
    shutdown: new AbortController().signal,
  });
  const activation = new BnActivation({
    namespace: "bn",
    roots: [harbour.repo],
    clientRoots: "narrow",
    open: () =>
      Promise.resolve({
        environment: { BN_DATA_DIR: harbour.storage },
        isWalled: false,
        problem: undefined,
        bind: (roots) => compartment.bind(roots),
        findObstacle: (program) => compartment.findObstacle(program),
      }),
  });
  const server = { implementation: { name: "test", version: "1.0.0" } };
  return new Gateway({ server, activations: [activation], log: LOG });
}

/** One connection to a gateway. */
class Client implements Disposable {
  readonly #connection: Connection;
  readonly #isStateless: boolean;
  readonly #roots: readonly string[] | undefined;
  readonly #waiting = new Map<number, (message: unknown) => void>();
  #id = 0;

  constructor(
    gateway: Gateway,
    wire: "handshake" | "stateless" = "handshake",
    roots?: readonly string[],
  ) {
    this.#isStateless = wire === "stateless";
    this.#roots = roots;
    this.#connection = new Connection(gateway, {
      send: (text: string) => {
        const message = JSON.parse(text);
        if (message.method === "roots/list") return this.#tellRoots(message.id);
        this.#waiting.get(message.id)?.(message);
      },
      ready: () => undefined,
    });
  }

  async greet(): Promise<void> {
    const capabilities = this.#roots === undefined ? {} : { roots: {} };
    await this.#ask("initialize", { protocolVersion: "2025-11-25", capabilities });
    this.#connection.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  /** The structured content of a call, or its text where there is none. */
  async call(name: string, given: object): Promise<Readonly<Record<string, unknown>>> {
    const { result } = Object(await this.#ask("tools/call", { name, arguments: given }));
    return result.structuredContent ?? { text: result.content[0].text };
  }

  #tellRoots(id: unknown): void {
    const roots = (this.#roots ?? []).map((path) => ({ uri: `file://${path}` }));
    this.#connection.receive(JSON.stringify({ jsonrpc: "2.0", id, result: { roots } }));
  }

  async #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#id;
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const full = this.#isStateless ? { ...params, _meta: meta } : params;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params: full }));
    return await answer;
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}

/** A request of a session, or of nobody's. */
function inquiry(session: object | undefined, owner = "") {
  return {
    session,
    owner,
    signal: new AbortController().signal,
    canAsk: () => false,
    ask: () => Promise.reject(new TypeError("Nobody is asked")),
  };
}

// Whoever runs the library decides who is let in: by signed tokens of an authorization server, asked in its own time.

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type Authenticator, findBearer, type HttpHead, type Identity } from "../../http.ts";
import { HttpClient } from "../harness/http_client.ts";
import { HttpHost } from "../harness/http_host.ts";
import { HttpPort, HttpWire } from "../harness/http_wire.ts";
import { scripted } from "../harness/scripted.ts";

const RESOURCE = "http://127.0.0.1/mcp";
const METADATA = `resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"`;

/** Lets in tokens `NAME.SCOPE.SIGNATURE` that its key has signed and whose scope is "tools". */
class SignedTokens implements Authenticator {
  readonly metadata = { resource: RESOURCE, authorization_servers: ["https://auth.example"] };
  readonly #key: CryptoKey;
  asked = 0;
  fault: "throws" | "rejects" | "challenges badly" | "says nothing" | "never answers" | undefined;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  static async create(): Promise<SignedTokens> {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const uses = ["sign", "verify"] as const;
    return new SignedTokens(
      await crypto.subtle.importKey("raw", secret, algorithm, false, [...uses]),
    );
  }

  async sign(name: string, scope = "tools"): Promise<string> {
    const bytes = new TextEncoder().encode(`${name}.${scope}`);
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, bytes));
    return `${name}.${scope}.${signature.toBase64({ alphabet: "base64url", omitPadding: true })}`;
  }

  identify(head: HttpHead): Identity | Promise<Identity> {
    this.asked += 1;
    const error = new Error("secret: the key server is away");
    if (this.fault === "throws") throw error;
    if (this.fault === "challenges badly") {
      return { kind: "unknown", status: 401, challenge: "Bearer secret\r\nSet-Cookie: a=b" };
    }
    // As one might that was not typed.
    if (this.fault === "says nothing") return undefined as unknown as Identity;
    if (this.fault === "never answers") return new Promise(() => {});
    return this.fault === "rejects" ? Promise.reject(error) : this.#judge(head);
  }

  async #judge(head: HttpHead): Promise<Identity> {
    const [name = "", scope = "", signature = ""] = findBearer(head)?.split(".") ?? [];
    const bytes = new TextEncoder().encode(`${name}.${scope}`);
    const given = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
    if (!await crypto.subtle.verify("HMAC", this.#key, given, bytes)) {
      return { kind: "unknown", status: 401, challenge: `Bearer ${METADATA}` };
    }
    return scope === "tools"
      ? { kind: "known", owner: name }
      : { kind: "unknown", status: 403, challenge: 'Bearer error="insufficient_scope"' };
  }
}

const TOOLS = {
  who: (call: { readonly owner?: string | undefined }) => [
    { kind: "content", block: { type: "text", text: call.owner ?? "nobody" } } as const,
  ],
};

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  Deno.test(`mcp.http.auth owners are whom an authenticator names (${revision})`, async () => {
    const authenticator = await SignedTokens.create();
    await using host = new HttpHost({ activations: [scripted(TOOLS)], authenticator });
    const open = async (name: string) =>
      await HttpClient.open(host, {
        revision,
        headers: { Authorization: `Bearer ${await authenticator.sign(name)}` },
      });
    const [ada, eve] = [await open("ada"), await open("eve")];
    const before = authenticator.asked;
    for (const [client, name] of [[ada, "ada"], [eve, "eve"], [ada, "ada"]] as const) {
      const { content } = await client.call("who");
      assertEquals<unknown>(content, [{ type: "text", text: name }]);
    }
    assertEquals(authenticator.asked, before + 3, "each request is judged once");
    if (ada.session === undefined) return;
    eve.session = ada.session;
    using stolen = await eve.post("ping");
    assertEquals(stolen.status, 404);
  });
}

Deno.test("mcp.http.auth strangers are told where tokens come from, and what theirs lacks", async () => {
  const authenticator = await SignedTokens.create();
  await using host = new HttpHost({ activations: [], authenticator });
  const ask = async (token: string | undefined, target = "/mcp") => {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    return await host.ask({ target, headers, body });
  };
  const token = await authenticator.sign("ada");
  for (const wrong of [undefined, "x.tools.AAAA", token.replace("ada", "eve")]) {
    const { status, headers } = await ask(wrong);
    assertEquals([status, headers.get("www-authenticate")], [401, `Bearer ${METADATA}`]);
  }
  const lacking = await ask(await authenticator.sign("ada", "nothing"));
  assertEquals(lacking.status, 403);
  assertMatch(lacking.headers.get("www-authenticate") ?? "", /insufficient_scope/);
  assertMatch(lacking.body, /the token does not allow this/);
  assertEquals((await host.ask({ method: "GET", target: "/metrics" })).status, 401);
  for (const path of ["", "/mcp"]) {
    const target = `/.well-known/oauth-protected-resource${path}`;
    const { status, body } = await host.ask({ method: "GET", target });
    assertEquals([status, JSON.parse(body)], [200, authenticator.metadata]);
    assertEquals((await host.ask({ target })).status, 405);
  }
  assertEquals(host.metrics.toText().includes('denials_total{reason="token"} 5'), true);
});

Deno.test("mcp.http.auth an authenticator that fails lets nobody in and tells nothing", async () => {
  const authenticator = await SignedTokens.create();
  await using host = new HttpHost({
    activations: [],
    authenticator,
    limits: { identifyTimeoutMs: 20 },
  });
  const faults = [
    "throws",
    "rejects",
    "challenges badly",
    "says nothing",
    "never answers",
  ] as const;
  for (const fault of faults) {
    authenticator.fault = fault;
    const { status, body } = await host.ask({
      headers: { "Content-Type": "application/json", Authorization: "Bearer x" },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    assertEquals([status, body.includes("secret")], [500, false], fault);
    assertMatch(body, /"message":"Internal error \(/);
  }
  await using plain = new HttpHost({ activations: [] });
  const target = "/.well-known/oauth-protected-resource";
  assertEquals((await plain.ask({ method: "GET", target })).status, 404);
});

Deno.test("mcp.http.auth a server for other machines wants tokens or an authenticator", () => {
  const open = () => new HttpHost({ activations: [], hostname: "0.0.0.0" });
  assertThrows(open, TypeError, 'Cannot listen on "0.0.0.0" without tokens');
});

Deno.test("mcp.http.auth each request of a connection is judged anew, at once or in time", async () => {
  const owners = ["first", "second", "third"];
  let asked = 0;
  const authenticator: Authenticator = {
    identify() {
      const identity = { kind: "known", owner: owners[asked++] ?? "asked too often" } as const;
      return asked === 2 ? Promise.resolve(identity) : identity;
    },
  };
  await using host = new HttpHost({ activations: [scripted(TOOLS)], authenticator });
  const client = await HttpClient.create(host, { revision: "2026-07-28" });
  const message = client.request("tools/call", { name: "who" });
  const parts = new HttpPort(host.port).complete({
    headers: client.headersOf(message),
    body: JSON.stringify(message),
  });
  using wire = await HttpWire.connect(host.port);
  const told: unknown[] = [];
  for (let count = 0; count < 3; count++) {
    const { body } = await wire.ask(parts);
    told.push(JSON.parse(body).result.content[0].text);
  }
  assertEquals(told, owners);
});

// `mod.ts bn` as a command: the line that `permissions` prints is true, doctor knows the mode, and what cannot work is
// said at the start.

import { assertEquals, assertMatch } from "@std/assert";
import { BnClient, FIXTURE, Harbour } from "../contract/bn_harbour.ts";
import { testWith } from "../harness/test_with.ts";

const testWalled = await testWith("bwrap");

const PATH = Deno.env.get("PATH") ?? "";

testWalled(
  "permissions bn prints a line that doctor is content with and bn works with, inside bubblewrap",
  async () => {
    await using harbour = await Harbour.create();
    await Deno.mkdir(`${harbour.top}/bin`);
    await harbour.link(FIXTURE, `${harbour.top}/bin/bn`);
    const env = { PATH: `${harbour.top}/bin:${PATH}`, BN_DATA_DIR: harbour.storage };
    const printed = await run(
      ["mod.ts", "permissions", "bn", "--root", harbour.repo, "--json"],
      env,
    );
    const { command } = JSON.parse(printed.stdout);
    const at = command.findIndex((word: string) => word.endsWith("/modes/bn.ts"));
    const flags = command.slice(2, at);
    assertEquals(command.slice(at + 1), ["--root", harbour.repo]);
    const doctor = await run(
      [...flags, "mod.ts", "doctor", "bn", "--root", harbour.repo, "--json"],
      env,
    );
    const { findings } = JSON.parse(doctor.stdout);
    assertEquals(findings.filter(({ verdict }: { verdict: string }) => verdict === "problem"), []);
    assertEquals(doctor.code, 0);
    const client = new BnClient(["run", "--quiet", ...command.slice(2)], { env });
    await client.greet();
    const caller = client.on("handshake");
    const { agent_id: id } = JSON.parse(
      (await harbour.shell(["orient", "--type", "worker"])).stdout,
    );
    const set = await caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: id });
    assertEquals(set.structured.agent_id, id, set.text);
    const { structured } = await caller.call("bn_run", { args: ["task", "create", "x"] });
    assertEquals(structured.exit_code, 0, String(structured.stderr));
    assertEquals((await caller.call("binnacle-goodbye")).structured.use_shell, true);
    assertEquals(await client.close(), 0);
    assertMatch(await client.stderr(), /"program":"bn",.*"tool":"bn_run".*"sandbox":"bubblewrap"/);
  },
);

Deno.test("what cannot work is said at the start, with exit code 2", async (t) => {
  const CASES = [
    { args: ["--root", "repo"], env: {}, says: /^Root "repo" must be an absolute path/ },
    { args: [], env: { BN_CLI_PATH: "bn" }, says: /^BN_CLI_PATH "bn" must be an absolute path/ },
    {
      args: [],
      env: { BN_MCP_TIMEOUT: "soon" },
      says: /^BN_MCP_TIMEOUT needs a whole number of sec/,
    },
    { args: [], env: { BN_MCP_TIMEOUT: "0" }, says: /^BN_MCP_TIMEOUT needs a whole number of sec/ },
    {
      args: [],
      env: { BN_DATA_DIR: "/tmp" },
      says: /^Storage "\/tmp" must be an absolute path of/,
    },
    { args: [], env: { BN_DATA_DIR: "data" }, says: /^Storage "data" must be an absolute path of/ },
    { args: ["--manifest", "/none"], env: {}, says: /^Cannot read manifest "\/none": start with/ },
    { args: ["--audit", "/none"], env: {}, says: /^Cannot write audit "\/none": start with/ },
    { args: ["repo"], env: {}, says: /^Unknown option "repo"/ },
  ];
  for (const { args, env, says } of CASES) {
    await t.step(says.source, async () => {
      const { code, stdout, stderr } = await run(["--allow-env", "mod.ts", "bn", ...args], env);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, says);
    });
  }
});

Deno.test("an agent of the server's own environment is everybody's who names none", async () => {
  await using harbour = await Harbour.create();
  await using client = await harbour.serve({
    env: { BN_AGENT_ID: "bn-crew", BN_MCP_SESSION: "old" },
  });
  const caller = client.on("handshake");
  const { structured } = await caller.call("binnacle-set_agent", { path: harbour.repo });
  assertEquals(structured.message, "Session initialized for agent bn-crew");
  const seen = await caller.call("bn_run", { args: ["env"] });
  assertMatch(String(seen.structured.stdout), /^BN_AGENT_ID=bn-crew$/m);
  assertEquals(/^BN_MCP_SESSION=old$/m.test(String(seen.structured.stdout)), false);
});

testWalled(
  "every launch is a line of the audit, with the client's tool and no arguments",
  async () => {
    await using harbour = await Harbour.create();
    const audit = `${harbour.top}/audit.jsonl`;
    await using client = await harbour.serve({
      args: ["--audit", audit],
      flags: [`--allow-write=${audit}`],
    });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    await caller.call("bn_run", { args: ["task", "create", "secret plan"] });
    await caller.call("binnacle-orient");
    const text = await Deno.readTextFile(audit);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ program, sandbox, caller }) => [program, sandbox, caller.tool]), [
      ["bn", "bubblewrap", "bn_run"],
      ["bn-lifecycle", "unconfined", "binnacle-orient"],
    ]);
    assertEquals(text.includes("secret plan"), false);
  },
);

testWalled("the log tells programs that forgo a sandbox from those that lack one", async () => {
  await using harbour = await Harbour.create();
  for (const compartment of ["wall", "open"] as const) {
    await using client = await harbour.serve({ compartment });
    await client.on("handshake").call("binnacle-set_agent", { path: harbour.repo });
    await client.on("handshake").call("bn_run", { args: ["env"] });
    await client.close();
    const told = (await client.stderr()).trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ event }) => event === "unconfined")
      .map(({ programs, reason }) => [programs, /bubblewrap/.test(reason), /"off"/.test(reason)]);
    const chosen = [["bn-lifecycle"], false, true];
    assertEquals(told, compartment === "wall" ? [chosen] : [chosen, [["bn"], true, false]]);
  }
});

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

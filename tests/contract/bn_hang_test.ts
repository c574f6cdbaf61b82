// Nothing that `bn` does, and nothing that is not there, makes `mod.ts bn` hang: document 001's reason to exist.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { withDeadline } from "../harness/deadline.ts";
import { FIXTURE, Harbour, isRunning, WIRES } from "./bn_harbour.ts";
import { testWith } from "../harness/test_with.ts";

const testTree = await testWith("ps");

const MEBI = 1024 * 1024;
const PATH = Deno.env.get("PATH") ?? "";
const COMPARTMENTS = ["wall", "open"] as const;

/** A number of seconds that no other process sleeps for. */
function uniqueSeconds(): string {
  return `7${crypto.getRandomValues(new Uint32Array(1))[0]}`;
}

for (const compartment of COMPARTMENTS) {
  testTree(
    `15: a command that takes too long ends with 124 and its whole tree (${compartment})`,
    async (t) => {
      for (const wire of WIRES) {
        await t.step(wire, async () => {
          await using harbour = await Harbour.create();
          await using client = await harbour.serve({ compartment, env: { BN_MCP_TIMEOUT: "1" } });
          const caller = client.on(wire);
          await caller.call("binnacle-set_agent", { path: harbour.repo });
          const seconds = uniqueSeconds();
          const { structured, isError } = await caller.call("bn_run", { args: ["sleep", seconds] });
          assertEquals(structured, {
            stdout: "",
            stderr: "Command timed out after 1 seconds",
            exit_code: 124,
            timed_out: true,
          });
          assertEquals(isError, true);
          assertEquals(await isRunning(`sleep ${seconds}`), false, "the grandchild is gone");
          const after = await caller.call("bn_run", { args: ["task", "list"] });
          assertEquals(after.structured.exit_code, 0);
        });
      }
    },
  );

  Deno.test(`17: a mebibyte on both pipes arrives whole (${compartment})`, async (t) => {
    for (const wire of WIRES) {
      await t.step(wire, async () => {
        await using harbour = await Harbour.create();
        await using client = await harbour.serve({ compartment });
        const caller = client.on(wire);
        await caller.call("binnacle-set_agent", { path: harbour.repo });
        const { structured } = await caller.call("bn_run", { args: ["flood", `${MEBI}`] });
        assertEquals(structured.exit_code, 0);
        assert(structured.stdout === "o".repeat(MEBI), "stdout is whole");
        assert(structured.stderr === "e".repeat(MEBI), "stderr is whole");
      });
    }
  });

  Deno.test(`17: a flood is cut, and the head of it kept (${compartment})`, async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serve({ compartment });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const { structured } = await caller.call("bn_run", { args: ["flood", "50000000"] });
    assertEquals([structured.truncated, structured.exit_code], [true, 137]);
    assertMatch(String(structured.stderr), /Command wrote more than \d+ bytes to std(out|err)/);
    assert(String(structured.stdout).length <= 2 * MEBI);
    assertEquals((await client.request("ping", {}).answer).result, {});
  });

  Deno.test(`17: a command that reads stdin finds it empty (${compartment})`, async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serve({ compartment });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const reading = caller.call("bn_run", { args: ["stdin"] });
    const ping = client.request("ping", {}).answer;
    assertEquals(Object((await reading).structured).stdout.trim(), "0");
    assertEquals((await ping).result, {}, "it took nothing from the client's messages");
  });

  testTree(`17: a grandchild that keeps the pipe holds nothing up (${compartment})`, async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serve({ compartment });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const seconds = uniqueSeconds();
    const { structured } = await caller.call("bn_run", { args: ["fork", seconds] });
    assertEquals(structured.exit_code, 0);
    assertMatch(String(structured.stdout), /^forked \d+\n$/);
    assertEquals(await isRunning(`sleep ${seconds}`), false);
  });

  testTree(
    `17: ping is answered during a call that sleeps, and cancelling it ends the tree (${compartment})`,
    async (t) => {
      for (const wire of WIRES) {
        await t.step(wire, async () => {
          await using harbour = await Harbour.create();
          await using client = await harbour.serve({ compartment });
          const caller = client.on(wire);
          const { structured } = await caller.call("binnacle-set_agent", { path: harbour.repo });
          const seconds = uniqueSeconds();
          const given = { args: ["sleep", seconds], session: structured.session };
          const { id } = client.request("tools/call", {
            name: "bn_run",
            arguments: given,
            ...(wire === "stateless" ? { _meta: META } : {}),
          });
          await until(() => isRunning(`sleep ${seconds}`));
          assertEquals((await client.request("ping", {}).answer).result, {});
          const beside = await caller.call("bn_run", { args: ["task", "list"] });
          assertEquals(beside.structured.exit_code, 0, "other calls run beside it");
          assertEquals(await isRunning(`sleep ${seconds}`), true);
          client.send({ method: "notifications/cancelled", params: { requestId: id } });
          await until(async () => !await isRunning(`sleep ${seconds}`));
        });
      }
    },
  );

  Deno.test(`17: a hundred calls at once (${compartment})`, async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serve({ compartment });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const calls = Array.from(
      { length: 100 },
      (_, index) => caller.call("bn_run", { args: ["args", `${index}`] }),
    );
    for (const [index, { structured }] of (await Promise.all(calls)).entries()) {
      assertEquals(structured.stdout, `<${harbour.repo}>\n<${index}>\n`);
    }
    assertEquals(await client.close(), 0);
  });
}

Deno.test("16: a bn that is not there is 127, whatever is allowed", async (t) => {
  await using harbour = await Harbour.create();
  const none = `${harbour.top}/none/bn`;
  for (const compartment of ["wall", "open", "bare"] as const) {
    await t.step(compartment, async () => {
      await using client = await harbour.serve({ program: none, compartment });
      const caller = client.on("handshake");
      const { structured } = await caller.call("binnacle-set_agent", { path: harbour.repo });
      assertEquals(structured.success, true);
      for (
        const [tool, given] of [["bn_run", { args: ["ready"] }], ["binnacle-orient", {}]] as const
      ) {
        const { structured, isError } = await caller.call(tool, given);
        assertEquals([structured.exit_code, structured.stdout, isError], [127, "", true]);
        assertMatch(String(structured.stderr), /^bn binary not found/);
        assert(!String(structured.stderr).includes(harbour.top), "no path of the host");
      }
      const { error } = await caller.read("binnacle://status");
      assertMatch(error?.message ?? "", /^bn binary not found/);
    });
  }
});

Deno.test({
  name: "16: with no bn on PATH and a bare --allow-run=bn it is 127 too",
  ignore: await isOnPath("bn"),
  fn: async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serveBare({});
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const { structured } = await caller.call("bn_run", { args: ["ready"] });
    assertEquals(structured.exit_code, 127);
    assertMatch(String(structured.stderr), /^bn binary not found; .*--allow-run=bn$/);
  },
});

Deno.test("--allow-run=bn --allow-read=REPO is enough, wherever PATH has the program", async () => {
  await using harbour = await Harbour.create();
  await Deno.mkdir(`${harbour.top}/bin`);
  await harbour.link(FIXTURE, `${harbour.top}/bin/bn`);
  await using client = await harbour.serveBare({ PATH: `${harbour.top}/bin:${PATH}` });
  const caller = client.on("handshake");
  const set = await caller.call("binnacle-set_agent", { path: harbour.repo });
  assertEquals(set.structured.cwd, harbour.repo);
  const { structured } = await caller.call("bn_run", { args: ["args", "x"] });
  assertEquals(structured.stdout, `<${harbour.repo}>\n<x>\n`);
  const out = await caller.call("binnacle-set_agent", { path: harbour.storage });
  assertMatch(out.text, /start the server with --allow-read=/);
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function isOnPath(program: string): Promise<boolean> {
  const files = PATH.split(":").map((folder) => `${folder}/${program}`);
  const { stdout } = await new Deno.Command("ls", { args: files, stderr: "null" }).output();
  return stdout.length > 0;
}

/** Looks again and again; each look starts a process, which is pause enough. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  let isLate = false;
  const looking = (async () => {
    while (!isLate && !await holds());
  })();
  await withDeadline(looking, () => {
    isLate = true;
    return "What was awaited does not come";
  });
}

// Which registry an agent is looked up in: the server and the program must agree, wherever the program keeps it and
// whichever directory of a repository a client works in.

import { assertEquals, assertMatch } from "@std/assert";
import { findAgent } from "../../src/providers/bn/registered_agents.ts";
import { FIXTURE, Harbour } from "./bn_harbour.ts";
import { testWith } from "../harness/test_with.ts";

const testWalled = await testWith("bwrap");

Deno.test("6: findAgent() looks where the program writes", async (t) => {
  await using harbour = await Harbour.create();
  const { top, repo } = harbour;
  const CASES = [
    { name: "BN_DATA_DIR", env: { BN_DATA_DIR: `${top}/a` } },
    { name: "XDG_DATA_HOME", env: { XDG_DATA_HOME: `${top}/b` } },
    { name: "HOME", env: { HOME: `${top}/c` } },
    { name: "BN_TEST_MODE", env: { HOME: `${top}/d`, BN_TEST_MODE: "1" } },
    {
      name: "BN_TEST_ID",
      env: { XDG_DATA_HOME: `${top}/e`, BN_TEST_MODE: "true", BN_TEST_ID: "7" },
    },
    { name: "BN_REPO", env: { BN_DATA_DIR: `${top}/f`, BN_REPO: top } },
    {
      name: "container with a hash",
      env: { BN_DATA_DIR: `${top}/g`, BN_CONTAINER_MODE: "", BN_STORAGE_HASH: "abcdefabcdef" },
    },
    { name: "container without", env: { BN_DATA_DIR: `${top}/h`, BN_CONTAINER_MODE: "1" } },
  ];
  for (const { name, env } of CASES) {
    await t.step(name, async () => {
      assertEquals(await findAgent("bn-1", repo, env), "absent", "no storage yet");
      const id = await register(env, repo);
      assertEquals(await findAgent(id, repo, env), "present");
      assertEquals(await findAgent(`${id}0`, repo, env), "absent");
    });
  }
  await t.step("an environment that does not tell", async () => {
    assertEquals(await findAgent("bn-1", repo, {}), "unreadable");
  });
});

Deno.test("6: findAgent() knows which repository a directory belongs to", async (t) => {
  await using harbour = await Harbour.create();
  const { top, repo } = harbour;
  const env = { BN_DATA_DIR: harbour.storage };
  const admin = `${repo}/.git/worktrees/tree`;
  const folders = [
    `${repo}/deep/down`,
    `${top}/tree/src`,
    `${top}/relative`,
    `${repo}/module`,
    admin,
  ];
  for (const folder of [...folders, `${repo}/.git/modules/module`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await Deno.writeTextFile(`${admin}/commondir`, "../..\n");
  await Deno.writeTextFile(`${top}/tree/.git`, `gitdir: ${admin}\n`);
  await Deno.writeTextFile(`${top}/relative/.git`, "gitdir: ../repo/.git/worktrees/tree\n");
  await Deno.writeTextFile(`${repo}/module/.git`, `gitdir: ${repo}/.git/modules/module\n`);
  const id = await register(env, repo);
  const CASES = [
    { name: "the repository", cwd: repo, says: "present" },
    { name: "a directory in it", cwd: `${repo}/deep/down`, says: "present" },
    { name: "a worktree", cwd: `${top}/tree`, says: "present" },
    { name: "a directory in a worktree", cwd: `${top}/tree/src`, says: "present" },
    { name: "a worktree that is named relatively", cwd: `${top}/relative`, says: "present" },
    {
      name: "a submodule, which is a repository of its own",
      cwd: `${repo}/module`,
      says: "absent",
    },
  ] as const;
  for (const { name, cwd, says } of CASES) {
    await t.step(name, async () => {
      assertEquals(await findAgent(id, cwd, env), says);
      const { code } = await run(["show", id], env, cwd);
      assertEquals(code === 0, says === "present", "as the program has it");
    });
  }
  await t.step("a worktree in a container is its own", async () => {
    const contained = { ...env, BN_CONTAINER_MODE: "1" };
    assertEquals(await findAgent(id, `${top}/tree`, contained), "absent");
  });
});

Deno.test("6: where the registry cannot be read, the program is asked", async () => {
  await using harbour = await Harbour.create();
  const id = await register({ BN_DATA_DIR: harbour.storage }, harbour.repo);
  for (const compartment of ["wall", "open"] as const) {
    await using client = await harbour.serve({ compartment, read: [] });
    const caller = client.on("handshake");
    const ask = (agent: string) =>
      caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: agent });
    assertEquals((await ask(id)).structured.agent_id, id);
    for (const other of ["bn-none", "--version", "-H", ""]) {
      assertEquals((await ask(other)).text, `Agent ${other} not found in registry`);
    }
  }
});

testWalled("6: a worktree is linked through the server", async () => {
  await using harbour = await Harbour.create();
  const tree = `${harbour.top}/tree`;
  const admin = `${harbour.repo}/.git/worktrees/tree`;
  await Deno.mkdir(admin, { recursive: true });
  await Deno.mkdir(tree);
  await Deno.writeTextFile(`${admin}/commondir`, "../..\n");
  await Deno.writeTextFile(`${tree}/.git`, `gitdir: ${admin}\n`);
  const id = await register({ BN_DATA_DIR: harbour.storage }, harbour.repo);
  await using client = await harbour.serve({ roots: [harbour.repo, tree] });
  const caller = client.on("handshake");
  const { structured } = await caller.call("binnacle-set_agent", { path: tree, agent_id: id });
  assertEquals([structured.cwd, structured.agent_id], [tree, id]);
  await caller.call("bn_run", { args: ["task", "create", "from the tree"] });
  const listed = await harbour.shell(["task", "list"]);
  assertEquals(JSON.parse(listed.stdout).count, 1, "both work on one storage");
  // Alone in its sandbox, the worktree would have another storage than the shell's.
  await using confined = await harbour.serve({ roots: [tree] });
  const cut = await confined.on("handshake").call("binnacle-set_agent", { path: tree });
  assertMatch(cut.text, /is a worktree, and its main repository is outside the roots/);
  await using open = await harbour.serve({ roots: [tree], compartment: "open" });
  const same = open.on("handshake");
  assertEquals((await same.call("binnacle-set_agent", { path: tree })).isError, false);
  const { structured: tasks } = await same.call("bn_run", { args: ["task", "list"] });
  assertEquals(Object(tasks.json).count, 1);
});

testWalled("a sandbox that would hide the storage is refused, not written into", async () => {
  await using harbour = await Harbour.create();
  const CASES = [
    {
      env: { BN_DATA_DIR: `${harbour.storage}/none` },
      says: /does not exist yet; run 'bn session init'/,
    },
    { env: { BN_DATA_DIR: "", HOME: "", XDG_DATA_HOME: "" }, says: /--allow-env=HOME/ },
    { env: { BN_DATA_DIR: `${harbour.top}/unread` }, says: /sandbox for bn could not be built/ },
  ];
  for (const { env, says } of CASES) {
    await using client = await harbour.serve({ env });
    const caller = client.on("handshake");
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const { structured } = await caller.call("bn_run", { args: ["session", "init"] });
    assertEquals(structured.exit_code, 126);
    assertMatch(String(structured.stderr), says);
  }
});

async function register(env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run(["orient", "--type", "worker", "--init"], env, cwd);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).agent_id;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  const output = await new Deno.Command(FIXTURE, {
    args: [...args],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", ...env },
  }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

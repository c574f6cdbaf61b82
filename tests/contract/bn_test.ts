// `mod.ts bn` as document 001 wants it: every line of its checklist that is the server's, by its number, on both wires,
// against the stand-in and, when BN_CLI_PATH names one, against a real `bn`. The installer's lines (26 to 32) are tested
// with the installer.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BnClient, type Caller, FIXTURE, Harbour, isRunning, WIRES } from "./bn_harbour.ts";
import { testWith } from "../harness/test_with.ts";

const testTree = await testWith("ps");

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The real program, where a person named one and lets us know. */
function findRealProgram(): string | undefined {
  const variable = "BN_CLI_PATH";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) || undefined : undefined;
}

const real = findRealProgram();
const PROGRAMS = [
  { name: "stand-in", program: FIXTURE, ignore: false },
  { name: "real bn", program: real ?? "", ignore: real === undefined },
];

interface Scene {
  readonly harbour: Harbour;
  readonly client: BnClient;
  readonly caller: Caller;
  readonly isReal: boolean;
}

/** One test a program, one step a wire, each with a harbour and a server of its own. */
function row(
  title: string,
  play: (scene: Scene) => Promise<void>,
  options: { readonly standInOnly?: boolean; readonly compartment?: "wall" | "open" } = {},
): void {
  for (const { name, program, ignore } of PROGRAMS) {
    const isReal = program !== FIXTURE;
    Deno.test({
      name: `${title} (${name})`,
      ignore: ignore || (isReal && options.standInOnly === true),
      fn: async (t) => {
        for (const wire of WIRES) {
          await t.step(wire, async () => {
            await using harbour = await Harbour.create(program);
            await using client = await harbour.serve({
              program,
              compartment: options.compartment ?? "wall",
            });
            await play({ harbour, client, caller: client.on(wire), isReal });
          });
        }
      },
    });
  }
}

Deno.test("1: initialize is answered, notifications/initialized is not", async () => {
  await using harbour = await Harbour.create();
  const strays: unknown[] = [];
  const client = new BnClient(
    ["run", "--no-prompt", "--quiet", new URL("../../mod.ts", import.meta.url).pathname, "bn"],
    { notified: (message) => strays.push(message), env: { BN_DATA_DIR: harbour.storage } },
  );
  const { result } = await client.greet();
  assertEquals(Object(result).protocolVersion, "2025-11-25");
  assertEquals((await client.request("ping", {}).answer).result, {});
  assertEquals(await client.close(), 0);
  assertEquals(strays, []);
});

row(
  "2, 34: tools/list says all there is to know: four tools with the document's schemas",
  async ({ caller }) => {
    const { tools } = Object((await caller.ask("tools/list")).result);
    const shapes = tools.map(({ name, description, inputSchema }: Schema) => ({
      name,
      isDescribed: description.length > 20,
      type: inputSchema.type,
      required: inputSchema.required ?? [],
      properties: Object.fromEntries(
        Object.entries(inputSchema.properties).map(([key, { type }]) => [key, type]),
      ),
    }));
    const shape = { isDescribed: true, type: "object" };
    assertEquals(shapes, [
      {
        ...shape,
        name: "binnacle-goodbye",
        required: [],
        properties: { summary: "string", session: "string" },
      },
      {
        ...shape,
        name: "binnacle-orient",
        required: [],
        properties: { type: "string", name: "string", register: "string", session: "string" },
      },
      {
        ...shape,
        name: "binnacle-set_agent",
        required: ["path"],
        properties: { path: "string", agent_id: "string" },
      },
      {
        ...shape,
        name: "bn_run",
        required: ["args"],
        properties: { args: "array", session: "string" },
      },
    ]);
  },
);

row(
  "3: set_agent wants an absolute path of a directory and resolves links",
  async ({ harbour, caller }) => {
    await Deno.writeTextFile(`${harbour.repo}/file`, "");
    await Deno.mkdir(`${harbour.repo}/sub`);
    await harbour.link(`${harbour.repo}/sub`, `${harbour.repo}/link`);
    await harbour.link(harbour.storage, `${harbour.repo}/out`);
    const REFUSED = [
      [{}, /"path"/],
      [{ path: "repo" }, /^Path must be absolute: "repo"$/],
      [{ path: "~/repo" }, /^Path must be absolute/],
      [{ path: `${harbour.repo}/file` }, /^Not a directory: "/],
      [{ path: `${harbour.repo}/none` }, /^Directory does not exist/],
      [{ path: `${harbour.repo}/out` }, /outside the roots/],
      [{ path: harbour.storage }, /outside the roots|--root/],
      [{ path: `${harbour.repo}-evil` }, /outside the roots|--root/],
      [{ path: `${harbour.repo}/../storage` }, /outside the roots|--root/],
    ] as const;
    for (const [given, says] of REFUSED) {
      const { text, isError } = await caller.call("binnacle-set_agent", given);
      assertEquals(isError, true, text);
      assertMatch(text, says);
    }
    const { structured } = await caller.call("binnacle-set_agent", {
      path: `${harbour.repo}/link`,
    });
    assertEquals(structured.cwd, `${harbour.repo}/sub`);
  },
);

row(
  "4: set_agent with an agent answers success, message, cwd and agent_id",
  async ({ harbour, caller, isReal }) => {
    const id = await registerInShell(harbour, isReal);
    const { structured, text, isError } = await caller.call("binnacle-set_agent", {
      path: harbour.repo,
      agent_id: id,
    });
    assertEquals(isError, false);
    const { session: _, ...rest } = structured;
    assertEquals(rest, {
      success: true,
      message: `Session initialized for agent ${id}`,
      cwd: harbour.repo,
      agent_id: id,
    });
    assertEquals(JSON.parse(text), structured);
  },
);

row(
  "5: set_agent without an agent gives an id of the session's own",
  async ({ harbour, caller }) => {
    const first = await caller.call("binnacle-set_agent", { path: harbour.repo });
    assertEquals(first.structured.message, "Session initialized");
    assertMatch(String(first.structured.agent_id), UUID);
  },
);

Deno.test("5: the id of a session stays, and another client has another", async () => {
  await using harbour = await Harbour.create();
  await using client = await harbour.serve();
  const caller = client.on("handshake");
  const first = await caller.call("binnacle-set_agent", { path: harbour.repo });
  const second = await caller.call("binnacle-set_agent", { path: harbour.repo });
  assertEquals(second.structured.agent_id, first.structured.agent_id);
  assertEquals("session" in second.structured, false);
  const other = await client.on("stateless").call("binnacle-set_agent", { path: harbour.repo });
  assert(other.structured.agent_id !== first.structured.agent_id);
});

row("6: agent_id has to stand in agents.jsonl", async ({ harbour, caller }) => {
  const ask = (id: string) =>
    caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: id });
  const missing = await ask("bn-0001");
  assertEquals([missing.isError, missing.text], [true, "Agent bn-0001 not found in registry"]);
  const record = { pid: 4_000_001, "parent_pid": 1, name: "a", type: "agent" };
  await harbour.record("{ this is no JSON");
  await harbour.record({ ...record, id: "bn-0001" });
  await harbour.record('"a string"');
  await harbour.record({
    ...record,
    pid: 4_000_002,
    id: "bn-0002",
    goodbye_at: "2020-01-01T00:00:00Z",
  });
  await harbour.record({ ...record, pid: 4_000_003, id: "bn-0003" });
  await harbour.record({ ...record, pid: 4_000_003, id: "bn-0004" });
  assertEquals((await ask("bn-0001")).structured.agent_id, "bn-0001");
  assertEquals((await ask("bn-0002")).text, "Agent bn-0002 not found in registry", "it has left");
  assertEquals(
    (await ask("bn-0003")).text,
    "Agent bn-0003 not found in registry",
    "it was replaced",
  );
  assertEquals((await ask("bn-0004")).structured.agent_id, "bn-0004");
  assertEquals((await ask("bn-000")).isError, true, "ids are compared exactly");
  assertEquals((await ask("")).isError, true);
  assertEquals((await ask("--help")).isError, true);
}, { standInOnly: true });

row("7: a set_agent that fails leaves the session as it was", async ({ harbour, caller }) => {
  await Deno.mkdir(`${harbour.repo}/sub`);
  await caller.call("binnacle-set_agent", { path: `${harbour.repo}/sub` });
  for (const given of [{ path: "/none" }, { path: harbour.repo, agent_id: "bn-none" }]) {
    assertEquals((await caller.call("binnacle-set_agent", given)).isError, true);
    const { structured } = await caller.call("bn_run", { args: ["args"] });
    assertEquals(structured.stdout, `<${harbour.repo}/sub>\n`);
  }
}, { standInOnly: true });

row(
  "8, 9: the program learns its agent once linked, and the session always",
  async ({ harbour, caller }) => {
    const id = await registerInShell(harbour, false);
    const { structured } = await caller.call("binnacle-set_agent", { path: harbour.repo });
    const before = toVariables(await caller.call("bn_run", { args: ["env"] }));
    assertEquals(before.BN_AGENT_ID, undefined);
    assertEquals(before.BN_MCP_SESSION, structured.agent_id);
    await caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: id });
    const after = toVariables(await caller.call("bn_run", { args: ["env"] }));
    assertEquals(after.BN_AGENT_ID, id);
    assertMatch(after.BN_MCP_SESSION ?? "", UUID);
    const created = await caller.call("bn_run", { args: ["task", "create", "mine"] });
    const shown = await caller.call("bn_run", {
      args: ["show", String(Object(created.structured.json).id)],
    });
    assertEquals(Object(shown.structured.json).task.by, id);
  },
  { standInOnly: true },
);

row("10: bn_run before set_agent", async ({ caller }) => {
  for (const tool of ["bn_run", "binnacle-orient", "binnacle-goodbye"]) {
    const { text, isError } = await caller.call(tool, { args: ["ready"] });
    assertEquals([isError, text], [
      true,
      "Session not initialized. Call binnacle-set_agent first.",
    ]);
  }
});

row("11: stdout, stderr and exit_code come apart", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const { structured, isError, text } = await caller.call("bn_run", { args: ["exit", "3"] });
  assertEquals(structured, { stdout: "out\n", stderr: "err\n", exit_code: 3 });
  assertEquals(JSON.parse(text), structured);
  assertEquals(isError, true);
  const died = await caller.call("bn_run", { args: ["die", "SEGV"] });
  assertEquals(died.structured.exit_code, 139);
  assertMatch(String(died.structured.stderr), /Command was ended by SIGSEGV$/);
}, { standInOnly: true });

row("11: JSON that bn prints stands parsed beside it", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const { structured, text } = await caller.call("bn_run", { args: ["task", "list"] });
  assertEquals(structured.exit_code, 0);
  assertEquals(structured.json, JSON.parse(String(structured.stdout)));
  const { json: _, ...rest } = structured;
  assertEquals(JSON.parse(text), rest, "the text does not say it twice");
  const human = await caller.call("bn_run", { args: ["-H", "ready"] });
  assertEquals("json" in human.structured, false);
});

row(
  "12: a command nobody here has heard of passes through, literally",
  async ({ harbour, caller }) => {
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const args = ["args", "$(id)", "a b", "", "*", "-x", "--", "\n", "⚓"];
    const { structured } = await caller.call("bn_run", { args });
    // The stand-in takes "--" for itself.
    const seen = ["$(id)", "a b", "", "*", "-x", "\n", "⚓"];
    assertEquals(structured.stdout, [harbour.repo, ...seen].map((word) => `<${word}>\n`).join(""));
    const unknown = await caller.call("bn_run", { args: ["tomorrow"] });
    assertEquals(unknown.structured.exit_code, 2);
  },
  { standInOnly: true },
);

row("13: blocked subcommands are found behind every global option", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const prefixes = [[], ["-H"], ["--human"], ["-C", harbour.repo], [`-C${harbour.repo}`], ["--"]];
  prefixes.push(["--repo", harbour.repo], [`--repo=${harbour.repo}`], ["-HC", harbour.repo]);
  prefixes.push([`-HC${harbour.repo}`], ["-H", "--", "-C", "x"], ["--new-option"]);
  prefixes.push(["--new-option", "value"], ["-H", "--repo", "gui"]);
  for (const word of ["gui", "mcp", "orient", "goodbye", "agent", "system"]) {
    for (const prefix of prefixes) {
      const { structured, isError } = await caller.call("bn_run", { args: [...prefix, word] });
      assertEquals([structured.exit_code, structured.stdout, isError], [1, "", true]);
      assertMatch(
        String(structured.stderr),
        new RegExp(`^Subcommand '(${word}|gui)' is blocked in bn_run`),
      );
    }
  }
  for (const args of [["task", "create", "gui"], ["task", "create", "--", "mcp"]]) {
    const { structured } = await caller.call("bn_run", { args });
    assertEquals(structured.exit_code, 0, String(structured.stderr));
  }
});

row("13: -C and --repo stay inside the roots", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const out = harbour.storage;
  const FORMS = [["-C", out], [`-C${out}`], ["--repo", out], [`--repo=${out}`], ["-HC", out]];
  FORMS.push(["-C", "../storage"], ["-C", "/"]);
  for (const form of FORMS) {
    for (const args of [[...form, "task", "list"], ["task", "list", ...form]]) {
      const { structured } = await caller.call("bn_run", { args });
      assertEquals([structured.exit_code, structured.stdout], [1, ""], JSON.stringify(args));
      assertMatch(String(structured.stderr), /outside the roots|--root/);
    }
  }
  const inside = await caller.call("bn_run", { args: ["-C", ".", "task", "list"] });
  assertEquals(inside.structured.exit_code, 0);
});

row("14: a blocked orient or goodbye names its tool and the shell", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  for (const word of ["orient", "goodbye"]) {
    const { structured } = await caller.call("bn_run", { args: [word] });
    assertStringIncludes(String(structured.stderr), `Subcommand '${word}' is blocked in bn_run.`);
    assertStringIncludes(String(structured.stderr), "Use the dedicated MCP tool instead");
    assertStringIncludes(String(structured.stderr), `binnacle-${word}`);
    assertStringIncludes(
      String(structured.stderr),
      `Use shell tool for 'bn ${word}' to enable agent termination`,
    );
  }
});

row("18, 19: binnacle-orient registers, warns and hints", async ({ harbour, caller, isReal }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const before = (await harbour.records()).length;
  const { structured, isError } = await caller.call("binnacle-orient", {
    type: "planner",
    name: "Ada",
    register: "plan it",
  });
  assertEquals(isError, false, JSON.stringify(structured));
  assertEquals((await harbour.records()).length, before + 1);
  const record = (await harbour.records()).at(-1);
  assertEquals(record?.id, structured.agent_id);
  assertEquals([record?.name, record?.agent_type, record?.purpose], ["Ada", "planner", "plan it"]);
  assertEquals(record?.mcp_session_id !== undefined || isReal, true);
  assertMatch(String(structured.warning), /registered via MCP.*not terminate.*shell/);
  assertMatch(String(structured.mcp_hint), /binnacle-set_agent with this agent_id/);
  const { stdout } = await harbour.shell(["show", String(structured.agent_id)], {
    program: isReal ? real ?? "" : FIXTURE,
  });
  assertEquals(JSON.parse(stdout).type, "agent");
});

row("18: what the session does after orient is the agent's work", async ({ harbour, caller }) => {
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const { structured } = await caller.call("binnacle-orient");
  const variables = toVariables(await caller.call("bn_run", { args: ["env"] }));
  assertEquals(variables.BN_AGENT_ID, structured.agent_id);
}, { standInOnly: true });

row("18: a linked session registers nobody", async ({ harbour, caller, isReal }) => {
  const id = await registerInShell(harbour, isReal);
  await caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: id });
  const before = (await harbour.records()).length;
  const { structured } = await caller.call("binnacle-orient");
  assertEquals((await harbour.records()).length, before);
  assertEquals(structured.agent_id, id);
  assertMatch(String(structured.warning), /linked to an agent already/);
  assertEquals(Object(structured.json).ready, true, "and is told how things stand");
});

row(
  "18: the agent that MCP registers never carries the server's process id",
  async ({ harbour, client, caller }) => {
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    await caller.call("binnacle-orient");
    const record = (await harbour.records()).at(-1);
    assertEquals(record?.pid, 0);
    // Binnacle ends stale agents when the next one comes or goes.
    await harbour.record({ ...record, status: "stale" });
    assertEquals((await harbour.shell(["orient", "--type", "worker"])).code, 0);
    assertEquals((await client.request("ping", {}).answer).result, {});
  },
  { standInOnly: true },
);

row(
  "18, 20: an agent that comes and goes over MCP leaves those of shells alone",
  async ({ harbour, caller, isReal }) => {
    const program = isReal ? real ?? "" : FIXTURE;
    const id = await registerInShell(harbour, isReal);
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    assertEquals((await caller.call("binnacle-orient")).structured.exit_code, 0);
    assertEquals((await caller.call("binnacle-goodbye")).structured.exit_code, 0);
    const { stdout } = await harbour.shell(["show", id], { program });
    assertEquals(Object(JSON.parse(stdout)).agent?.id, id, "nobody took it for dead");
  },
);

row(
  "20: binnacle-goodbye without a link cleans up and terminates nothing",
  async ({ harbour, client, caller }) => {
    await caller.call("binnacle-set_agent", { path: harbour.repo });
    const { structured: oriented } = await caller.call("binnacle-orient");
    const { structured, isError } = await caller.call("binnacle-goodbye", { summary: "done" });
    assertEquals(isError, false);
    const { terminated, should_terminate: should, use_shell: shell } = structured;
    assertEquals([terminated, should, shell], [false, true, true]);
    assertMatch(String(structured.warning), /No agent_id linked.*Cannot terminate agent via MCP/);
    assertMatch(String(structured.hint), /binnacle-set_agent with agent_id/);
    const record = (await harbour.records()).at(-1);
    assertEquals([record?.id, typeof record?.goodbye_at], [oriented.agent_id, "string"]);
    assertEquals((await client.request("ping", {}).answer).result, {}, "the server lives");
    const again = await caller.call("bn_run", { args: ["task", "list"] });
    assertEquals(again.structured.exit_code, 0);
  },
);

row(
  "21: binnacle-goodbye of a linked agent tells it to use its shell and kills nothing",
  async ({ harbour, caller }) => {
    // The test itself is the registered process.
    await harbour.record({
      id: "bn-live",
      pid: Deno.pid,
      parent_pid: 1,
      name: "test",
      type: "agent",
    });
    const before = (await harbour.records()).length;
    await caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: "bn-live" });
    const { structured } = await caller.call("binnacle-goodbye", { summary: "done" });
    assertEquals(structured, {
      terminated: false,
      should_terminate: true,
      use_shell: true,
      agent_id: "bn-live",
      hint: "Agent must call 'bn goodbye' via shell tool to terminate",
    });
    assertEquals((await harbour.records()).length, before);
  },
  { standInOnly: true },
);

row("24: status, agents and issues are listed and read", async ({ harbour, caller }) => {
  const { resources } = Object((await caller.ask("resources/list")).result);
  assertEquals(resources.map(({ uri, mimeType }: Listed) => [uri, mimeType]), [
    ["binnacle://agents", "text/markdown"],
    ["binnacle://issues", "application/json"],
    ["binnacle://status", "application/json"],
  ]);
  const early = await caller.read("binnacle://status");
  assertEquals(early.error?.message, "Session not initialized. Call binnacle-set_agent first.");
  await caller.call("binnacle-set_agent", { path: harbour.repo });
  const before = await harbour.records();
  const status = toContents(await caller.read("binnacle://status"));
  assertEquals(JSON.parse(status.text).ready, true);
  assertEquals(await harbour.records(), before, "reading registers nobody");
  assertEquals(JSON.parse(toContents(await caller.read("binnacle://issues")).text), {
    issues: [],
    count: 0,
  });
  const absent = toContents(await caller.read("binnacle://agents"));
  assertEquals([absent.mimeType, JSON.parse(absent.text)], [
    "application/json",
    { error: "AGENTS.md not found" },
  ]);
  await Deno.writeTextFile(`${harbour.repo}/AGENTS.md`, "# Agents ⚓\n");
  const present = toContents(await caller.read("binnacle://agents"));
  assertEquals([present.mimeType, present.text], ["text/markdown", "# Agents ⚓\n"]);
  assertEquals((await caller.read("binnacle://none")).error?.message, "Resource not found");
});

row(
  "25: the prompt is what bn emits, and needs no session",
  async ({ harbour, caller, isReal }) => {
    const { prompts } = Object((await caller.ask("prompts/list")).result);
    assertEquals(prompts.map(({ name }: { name: string }) => name), ["agent_instructions"]);
    const { result } = await caller.ask("prompts/get", { name: "agent_instructions" });
    const [message] = Object(result).messages;
    const emitted = await harbour.shell(["system", "emit", "copilot-instructions", "-H"], {
      program: isReal ? real ?? "" : FIXTURE,
    });
    assertEquals(message, {
      role: "user",
      content: { type: "text", text: emitted.stdout.trim() },
    });
    for (const word of ["Binnacle", "bn orient", "bn ready", "bn goodbye"]) {
      assertStringIncludes(message.content.text, word);
    }
    const { error } = await caller.ask("prompts/get", { name: "nope" });
    assertMatch(error?.message ?? "", /Unknown prompt/);
  },
);

for (const compartment of ["wall", "open"] as const) {
  row(
    `35: shell orient, set_agent, bn_run, shell goodbye (${compartment})`,
    async ({ harbour, caller, isReal }) => {
      const program = isReal ? real ?? "" : FIXTURE;
      const id = await registerInShell(harbour, isReal);
      await caller.call("binnacle-set_agent", { path: harbour.repo, agent_id: id });
      const created = await caller.call("bn_run", { args: ["task", "create", "mend the sail"] });
      assertEquals(created.structured.exit_code, 0, String(created.structured.stderr));
      const listed = await caller.call("bn_run", { args: ["task", "list"] });
      assertStringIncludes(String(listed.structured.stdout), "mend the sail");
      const seen = await harbour.shell(["task", "list"], { program });
      assertStringIncludes(seen.stdout, "mend the sail", "the shell sees the same storage");
      const bye = await harbour.shell(["goodbye", "done", "--dry-run"], { program });
      assertEquals(bye.code, 0);
      assertEquals(JSON.parse(bye.stdout).was_registered, true, "MCP work took nothing from it");
    },
    { compartment },
  );
}

testTree(
  "22: a goodbye in the shell ends the agent that spoke it, and the server lives on",
  async () => {
    await using harbour = await Harbour.create();
    await using client = await harbour.serve();
    const caller = client.on("handshake");
    // The agent is a shell that waits; its tool is another shell; that one runs bn.
    const tool = `${FIXTURE} orient --type worker > ${harbour.top}/oriented; ` +
      `${FIXTURE} goodbye done > ${harbour.top}/left; :`;
    const agent = new Deno.Command("sh", {
      args: ["-c", `sh -c '${tool}' & wait; sleep 97531; :`],
      cwd: harbour.repo,
      env: { BN_DATA_DIR: harbour.storage },
    }).spawn();
    const { signal } = await agent.status;
    assertEquals(signal, "SIGTERM");
    const { agent_id: id } = JSON.parse(await Deno.readTextFile(`${harbour.top}/oriented`));
    assertEquals(JSON.parse(await Deno.readTextFile(`${harbour.top}/left`)).terminated, true);
    assertEquals((await harbour.records()).at(-1)?.id, id);
    const { structured } = await caller.call("binnacle-set_agent", { path: harbour.repo });
    assertEquals(structured.success, true);
    assertEquals(await isRunning("sleep 97531"), false);
  },
);

/** An agent that the shell, here the test, has registered. */
async function registerInShell(harbour: Harbour, isReal: boolean): Promise<string> {
  const { stdout, stderr, code } = await harbour.shell(["orient", "--type", "worker"], {
    program: isReal ? real ?? "" : FIXTURE,
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).agent_id;
}

function toVariables(
  { structured }: { readonly structured: Readonly<Record<string, unknown>> },
): Partial<Record<string, string>> {
  const lines = String(structured.stdout).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  }));
}

function toContents(
  { result, error }: { readonly result?: unknown; readonly error?: { message: string } },
) {
  if (error !== undefined) throw new Error(error.message);
  const [contents] = Object(result).contents;
  return contents as { readonly mimeType: string; readonly text: string };
}

interface Schema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: string;
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, { readonly type: string }>>;
  };
}

interface Listed {
  readonly uri: string;
  readonly mimeType: string;
}

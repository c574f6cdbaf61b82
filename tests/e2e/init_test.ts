// `mod.ts init` as a person meets it: the steps, the flags, what it refuses and with which sentence, and the way back.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openConfig, replaceConfig } from "../../src/cli/config_file.ts";
import { CLIENTS } from "../../src/clients/client.ts";
import { InitLab, PROGRAM } from "./init_lab.ts";

const VSCODE = ".vscode/mcp.json";
const COPILOT = ".copilot/mcp-config.json";

/** Binnacle checklist 30: which options write which files. */
const FLAGS = [
  { args: ["--write-mcp-vscode"], vscode: true, copilot: false },
  { args: ["--write-mcp-copilot"], vscode: false, copilot: true },
  { args: ["--write-mcp-all"], vscode: true, copilot: true },
  { args: ["-y"], vscode: false, copilot: false },
  { args: ["-y", "--write-mcp-all"], vscode: true, copilot: true },
  { args: ["--client", "vscode,copilot"], vscode: true, copilot: true },
] as const;

Deno.test("30: init writes what the options name, and nothing else", async (t) => {
  for (const { args, vscode, copilot } of FLAGS) {
    await t.step(args.join(" "), async () => {
      await using lab = await InitLab.open();
      const { code, stderr } = await lab.run(["demo", ...args]);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      const files = [...(await lab.snapshot()).keys()].filter((path) => path.endsWith(".json"));
      const expected = [
        ...(copilot ? [`${lab.home}/${COPILOT}`] : []),
        ...(vscode ? [`${lab.project}/${VSCODE}`] : []),
      ];
      assertEquals(files, expected);
    });
  }
});

/** Binnacle checklist 31. */
const ANSWERS = [
  { input: "y\nn\n", marks: ["✓ Created .vscode/mcp.json", "⊘ Skipped"] },
  { input: "\nYES\n", marks: ["✓ Created .vscode/mcp.json", `✓ Created ~/${COPILOT}`] },
  { input: "no\nwhat\n", marks: ["⊘ Skipped", "⊘ Skipped"] },
  // Nobody who answers is nobody who agrees.
  { input: "", marks: ["\n⊘ Skipped", "\n⊘ Skipped"] },
  { input: "y", marks: ["✓ Created .vscode/mcp.json", "\n⊘ Skipped"] },
] as const;

Deno.test("31: init without options asks step by step", async (t) => {
  for (const { input, marks } of ANSWERS) {
    await t.step(JSON.stringify(input), async () => {
      await using lab = await InitLab.open();
      const { code, stdout, stderr } = await lab.run(["demo"], { input });
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertEquals(
        stdout,
        `Bulkhead Initialization: demo
=============================

[1/2] Write VS Code MCP config? [Y/n] ${marks[0]}

[2/2] Write GitHub Copilot CLI MCP config? [Y/n] ${marks[1]}

Done! Run 'deno run mod.ts doctor demo' to verify setup.
`,
      );
    });
  }
});

Deno.test("init names the flags it lacks, and needs no others", async (t) => {
  await using lab = await InitLab.open();
  const args = ["demo", "--client", "vscode,claude-code"];
  const flags: string[] = [];
  await t.step("variables", async () => {
    const { code, stderr } = await lab.run(args, { flags });
    assertEquals(code, 2);
    const [flag = ""] = /--allow-env=\S+(?=;)/.exec(stderr) ?? [];
    assertEquals(flag, "--allow-env=HOME,CLAUDE_CONFIG_DIR,XDG_STATE_HOME");
    flags.push(flag);
  });
  await t.step("files", async () => {
    const { code, stderr } = await lab.run(args, { flags });
    assertEquals(code, 1);
    const named = stderr.trim().split(" ").filter((word) => word.startsWith("--"));
    const { home, project, state } = lab;
    const list =
      `${project}/.vscode,${home}/.claude.json,${home}/.claude.json.bulkhead-tmp,${state}`;
    assertEquals(named, [`--allow-read=${list}`, `--allow-write=${list}`]);
    flags.push(...named);
  });
  await t.step("those are enough to write, and to undo", async () => {
    const { code, stdout, stderr } = await lab.run(args, { flags });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(stdout, "✓ Created .vscode/mcp.json\n✓ Created ~/.claude.json\n");
    const undone = await lab.run(["demo", "--undo"], { flags });
    assertEquals(undone.stdout, "✓ Deleted ~/.claude.json\n✓ Deleted .vscode/mcp.json\n");
  });
  await t.step("a dry run needs no right to write", async () => {
    const reading = flags.filter((flag) => !flag.startsWith("--allow-write"));
    const { code, stdout } = await lab.run([...args, "--dry-run"], { flags: reading });
    assertEquals(code, 0);
    assertMatch(stdout, /^--- \/dev\/null\n\+\+\+ \.vscode\/mcp\.json\n@@ -0,0 \+1,\d+ @@\n\+\{\n/);
    assertEquals((await lab.snapshot()).size, 0);
  });
});

Deno.test("an entry that starts mod.ts, as init used to write it, is replaced and undone", async (t) => {
  await using lab = await InitLab.open();
  const path = `${lab.home}/.cursor/mcp.json`;
  const journal = `${lab.state}/init.json`;
  const args = ["demo", "--client", "cursor"];
  await lab.run(args);
  const text = await Deno.readTextFile(path);
  const earlier = text.replace(`"${PROGRAM}"`, '"/opt/bulkhead/mod.ts",\n        "demo"');
  assert(earlier !== text, text);
  const records = await Deno.readTextFile(journal);
  await Deno.writeTextFile(path, earlier);
  await Deno.writeTextFile(journal, records.replace(await hashOf(text), await hashOf(earlier)));

  await t.step("undone as it stands", async () => {
    const { code, stdout } = await lab.run([...args, "--undo"]);
    assertEquals({ code, stdout }, { code: 0, stdout: "✓ Deleted ~/.cursor/mcp.json\n" });
  });
  await t.step(
    "brought up to date, then undone to what was there before the first init",
    async () => {
      await Deno.mkdir(`${lab.home}/.cursor`, { recursive: true });
      await Deno.writeTextFile(path, earlier);
      await Deno.writeTextFile(journal, records.replace(await hashOf(text), await hashOf(earlier)));
      const { code, stdout } = await lab.run(args);
      assertEquals(code, 0);
      assertMatch(stdout, /^✓ Updated ~\/\.cursor\/mcp\.json /);
      assertEquals(await Deno.readTextFile(path), text);
      const undone = await lab.run([...args, "--undo"]);
      assertEquals(undone.stdout, "✓ Deleted ~/.cursor/mcp.json\n");
    },
  );
  await t.step("brought up to date where init never was", async () => {
    const own =
      '{"mcpServers":{"bulkhead-demo":{"command":"deno","args":["run","mod.ts","demo"]}}}\n';
    await Deno.mkdir(`${lab.home}/.cursor`, { recursive: true });
    await Deno.writeTextFile(path, own);
    assertEquals((await lab.run(args)).code, 0);
    const { mcpServers } = JSON.parse(await Deno.readTextFile(path));
    assertEquals(mcpServers["bulkhead-demo"].args, ["run", "--no-prompt", PROGRAM]);
    await lab.run([...args, "--undo"]);
    assertEquals(await Deno.readTextFile(path), own);
  });
});

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

const REFUSED = [
  { args: [], reason: "Name the mode: it is one of" },
  { args: ["nonsense"], reason: 'Unknown mode "nonsense"' },
  { args: ["demo", "reader"], reason: "Name one mode of" },
  { args: ["demo", "--client", "emacs"], reason: 'Unknown client "emacs": it is one of vscode' },
  { args: ["demo", "--client", "zed", "--scope", "all"], reason: 'Cannot use --scope "all"' },
  {
    args: ["demo", "--client", "windsurf", "--scope", "project"],
    reason: 'Windsurf has no configuration of scope "project"',
  },
  { args: ["demo", "--client", "zed", "--name", "__proto__"], reason: "Cannot use --name" },
  { args: ["demo", "--write-agents-md"], reason: 'belongs to mode "bn"' },
  { args: ["demo", "--nonsense"], reason: 'Unknown option "--nonsense"' },
  { args: ["reader", "--client", "zed", "--root", "/"], reason: "is too broad" },
  {
    args: ["demo", "--client", "vscode", "--", "--log-level=token=abcdefghijkl"],
    reason: "looks like a secret, which a project's file must not hold; use --scope user",
  },
] as const;

Deno.test("init says what it cannot do in one sentence, exit code 2", async (t) => {
  await using lab = await InitLab.open();
  for (const { args, reason } of REFUSED) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await lab.run(args);
      assertEquals({ code, stdout }, { code: 2, stdout: "" });
      assertStringIncludes(stderr, reason);
      assertEquals(stderr.split("\n").length, 2, stderr);
    });
  }
  assertEquals((await lab.snapshot()).size, 0);
});

Deno.test("init refuses files that are not what they seem", async (t) => {
  await using lab = await InitLab.open();
  const path = `${lab.project}/${VSCODE}`;
  const run = async () => await lab.run(["demo", "--write-mcp-vscode"]);
  const ln = async (...args: string[]) => await new Deno.Command("ln", { args }).output();
  const cases: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ["a hard link", "has a second name", async () => {
      await lab.put(`${lab.root}/other`, "{}");
      await ln(`${lab.root}/other`, path);
    }],
    ["a directory", "is not a regular file", () => Deno.mkdir(path)],
    [
      "a FIFO",
      "is not a regular file",
      () => new Deno.Command("mkfifo", { args: [path] }).output(),
    ],
    ["bytes that are no text", "is not UTF-8", () => lab.put(path, new Uint8Array([0x7b, 0xff]))],
    ["a link to nothing", "is a link to nothing", () => ln("-s", `${lab.root}/nothing`, path)],
    [
      "too large",
      "is larger than 16777216 bytes",
      () => lab.put(path, new Uint8Array(16 * 1024 * 1024 + 1)),
    ],
    ["a directory that leads out", "lies behind a symbolic link that leads elsewhere", async () => {
      await Deno.remove(`${lab.project}/.vscode`);
      await Deno.mkdir(`${lab.root}/outside`, { recursive: true });
      await ln("-s", `${lab.root}/outside`, `${lab.project}/.vscode`);
    }],
    [
      "a file where the directory belongs",
      "cannot be used: ",
      () => lab.put(`${lab.project}/.vscode`, ""),
    ],
  ];
  for (const [name, reason, prepare] of cases) {
    await t.step(name, async () => {
      await Deno.remove(`${lab.project}/.vscode`, { recursive: true }).catch(() => {});
      if (name !== "a file where the directory belongs") await Deno.mkdir(`${lab.project}/.vscode`);
      await prepare();
      const before = await Deno.lstat(path).catch(() => undefined);
      const { code, stdout, stderr } = await run();
      assertEquals({ code, stdout }, { code: 1, stdout: "" });
      assertStringIncludes(stderr, `✗ .vscode/mcp.json ${reason}`);
      assertEquals((await Deno.lstat(path).catch(() => undefined))?.ino, before?.ino);
    });
  }
});

Deno.test("init does not take another user's file over", async () => {
  await using lab = await InitLab.open();
  const path = `${lab.project}/${VSCODE}`;
  await lab.put(path, "{}");
  try {
    await Deno.chown(path, 12_345, null);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    // deno-lint-ignore no-console -- a skipped test must be seen
    console.warn("Files of other users are NOT tested: only the superuser can make one");
    return;
  }
  const { code, stderr } = await lab.run(["demo", "--write-mcp-vscode"]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "belongs to another user");
  assertEquals(await Deno.readTextFile(path), "{}");
  assertEquals(
    await Array.fromAsync(Deno.readDir(`${lab.project}/.vscode`)).then((all) => all.length),
    1,
  );
});

Deno.test("replaceConfig() leaves a file alone that something else changed meanwhile", async (t) => {
  await using lab = await InitLab.open();
  const place = { path: `${lab.project}/file`, root: lab.project };
  const bytes = new TextEncoder().encode("new");
  for (const [name, before, now] of [["changed", "a", "b"], ["made", undefined, "b"]] as const) {
    for (const after of [bytes, undefined]) {
      await t.step(`${name}, to be ${after === undefined ? "removed" : "replaced"}`, async () => {
        await Deno.remove(place.path).catch(() => {});
        if (before !== undefined) await lab.put(place.path, before);
        const opened = openConfig(place, 0o600);
        if (opened.kind === "refused") throw new Error(opened.reason);
        await lab.put(place.path, now);
        const reason = replaceConfig(opened.file, after);
        assertEquals(reason, "was changed by something else just now; try again");
        assertEquals(await Deno.readTextFile(place.path), now);
        assertEquals((await Array.fromAsync(Deno.readDir(lab.project))).length, 1);
      });
    }
  }
});

Deno.test("init follows a link that stays inside the project", async () => {
  await using lab = await InitLab.open();
  const real = `${lab.project}/dotfiles/mcp.json`;
  await lab.put(real, "{}");
  await Deno.mkdir(`${lab.project}/.vscode`);
  await new Deno.Command("ln", { args: ["-s", real, `${lab.project}/${VSCODE}`] }).output();
  const before = await lab.snapshot();
  assertEquals((await lab.run(["demo", "--write-mcp-vscode"])).code, 0);
  assertStringIncludes(await Deno.readTextFile(real), "bulkhead-demo");
  assertEquals((await Deno.lstat(`${lab.project}/${VSCODE}`)).isSymlink, true);
  assertEquals((await lab.run(["demo", "--undo"])).code, 0);
  assertEquals(await lab.snapshot(), before);
});

Deno.test("undo of a file that was changed since takes out only our entry", async () => {
  await using lab = await InitLab.open();
  const path = `${lab.project}/${VSCODE}`;
  await lab.put(path, '{\n  "servers": {} // mine\n}\n');
  await lab.run(["demo", "--write-mcp-vscode"]);
  const changed = (await Deno.readTextFile(path)).replace("// mine", "// mine, changed");
  await Deno.writeTextFile(path, changed);
  const { code, stdout } = await lab.run(["demo", "--undo"]);
  assertEquals(code, 0);
  assertMatch(stdout, /^✓ Removed our entry from \.vscode\/mcp\.json \(former content: ~\/\.local/);
  assertEquals(await Deno.readTextFile(path), '{\n  "servers": {\n  } // mine, changed\n}\n');
  assertEquals((await lab.run(["demo", "--undo"])).stdout, "Nothing to undo\n");
});

Deno.test("undo goes back past several changes of ours, and only over those of the mode it names", async () => {
  await using lab = await InitLab.open();
  const path = `${lab.project}/${VSCODE}`;
  const former = '{"servers":{"x":{}}}';
  await lab.put(path, former);
  const write = ["--write-mcp-vscode"];
  await lab.run(["reader", "--root", "/data/a", ...write]);
  await lab.run(["reader", "--root", "/data/b", ...write]);
  const reader = await Deno.readTextFile(path);
  assertStringIncludes(reader, "/data/b");
  await lab.run(["demo", ...write]);
  assertEquals((await lab.run(["demo", "--undo"])).stdout, "✓ Restored .vscode/mcp.json\n");
  assertEquals(await Deno.readTextFile(path), reader);
  assertEquals((await lab.run(["--undo"])).code, 0);
  assertEquals(await Deno.readTextFile(path), former);
});

Deno.test("init keeps out of the way of another run, and of a damaged journal", async () => {
  await using lab = await InitLab.open();
  const runs = CLIENTS.map(({ name }) => lab.run(["demo", "--client", name]));
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  assertEquals(codes, CLIENTS.map(() => 0));
  const journal = JSON.parse(await Deno.readTextFile(`${lab.state}/init.json`));
  assertEquals(journal.records.length, CLIENTS.length);

  await Deno.writeTextFile(`${lab.state}/init.json`, '{"records":[{}]}');
  const { code, stderr } = await lab.run(["reader", "--write-mcp-vscode"]);
  assertEquals(code, 1);
  assertMatch(stderr, /Journal ".*init\.json" is damaged; move it away to go on without undo/);
});

Deno.test("what init keeps for itself is for the person alone", async () => {
  await using lab = await InitLab.open();
  await lab.put(`${lab.project}/${VSCODE}`, "{}");
  await lab.run(["demo", "--write-mcp-all"]);
  const modeOf = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;
  const [copy] = await Array.fromAsync(Deno.readDir(`${lab.state}/backups`));
  assertMatch(copy?.name ?? "", /^\d{8}T\d{9}Z-[\da-f]{8}-mcp\.json$/);
  assertEquals(await modeOf(lab.state), 0o700);
  assertEquals(await modeOf(`${lab.state}/backups/${copy?.name}`), 0o600);
  assertEquals(await modeOf(`${lab.state}/init.json`), 0o600);
  assertEquals(await modeOf(`${lab.home}/${COPILOT}`), 0o600);
});

Deno.test("--list shows every client, and looks only where it may", async () => {
  await using lab = await InitLab.open();
  await lab.run(["demo", "--client", "codex"]);
  const { code, stdout } = await lab.run(["demo", "--list"]);
  assertEquals(code, 0);
  assertMatch(stdout, /^codex +user +entry +~\/\.codex\/config\.toml$/m);
  assertMatch(stdout, /^vscode +project +no file +\.vscode\/mcp\.json$/m);
  for (const { name } of CLIENTS) assertMatch(stdout, new RegExp(`^${name} `, "m"));
  const blind = await lab.run(["--list"], { flags: [] });
  assertEquals(blind.code, 0, blind.stderr);
  assertStringIncludes(blind.stdout, "${COPILOT_HOME:-~/.copilot}/mcp-config.json");
  assertEquals(/entry|no file/.test(blind.stdout), false);
});

Deno.test("--via-cli runs the client's own program only where that is allowed", async () => {
  await using lab = await InitLab.open();
  const args = ["demo", "--client", "claude-code", "--via-cli"];
  const { code, stderr } = await lab.run(args);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "start with --allow-run=claude");
  const none = await lab.run(["demo", "--client", "zed", "--via-cli"]);
  assertStringIncludes(none.stderr, 'has no command for the scope "user" that is known here');
});

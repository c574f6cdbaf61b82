// Which engine a reader takes, what it says about it, and what the compartment does with a `bcp` program that is slow,
// hostile or not there.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { type ServeOptions, Shelf } from "./reader_shelf.ts";
import { BCP_FIXTURE, writeBcpProgram } from "../harness/bcp_program.ts";
import { testWith } from "../harness/test_with.ts";

const testWalled = await testWith("bwrap");

const REPOSITORY = fromFileUrl(new URL("../../", import.meta.url));
const VARIABLES = "--allow-env=BCP_CLI_PATH,BCP_CLI_TIMEOUT_MS,BCP_RENDER_MODE,BCP_LOG_LEVEL";

Deno.test("auto takes a bcp program that is found and allowed, and says so", async () => {
  await using shelf = await Shelf.create();
  const audit = `${shelf.outside}/audit.jsonl`;
  const { program } = await writeBcpProgram(shelf.outside);
  const client = await shelf.serve(withProgram(shelf, program, {
    write: `${shelf.root},${audit}`,
    args: ["--audit", audit],
  }));
  const { text, structured } = await client.call("read_bcp_file", { path: "a.bcp" });
  assertEquals(text, (await shelf.runBcp(["decode", shelf.at("a.bcp")])).stdout);
  assertEquals(Object(structured).engine, "cli");
  assertEquals(Object(structured).blockCount, 4);
  const stats = await client.call("bcp_stats", { path: "a.bcp" });
  assertMatch(stats.text, /^File: {4}a\.bcp {2}\(/);
  const encoded = await client.call("encode_bcp_file", {
    manifest_path: "m.json",
    output_path: "b.bcp",
  });
  assertEquals(encoded.isError, false, encoded.text);
  assertEquals(await Deno.readFile(shelf.at("b.bcp")), await Deno.readFile(shelf.at("a.bcp")));
  const one = await client.call("read_bcp_file", { path: "a.bcp", blocks: [2] });
  assertEquals(Object(one.structured).engine, "embedded", "no program selects by index");
  assertEquals(await client.close(), 0);
  assertStringIncludes(await client.stderr(), '"event":"engine","engine":"cli"');
  assertStringIncludes(await client.stderr(), '"event":"unconfined","programs":["bcp"]');
  const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  assertEquals(events.map(({ kind, program, end }) => `${program} ${kind} ${end}`), [
    "bcp launch exited",
    "bcp launch exited",
    "bcp launch exited",
    "bcp launch exited",
    "bcp launch exited",
  ]);
  assertEquals(events[1].caller, { client: "test", requestId: 2, tool: "read_bcp_file" });
});

Deno.test("the audit holds arguments when a person asks for them, and not otherwise", async () => {
  await using shelf = await Shelf.create();
  const audit = `${shelf.outside}/audit.jsonl`;
  const { program } = await writeBcpProgram(shelf.outside);
  for (const detail of ["summary", "arguments"]) {
    const client = await shelf.serve(withProgram(shelf, program, {
      write: `${shelf.root},${audit}`,
      args: ["--audit", audit, "--audit-detail", detail],
    }));
    await client.call("inspect_bcp_file", { path: "a.bcp" });
    assertEquals(await client.close(), 0);
    const last = JSON.parse((await Deno.readTextFile(audit)).trimEnd().split("\n").at(-1) ?? "");
    const told = detail === "arguments" ? ["inspect", shelf.at("a.bcp")] : undefined;
    assertEquals([last.argumentCount, last.arguments], [2, told]);
  }
});

Deno.test("a server says at its start what will run without a sandbox, before anything is called", async () => {
  await using shelf = await Shelf.create();
  const { flags = [], args = [], env = {} } = withProgram(shelf, BCP_FIXTURE, {});
  const server = new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...flags, "mod.ts", ...args],
    cwd: REPOSITORY,
    env,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let log = "";
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    log += text;
    if (log.includes('"event":"unconfined"')) break;
  }
  assertMatch(
    log,
    /"event":"unconfined","programs":\["bcp"\],"reason":".*bubblewrap.*","leash":false/,
  );
  await server.stdin.close();
  assertEquals((await server.status).code, 0);
});

Deno.test("auto takes the codec where the program may not be started, and says why", async () => {
  await using shelf = await Shelf.create();
  const client = await shelf.serve({
    flags: [`--allow-read=${shelf.root}`, "--allow-run=bcp,bn"],
    args: ["reader", "--root", shelf.root],
  });
  const { structured } = await client.call("read_bcp_file", { path: "a.bcp" });
  assertEquals(Object(structured).engine, "embedded");
  assertEquals(await client.close(), 0);
  assertMatch(
    await client.stderr(),
    /"event":"engine","engine":"embedded","reason":".*allow-run=bcp/,
  );
});

Deno.test("cli without a program says what is missing, to the client and in the audit", async () => {
  await using shelf = await Shelf.create();
  const client = await shelf.serve({
    flags: [`--allow-read=${shelf.root}`],
    args: ["reader", "--root", shelf.root, "--engine", "cli"],
  });
  const { text, isError } = await client.call("read_bcp_file", { path: "a.bcp" });
  assertEquals(isError, true);
  assertMatch(text, /^Command was denied: "bcp" is not found, or .*--allow-run=bcp$/);
  assertEquals(await client.close(), 0);
  assertMatch(await client.stderr(), /"event":"audit","program":"bcp",.*"kind":"denial"/);
});

Deno.test("a bcp program cannot harm the reader", async (t) => {
  await using shelf = await Shelf.create();
  const CASES = [
    {
      name: "it hangs",
      script: "exec sleep 60",
      env: { BCP_CLI_TIMEOUT_MS: "300" },
      says: /^Command timed out after 0\.3 seconds$/,
    },
    { name: "it dies", script: "kill -KILL $$", says: /^Command was ended by SIGKILL$/ },
    { name: "it fails in silence", script: "exit 3", says: /^Command failed with exit code 3$/ },
    {
      name: "it floods",
      script: "exec head -c 200000000 /dev/zero",
      says: /^Command wrote more than 67108864 bytes to stdout/,
    },
    {
      name: "it tells where things are",
      script: 'echo "error: cannot read $2: gone" >&2; exit 1',
      says: /^error: cannot read a\.bcp: gone$/,
    },
  ] as const;
  for (const { name, script, says, ...more } of CASES) {
    await t.step(name, async () => {
      const program = await makeProgram(shelf, script);
      const env = "env" in more ? more.env : {};
      await using client = await shelf.serve(withProgram(shelf, program, { env, args: CLI }));
      const { text, isError } = await client.call("read_bcp_file", { path: "a.bcp" });
      assertEquals(isError, true);
      assertMatch(text, says);
      assertEquals((await client.ask("ping")).result, {});
    });
  }
  for (const script of ["printf 'junkWrote 4 bytes to /dev/stdout\\n'", "echo 'Wrote 9 bytes'"]) {
    await t.step(`it encodes nonsense: ${script.slice(0, 12)}`, async () => {
      const program = await makeProgram(shelf, script);
      await using client = await shelf.serve(withProgram(shelf, program, { args: CLI }));
      const { isError } = await client.call("encode_bcp_file", {
        manifest_path: "m.json",
        output_path: "new.bcp",
      });
      assertEquals(isError, true);
      assertEquals(await exists(shelf.at("new.bcp")), false);
    });
  }
});

testWalled("in bubblewrap the bcp program reads the roots and nothing else", async () => {
  await using shelf = await Shelf.create();
  await Deno.writeTextFile(`${shelf.outside}/secret`, "secret");
  const program = await makeProgram(
    shelf,
    `echo "<$(cat ${shelf.outside}/secret 2>&1)><$(cat "$2" | head -c 3)>"`,
  );
  await using client = await shelf.serve(withProgram(shelf, program, {
    run: "bwrap",
    args: CLI,
  }));
  const { text } = await client.call("read_bcp_file", { path: "a.bcp" });
  assertMatch(text, /No such file or directory/);
  assertMatch(text, /<BCP>/);
  assert(!text.includes("<secret>"));
});

Deno.test("BCP_RENDER_MODE chooses the mode that calls do not name", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve({
    flags: [`--allow-read=${shelf.root}`, VARIABLES],
    env: { BCP_RENDER_MODE: "markdown" },
  });
  const { text } = await client.call("read_bcp_file", { path: "a.bcp" });
  assertStringIncludes(text, "## src/main.rs");
});

Deno.test("reader ends with 2 and one sentence for what it cannot understand", async (t) => {
  await using shelf = await Shelf.create();
  await Deno.writeTextFile(shelf.at("manifest.jsonc"), '{"mode":"reader","servr":{}}');
  const read = `--allow-read=${shelf.root}`;
  const CASES = [
    { name: "engine", args: ["--engine", "fast"], says: /"fast".*auto, cli, embedded/ },
    { name: "root", args: ["--root", "here"], says: /Root "here" must be an absolute path/ },
    { name: "no value", args: ["--root"], says: /"--root" needs a value/ },
    { name: "twice", args: ["--engine", "cli", "--engine", "cli"], says: /may be given once/ },
    { name: "unknown", args: ["--rot", "x"], says: /Unknown option "--rot"/ },
    { name: "manifest", args: ["--manifest", shelf.at("manifest.jsonc")], says: /servr/ },
    { name: "manifest denied", args: ["--manifest", "/etc/x"], says: /--allow-read=\/etc\/x/ },
    { name: "audit", args: ["--audit", "/etc/x"], says: /--allow-write=\/etc\/x/ },
    { name: "mode", args: [], env: { BCP_RENDER_MODE: "html" }, says: /BCP_RENDER_MODE "html"/ },
    { name: "timeout", args: [], env: { BCP_CLI_TIMEOUT_MS: "soon" }, says: /BCP_CLI_TIMEOUT_MS/ },
    { name: "program", args: [], env: { BCP_CLI_PATH: "bcp" }, says: /BCP_CLI_PATH "bcp" must be/ },
    { name: "level", args: [], env: { BCP_LOG_LEVEL: "loud" }, says: /Cannot log at "loud"/ },
  ] as const;
  for (const { name, args, says, ...more } of CASES) {
    await t.step(name, async () => {
      const { code, stderr } = await new Deno.Command("deno", {
        args: ["run", "--no-prompt", "--quiet", read, VARIABLES, "mod.ts", "reader", ...args],
        cwd: REPOSITORY,
        env: { NO_COLOR: "1", ..."env" in more ? more.env : {} },
        stdin: "null",
      }).output();
      assertMatch(new TextDecoder().decode(stderr), says);
      assertEquals(code, 2);
    });
  }
});

testWalled(
  "permissions reader prints a line that doctor is content with and reader works with",
  async () => {
    await using shelf = await Shelf.create();
    const { stdout } = await runModule([], [
      "permissions",
      "reader",
      "--root",
      shelf.root,
      "--json",
    ]);
    const { command } = JSON.parse(stdout);
    const at = command.findIndex((word: string) => word.endsWith("/modes/reader.ts"));
    const flags = command.slice(2, at);
    assertEquals(command.slice(at + 1), ["--root", shelf.root]);
    const doctor = await runModule(flags, ["doctor", "reader", "--root", shelf.root, "--json"]);
    const { findings } = JSON.parse(doctor.stdout);
    assertEquals(findings.filter(({ verdict }: { verdict: string }) => verdict === "problem"), []);
    assertEquals(doctor.code, 0);
    await using client = await shelf.serve({
      flags,
      module: command[at],
      args: command.slice(at + 1),
    });
    assertEquals((await client.call("read_bcp_file", { path: "a.bcp" })).isError, false);
  },
);

const CLI = ["--engine", "cli"];

async function runModule(flags: readonly string[], args: readonly string[]) {
  const { code, stdout } = await new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...flags, "mod.ts", ...args],
    cwd: REPOSITORY,
    stdin: "null",
    stderr: "null",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout) };
}

/** What a reader that may start one program, by its path, is given besides. */
interface ProgramOptions {
  /** Further programs it may start. */
  readonly run?: string;
  /** What it may write. */
  readonly write?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function withProgram(shelf: Shelf, program: string, options: ProgramOptions): ServeOptions {
  const { run = program, write = shelf.root, args = [], env = {} } = options;
  return {
    flags: [
      VARIABLES,
      `--allow-run=${program},${run}`,
      `--allow-read=${shelf.root}`,
      `--allow-write=${write}`,
    ],
    args: ["reader", "--root", shelf.root, ...args],
    env: { BCP_CLI_PATH: program, ...env },
  };
}

async function makeProgram(shelf: Shelf, script: string): Promise<string> {
  const path = `${shelf.outside}/${crypto.randomUUID()}`;
  await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

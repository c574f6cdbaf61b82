// Every BCP engine gives the same bytes and the same words for the same files: the codec in this process, the `bcp`
// fixture, which is that codec behind a real program, with and without a sandbox, and the real `bcp` whenever
// BCP_CLI_PATH names one.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createLog } from "../../src/gateway/log.ts";
import type { SandboxRule } from "../../src/permission/manifest.ts";
import type { AuditEvent } from "../../src/process/audit.ts";
import { openCompartment } from "../../src/cli/compartment.ts";
import { loadReaderManifest } from "../../src/cli/reader_manifest.ts";
import { CliEngine } from "../../src/providers/bcp/cli_engine.ts";
import { EmbeddedEngine } from "../../src/providers/bcp/embedded_engine.ts";
import type { BcpEngine, EngineOutcome, OpenFile } from "../../src/providers/bcp/engine.ts";
import { FileAccess } from "../../src/providers/bcp/file_access.ts";
import { BCP_FIXTURE, writeBcpProgram } from "../harness/bcp_program.ts";
import { testWith } from "../harness/test_with.ts";

const testWalled = await testWith("bwrap");

const REPOSITORY = fromFileUrl(new URL("../..", import.meta.url)).slice(0, -1);
const { signal } = new AbortController();

const MANIFEST = JSON.stringify({
  blocks: [
    {
      type: "code",
      lang: "rust",
      path: "src/main.rs",
      content: 'fn main() {\n    println!("ahoy");\n}\n'.repeat(12),
      summary: "Says ahoy",
      priority: "low",
    },
    { type: "conversation", role: "user", content: "Why does it not compile? ⚓" },
    { type: "tool_result", name: "rg", status: "ok", content_file: "found.txt" },
    { type: "document", title: "Plan", content: "# Plan\n", priority: "background" },
    { type: "structured_data", format: "json", content: '{"a":1}' },
  ],
});

/** A directory with a manifest, the file it names, a payload, and what is wrong with others. */
class Shelf implements AsyncDisposable {
  readonly root: string;
  readonly access: FileAccess;

  private constructor(root: string) {
    this.root = root;
    this.access = new FileAccess([root]);
  }

  static async create(): Promise<Shelf> {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-bcp-" }));
    const shelf = new Shelf(root);
    await Deno.writeTextFile(`${root}/m.json`, MANIFEST);
    await Deno.writeTextFile(`${root}/found.txt`, "src/main.rs:2: ahoy\n");
    const encoded = await shelf.encode(new EmbeddedEngine());
    if (encoded.kind !== "encoded") throw new Error(encoded.message);
    await Deno.writeFile(`${root}/a.bcp`, encoded.bytes);
    await Deno.writeFile(`${root}/cut.bcp`, encoded.bytes.subarray(0, 40));
    await Deno.writeFile(`${root}/long.bcp`, new Uint8Array([...encoded.bytes, 1, 2]));
    await Deno.writeFile(`${root}/empty.bcp`, new Uint8Array());
    return shelf;
  }

  async open(name: string): Promise<OpenFile> {
    const outcome = await this.access.open(name);
    if (outcome.kind === "refused") throw new Error(outcome.reason);
    return outcome.file;
  }

  async encode(engine: BcpEngine, manifest = "m.json", compress = false) {
    return await engine.encode({
      manifest: await this.open(manifest),
      compress,
      readContent: async (name) => {
        const outcome = await this.access.open(name);
        return outcome.kind === "opened" ? { kind: "read", bytes: outcome.file.bytes } : outcome;
      },
    }, { signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}

/** How the program is started, where that differs from the shipped manifest. */
interface CliOptions {
  readonly sandbox?: SandboxRule;
  /** Further paths it may read. */
  readonly read?: readonly string[];
  readonly events?: AuditEvent[];
}

async function createCli(command: string, options: CliOptions = {}): Promise<CliEngine> {
  const { sandbox, read = [], events = [] } = options;
  const manifest = await loadReaderManifest({
    file: undefined,
    command,
    path: undefined,
    timeoutMs: undefined,
  });
  const rules = manifest.programs.get("bcp");
  if (rules === undefined) throw new Error("The manifest has no bcp program");
  const bcp = { ...rules, sandbox: sandbox ?? rules.sandbox, read: [...rules.read, ...read] };
  const compartment = await openCompartment({
    manifest: { ...manifest, programs: new Map([["bcp", bcp]]) },
    audit: (event) => events.push(event),
    log: createLog({ level: "error", sink: () => {} }),
    shutdown: signal,
  });
  return new CliEngine((roots) => compartment.bind(roots));
}

/** The fixture inside bubblewrap, which has to mount Deno and its cache for it. */
async function createConfined({ root }: Shelf): Promise<CliEngine> {
  const { program, read } = await writeBcpProgram(root);
  return await createCli(program, { sandbox: "require", read: [REPOSITORY, ...read] });
}

/** The fixture without a sandbox: by its own path, the only one that Deno allows. */
async function createUnconfined({ root }: Shelf): Promise<CliEngine> {
  const deno = Deno.execPath();
  await Deno.writeTextFile(`${root}/.deno-path`, deno.slice(0, deno.lastIndexOf("/")));
  return await createCli(BCP_FIXTURE, { sandbox: "off" });
}

/** The real program, where a person named one and lets us know. */
function findRealProgram(): string | undefined {
  const variable = "BCP_CLI_PATH";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) || undefined : undefined;
}

const real = findRealProgram();
const ENGINES: readonly {
  name: string;
  create: (shelf: Shelf) => Promise<BcpEngine>;
  ignore: boolean;
}[] = [
  { name: "embedded", create: () => Promise.resolve(new EmbeddedEngine()), ignore: false },
  {
    name: "cli, fixture, unconfined",
    create: createUnconfined,
    ignore: false,
  },
  {
    name: "cli, fixture, bubblewrap",
    create: createConfined,
    ignore: Deno.build.os !== "linux" || testWalled !== Deno.test,
  },
  {
    name: "cli, the program that BCP_CLI_PATH names",
    create: () => createCli(real ?? ""),
    ignore: real === undefined,
  },
];

const READS = [
  { name: "xml", options: { mode: "xml" } },
  { name: "markdown", options: { mode: "markdown" } },
  { name: "minimal", options: { mode: "minimal" } },
  { name: "budget", options: { mode: "xml", budget: 20, verbosity: "adaptive" } },
  { name: "summary", options: { mode: "minimal", verbosity: "summary" } },
  { name: "include", options: { mode: "xml", include: ["code", "tool_result"] } },
  { name: "include nothing there", options: { mode: "xml", include: ["diff"] } },
] as const;

for (const { name: engineName, create, ignore } of ENGINES) {
  Deno.test(`BcpEngine (${engineName}) gives what the codec gives`, { ignore }, async (t) => {
    await using shelf = await Shelf.create();
    const engine = await create(shelf);
    const codec = new EmbeddedEngine();
    for (const name of ["a.bcp", "cut.bcp", "long.bcp", "empty.bcp"]) {
      const file = await shelf.open(name);
      for (const read of READS) {
        if (name !== "a.bcp" && read.name !== "xml") continue;
        await t.step(`read ${name}, ${read.name}`, async () => {
          const expected = await codec.read(file, read.options);
          assertEquals(plain(await engine.read(file, read.options, { signal })), plain(expected));
        });
      }
      for (const view of ["inspect", "validate", "stats"] as const) {
        await t.step(`${view} ${name}`, async () => {
          assertEquals(plain(await engine[view](file, { signal })), plain(await codec[view](file)));
        });
      }
    }
    for (const compress of [false, true]) {
      await t.step(`encode, ${compress ? "compressed" : "plain"}`, async () => {
        const expected = await shelf.encode(codec, "m.json", compress);
        assertEquals(await shelf.encode(engine, "m.json", compress), expected);
      });
    }
  });

  Deno.test(`BcpEngine (${engineName}) refuses what it cannot encode`, { ignore }, async (t) => {
    await using shelf = await Shelf.create();
    const engine = await create(shelf);
    const CASES = [
      { name: "no JSON", text: "{", says: /^error: failed to parse manifest bad\.json: / },
      { name: "no blocks", text: '{"blocks":[]}', says: /no blocks have been added/ },
      {
        name: "a content file outside the roots",
        text: toManifest({ content_file: "/etc/passwd" }),
        says:
          /block 0: failed to apply: cannot read content_file \/etc\/passwd: .*outside the roots/,
      },
      {
        name: "a content file above the roots",
        text: toManifest({ content_file: "../../../etc/passwd" }),
        says: /cannot read content_file .*outside the roots/,
      },
      {
        name: "a content file that is missing",
        text: toManifest({ content_file: "nowhere.txt" }),
        says: /cannot read content_file nowhere\.txt: .*does not exist/,
      },
    ] as const;
    for (const { name, text, says } of CASES) {
      await t.step(name, async () => {
        await Deno.writeTextFile(`${shelf.root}/bad.json`, text);
        const outcome = await shelf.encode(engine, "bad.json");
        const message = outcome.kind === "failed" ? outcome.message : "encoded";
        assertMatch(message, says);
        assertEquals(message.includes(shelf.root), false, "the root is not the client's to know");
      });
    }
  });
}

testWalled("CliEngine tells what became of a program that cannot answer", async (t) => {
  await using shelf = await Shelf.create();
  const file = await shelf.open("a.bcp");
  await t.step("there is none", async () => {
    const engine = await createCli(`${shelf.root}/no-such-program`, { sandbox: "require" });
    assertFailure(await engine.inspect(file, { signal }), "bcp binary not found");
  });
  await t.step("canceled", async () => {
    const engine = await createCli(BCP_FIXTURE, { sandbox: "off" });
    assertFailure(
      await engine.inspect(file, { signal: AbortSignal.abort() }),
      "Command was canceled",
    );
  });
});

Deno.test("CliEngine leaves a line in the audit for each launch", async () => {
  await using shelf = await Shelf.create();
  const events: AuditEvent[] = [];
  const engine = await createCli(BCP_FIXTURE, { sandbox: "off", events });
  const caller = { client: "test", tool: "bcp_stats", requestId: 7 };
  await engine.stats(await shelf.open("a.bcp"), { signal, caller });
  assertEquals(events.length, 1);
  const [event] = events;
  assertEquals(event?.kind, "launch");
  assertEquals(event?.program, "bcp");
  assertEquals(event?.caller, caller);
  assertEquals(JSON.stringify(event).includes(shelf.root), false);
});

function toManifest(source: Record<string, string>): string {
  return JSON.stringify({ blocks: [{ type: "document", title: "x", ...source }] });
}

/** Without what only the codec has. */
function plain(outcome: EngineOutcome): EngineOutcome {
  return outcome.kind === "done" ? { kind: "done", text: outcome.text } : outcome;
}

function assertFailure(outcome: EngineOutcome, words: string): void {
  assertStringIncludes(outcome.kind === "failed" ? outcome.message : "done", words);
}

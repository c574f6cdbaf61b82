// `modes/<mode>.ts`: the same mode as `mod.ts <mode>`, in a program that holds no other mode's code. What is reachable
// is read at each start, and what is imported at the top is run before the first answer, so both are held here.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { MANIFEST_MODES } from "../../src/cli/manifests.ts";

/** The one provider of each mode. */
const PROVIDERS: Readonly<Record<string, string>> = { bn: "bn", demo: "demo", reader: "bcp" };

/** Modules that may be loaded before the demo's first answer; one more costs each start a quarter of a millisecond. */
const MAX_EARLY = 16;

/** What no mode needs before its first answer: HTTP, the handling of requests, and whatever checks schemas. */
const LATER =
  /\/src\/(?:gateway\/(?:http_\w+|connection|handshake|stateless|exchange|workroom|methods)|transport\/http\w*|router\/\w+)\.ts$/;

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier?: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

Deno.test("MANIFEST_MODES are the modes that are judged here", () => {
  assertEquals(Object.keys(PROVIDERS), [...MANIFEST_MODES]);
});

for (const [mode, provider] of Object.entries(PROVIDERS)) {
  Deno.test(`modes/${mode}.ts holds its own mode and no other`, async (t) => {
    const graph = await readGraph(`modes/${mode}.ts`);
    await t.step("of the providers it reaches one", () => {
      const found = graph.modules.map(({ specifier }) =>
        /\/src\/providers\/(\w+)\//.exec(specifier)?.[1]
      );
      assertEquals([...new Set(found)].filter((name) => name !== undefined), [provider]);
    });
    await t.step("of the commands it reaches one", () => {
      const others = /\/src\/cli\/(?:main|init\w*|doctor|permissions|bcp)\.ts$|\/mod\.ts$/;
      const commands = MANIFEST_MODES.filter((name) => name !== mode)
        .map((name) => `/src/cli/${name}.ts`);
      const found = graph.modules.map(({ specifier }) => specifier).filter((specifier) =>
        others.test(specifier) || commands.some((path) => specifier.endsWith(path))
      );
      assertEquals(found, []);
    });
    await t.step("it reaches nothing of HTTP", () => {
      const http = /\/src\/(?:transport\/http\w*|gateway\/(?:serve_http|http_\w+))\.ts$/;
      const reached = findReached(graph, () => true);
      assertEquals(reached.filter((specifier) => http.test(specifier)), []);
    });
    await t.step("what serves requests is not loaded before there is one", () => {
      const early = findReached(graph, ({ isDynamic }) => isDynamic !== true);
      assertEquals(early.filter((specifier) => LATER.test(specifier)), []);
      assertEquals(early.filter((specifier) => !specifier.startsWith("file:")), []);
      if (mode === "demo") assert(early.length <= MAX_EARLY, early.join("\n"));
    });
  });

  Deno.test(`modes/${mode}.ts is mod.ts ${mode}`, async (t) => {
    await t.step("its help is the same", async () => {
      const own = await run([`modes/${mode}.ts`, "--help"]);
      assertEquals(own, await run(["mod.ts", mode, "--help"]));
      assertEquals(own.code, 0);
    });
    await t.step("what it cannot understand is one sentence and exit code 2", async () => {
      const { code, stdout, stderr } = await run([`modes/${mode}.ts`, "--nonsense"]);
      assertEquals({ code, stdout }, { code: 2, stdout: "" });
      assertEquals(stderr, `Unknown option "--nonsense"; see: modes/${mode}.ts --help\n`);
    });
    await t.step("it sends a person who wants HTTP to mod.ts", async () => {
      const { code, stderr } = await run([`modes/${mode}.ts`, "--http"]);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        `start it as mod.ts ${mode} --http; see: modes/${mode}.ts --help`,
      );
    });
    await t.step("it answers as the same server, with options and without", async () => {
      for (const options of [[], ["--deny-tool", "none"], ["--log-level", "error"]]) {
        const own = await run([`modes/${mode}.ts`, ...options], GREETING);
        const all = await run(["mod.ts", mode, ...options], GREETING);
        assertEquals([own.code, own.stdout], [all.code, all.stdout]);
        if (own.code === 0) assertStringIncludes(own.stdout, '"serverInfo":{"name":"bulkhead"');
      }
    });
  });
}

const GREETING = `${
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  })
}\n`;

async function readGraph(path: string): Promise<Graph> {
  const { success, stdout } = await new Deno.Command("deno", { args: ["info", "--json", path] })
    .output();
  assert(success);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** What the program reaches over the imports that count, types left out. */
function findReached(
  { roots, modules }: Graph,
  counts: (dependency: { readonly isDynamic?: boolean }) => boolean,
): readonly string[] {
  const imports = new Map(modules.map(({ specifier, dependencies = [] }) => [
    specifier,
    dependencies.filter(counts).flatMap(({ code }) => code?.specifier ?? []),
  ]));
  const found = new Set(roots);
  for (const specifier of found) {
    for (const next of imports.get(specifier) ?? []) found.add(next);
  }
  return [...found];
}

async function run(args: readonly string[], input = "") {
  const child = new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--quiet", ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that refuses its options ends without reading.
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

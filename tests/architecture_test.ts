// The rules that hold the code base together, applied to all of it. `tests/architecture/rules_test.ts` shows that
// each of them can fail.

import { assertEquals } from "@std/assert";
import { findConsoleUse, findImpurity, findSpawning } from "./architecture/effects.ts";
import {
  findBadNames,
  findForbiddenSyntax,
  findMisshapen,
  findUndocumented,
} from "./architecture/form.ts";
import { findCycles, findLayerViolations } from "./architecture/layers.ts";
import type { Sources, Violation } from "./architecture/source.ts";

/** What may break a rule, and why. An entry that nothing needs any more fails the test. */
const ALLOWED: readonly { readonly rule: string; readonly path: string; readonly why: string }[] = [
  {
    rule: "console",
    path: "src/cli/command.ts",
    why: "turns the console of activations away from stdout, which belongs to the protocol",
  },
  {
    rule: "name",
    path: "src/bcp/names.ts",
    why: "DataFormat is what the BCP specification calls it",
  },
  {
    rule: "name",
    path: "src/bcp/block.ts",
    why: "StructuredData is what the BCP specification calls it",
  },
  {
    rule: "name",
    path: "src/mcp/params.ts",
    why: "META_SERVER_INFO is named after the key that MCP fixes",
  },
];

const RULES: readonly {
  readonly title: string;
  readonly find: (sources: Sources) => readonly Violation[];
}[] = [
  { title: "a folder imports only from lower layers", find: findLayerViolations },
  { title: "nothing imports itself, types counted", find: findCycles },
  { title: "only src/process starts processes", find: findSpawning },
  { title: "pure folders have no effects", find: findImpurity },
  { title: "nothing uses the console", find: findConsoleUse },
  { title: "the language is kept small", find: findForbiddenSyntax },
  { title: "files are short and say what they are for", find: findMisshapen },
  { title: "every export is documented", find: findUndocumented },
  { title: "names say something, in the glossary's words", find: findBadNames },
];

const SOURCES = await readSources();

for (const { title, find } of RULES) {
  Deno.test(`architecture: ${title}`, () => {
    const broken = find(SOURCES).filter((violation) => !isAllowed(violation));
    assertEquals(broken.map(({ path, message }) => `${path}: ${message}`), []);
  });
}

Deno.test("architecture: every exception is still needed", () => {
  const violations = RULES.flatMap(({ find }) => find(SOURCES));
  const stale = ALLOWED.filter(({ rule, path }) =>
    !violations.some((violation) => violation.rule === rule && violation.path === path)
  );
  assertEquals(stale, []);
});

Deno.test("architecture: the files that the rules judge are all there", () => {
  const paths = [...SOURCES.keys()];
  assertEquals(paths.includes("mod.ts"), true);
  for (const mode of ["bn", "demo", "reader"]) {
    assertEquals(paths.includes(`modes/${mode}.ts`), true, mode);
  }
  for (const folder of ["jsonrpc", "mcp", "transport", "router", "gateway", "cli"]) {
    assertEquals(paths.some((path) => path.startsWith(`src/${folder}/`)), true, folder);
  }
});

function isAllowed({ rule, path }: Violation): boolean {
  return ALLOWED.some((allowed) => allowed.rule === rule && allowed.path === path);
}

async function readSources(): Promise<Sources> {
  const sources = new Map([["mod.ts", await Deno.readTextFile("mod.ts")]]);
  await readFolder("modes", sources);
  await readFolder("src", sources);
  return sources;
}

async function readFolder(folder: string, sources: Map<string, string>): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await readFolder(path, sources);
    else if (name.endsWith(".ts")) sources.set(path, await Deno.readTextFile(path));
  }
}

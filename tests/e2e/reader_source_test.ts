// The cross-cutting acceptance lines of SPEC_11 that are about the source, with Deno in the place of Bun. C6 is told by
// the server itself, in reader_test.ts; C3, that the tests pass with zero failures, by every run of them.

import { assert, assertEquals } from "@std/assert";

const FOLDERS = ["src/bcp", "src/cli", "src/providers/bcp"];

Deno.test("C1: Zero runtime dependencies beyond built-ins, until a call needs one", async () => {
  // Packages serve what the document does not have: schemas of arguments, manifests, references between blocks.
  const modules = await findModules("src/cli/reader.ts");
  assert(modules.some((module) => module.endsWith("src/providers/bcp/reader_activation.ts")));
  assertEquals(modules.filter((module) => !module.startsWith("file:")), []);
  assertEquals(modules.filter((module) => /\/src\/(?:bcp|sandbox)\//.test(module)), []);
});

Deno.test("C2: All TypeScript files pass strict mode (noImplicitAny, noImplicitReturns)", async () => {
  const { compilerOptions } = JSON.parse(await Deno.readTextFile("deno.json"));
  assertEquals(compilerOptions.strict, true);
  assertEquals(compilerOptions.noImplicitReturns, true);
  assertEquals(
    compilerOptions.noImplicitAny,
    undefined,
    "strict implies it; nothing takes it back",
  );
});

Deno.test("C4, C5: No any types, named exports only", async () => {
  for (const folder of FOLDERS) {
    for await (const { name } of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(`${folder}/${name}`);
      assertEquals(text.match(/: any\b|\bas any\b|<any>|any\[\]/), null, `${folder}/${name}`);
      assertEquals(text.match(/^export default\b/m), null, `${folder}/${name}`);
    }
  }
});

/** What loads together with a module: everything but dynamic and type-only imports. */
async function findModules(entry: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("deno", {
    args: ["info", "--json", entry],
    stderr: "null",
  }).output();
  const { roots, modules, redirects } = JSON.parse(new TextDecoder().decode(stdout));
  const found = new Set<string>(roots);
  for (const specifier of found) {
    const module = modules.find((one: { specifier: string }) => one.specifier === specifier);
    for (const { code, isDynamic } of module?.dependencies ?? []) {
      if (code?.specifier === undefined || isDynamic === true) continue;
      found.add(redirects[code.specifier] ?? code.specifier);
    }
  }
  return [...found];
}

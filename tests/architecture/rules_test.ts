// Each rule of the architecture, broken on purpose: a rule that cannot fail guards nothing.

import { assertEquals } from "@std/assert";
import { findConsoleUse, findImpurity, findSpawning } from "./effects.ts";
import { findBadNames, findForbiddenSyntax, findMisshapen, findUndocumented } from "./form.ts";
import { findCycles, findLayerViolations } from "./layers.ts";
import { findExports, findImports, maskLiterals, type Sources, type Violation } from "./source.ts";

const HEAD = "// What this is for.\n\n";

interface Case {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

async function judge(
  t: Deno.TestContext,
  find: (sources: Sources) => readonly Violation[],
  cases: { readonly broken: readonly Case[]; readonly kept: readonly Case[] },
): Promise<void> {
  for (const { name, path, text } of cases.broken) {
    await t.step(`refuses ${name}`, () => {
      assertEquals(find(new Map([[path, text]])).map((violation) => violation.path), [path]);
    });
  }
  for (const { name, path, text } of cases.kept) {
    await t.step(`allows ${name}`, () => assertEquals(find(new Map([[path, text]])), []));
  }
}

Deno.test("findLayerViolations() refuses what points up, sideways or out", async (t) => {
  const at = (path: string, specifier: string, name: string): Case => ({
    name,
    path,
    text: `import { x } from "${specifier}";\n`,
  });
  await judge(t, findLayerViolations, {
    broken: [
      at("src/mcp/a.ts", "../transport/b.ts", "an import of a higher layer"),
      at("src/mcp/a.ts", "../sandbox/b.ts", "an import of the same layer"),
      at("src/providers/bn/a.ts", "../hub/b.ts", "one provider in another"),
      at("src/providers/bn/a.ts", "../../router/b.ts", "a provider that knows the router"),
      at("src/gateway/a.ts", "../../fixtures/b.ts", "fixtures"),
      at("mod.ts", "./tests/b.ts", "tests in mod.ts"),
      at("modes/a.ts", "../src/providers/a/b.ts", "a mode's file that goes past the command line"),
      at("modes/a.ts", "../src/gateway/b.ts", "a mode's file that composes by itself"),
      at("modes/a.ts", "../mod.ts", "a mode's file that imports all modes"),
      at("src/cli/a.ts", "../../modes/b.ts", "a mode's file inside the product"),
      at("src/gateway/a.ts", "npm:ajv@8", "an inline npm specifier"),
      at("src/gateway/a.ts", "jsr:@std/path", "an inline jsr specifier"),
      at("src/gateway/a.ts", "https://deno.land/x/y.ts", "an address"),
      at("src/gateway/a.ts", "@std/assert", "assertions in the product"),
      at("src/gateway/a.ts", "../std/path.ts", "a @std module by its path"),
      at("src/gateway/a.ts", "../../permissions/a.jsonc", "a manifest below the command line"),
      at("src/gateway/a.ts", "../newcomer/b.ts", "a folder without a layer"),
      { name: "a file in a folder without a layer", path: "src/newcomer/a.ts", text: "" },
      { name: "a file directly under src", path: "src/a.ts", text: "" },
      {
        name: "a type import of a higher layer",
        path: "src/mcp/a.ts",
        text: 'import type { X } from "../gateway/b.ts";\n',
      },
      {
        name: "a re-export of a higher layer",
        path: "src/mcp/a.ts",
        text: 'export { x } from "../gateway/b.ts";\n',
      },
      {
        name: "a dynamic import of a higher layer",
        path: "src/mcp/a.ts",
        text: 'const x = await import("../gateway/b.ts");\n',
      },
      {
        name: "an import for its effect",
        path: "src/mcp/a.ts",
        text: 'import "../gateway/b.ts";\n',
      },
      {
        name: "an import over several lines",
        path: "src/mcp/a.ts",
        text: 'import {\n  x,\n  type Y,\n} from "../gateway/b.ts";\n',
      },
      {
        name: "a computed import",
        path: "src/gateway/a.ts",
        text: "const x = await import(path);\n",
      },
    ],
    kept: [
      at("src/mcp/a.ts", "../jsonrpc/b.ts", "an import of a lower layer"),
      at("src/mcp/a.ts", "./b.ts", "an import within a folder"),
      at("src/providers/bn/a.ts", "./b.ts", "an import within a provider"),
      at("src/gateway/a.ts", "@std/path", "a @std module by its name"),
      at("src/gateway/a.ts", "ajv", "a package of deno.json"),
      at("mod.ts", "./src/cli/a.ts", "any layer in mod.ts"),
      at("modes/a.ts", "../src/cli/a.ts", "the command line in a mode's file"),
      at("src/cli/a.ts", "../../permissions/a.jsonc", "a manifest in the command line"),
      at("tests/unit/a_test.ts", "npm:ajv@8", "tests, which are not the product"),
      {
        name: "imports in comments and texts",
        path: "src/mcp/a.ts",
        text:
          '// import { x } from "../cli/a.ts";\nconst x = `\nimport { y } from "../cli/a.ts";`;\n',
      },
    ],
  });
});

Deno.test("findCycles() finds rings, types and dynamic imports counted", () => {
  const ring = new Map([
    ["src/mcp/a.ts", 'import { b } from "./b.ts";\n'],
    ["src/mcp/b.ts", 'import type { C } from "./c.ts";\n'],
    ["src/mcp/c.ts", 'const a = await import("./a.ts");\n'],
  ]);
  assertEquals(findCycles(ring).map(({ message }) => message), [
    "src/mcp/a.ts → src/mcp/b.ts → src/mcp/c.ts → src/mcp/a.ts",
  ]);
  assertEquals(findCycles(new Map([["src/mcp/a.ts", 'import "./a.ts";\n']])).length, 1);
  const diamond = new Map([
    ["a.ts", 'import "./b.ts";\nimport "./c.ts";\n'],
    ["b.ts", 'import "./d.ts";\n'],
    ["c.ts", 'import "./d.ts";\n'],
    ["d.ts", ""],
  ]);
  assertEquals(findCycles(diamond), []);
});

Deno.test("findSpawning() refuses processes outside src/process", async (t) => {
  const command = 'new Deno.Command("x");';
  await judge(t, findSpawning, {
    broken: [
      { name: "a command in the gateway", path: "src/gateway/a.ts", text: command },
      { name: "a command in mod.ts", path: "mod.ts", text: command },
      { name: "a command as a type", path: "src/cli/a.ts", text: "let x: Deno.Command;" },
      { name: "a command by index", path: "src/cli/a.ts", text: 'Deno["Command"];' },
      {
        name: "the namespace taken apart",
        path: "src/cli/a.ts",
        text: "const { Command } = Deno;",
      },
      {
        name: "the module of Node.js",
        path: "src/cli/a.ts",
        text: 'import { spawn } from "node:child_process";',
      },
    ],
    kept: [
      { name: "a command in src/process", path: "src/process/a.ts", text: command },
      { name: "a command in tests", path: "tests/a_test.ts", text: command },
      { name: "the word in a comment", path: "src/cli/a.ts", text: "// Deno.Command" },
    ],
  });
});

Deno.test("findImpurity() refuses effects in folders that only compute", async (t) => {
  const at = (text: string): Case => ({ name: text, path: "src/router/a.ts", text });
  await judge(t, findImpurity, {
    broken: [
      at('await Deno.readTextFile("x")'),
      at('Deno.env.get("X")'),
      at("Deno.permissions.querySync({})"),
      at("new Deno.Whatever()"),
      at('fetch("http://x")'),
      at("globalThis.fetch"),
      at("const get = fetch;"),
      at('new WebSocket("x")'),
      at("new Worker(x)"),
      at("localStorage.x"),
      at('prompt("?")'),
      at('import { readFile } from "node:fs/promises";'),
      at('import os from "node:os";'),
      at('const net = await import("node:net");'),
    ],
    kept: [
      at("Deno.build.os"),
      at("let x: Deno.Signal;"),
      at('import { zstdCompressSync } from "node:zlib";'),
      at("interface X { fetch: string }"),
      at('const text = "Deno.env fetch(";'),
      at("render(prompt, shape)"),
      { name: "effects elsewhere", path: "src/cli/a.ts", text: "Deno.env" },
    ],
  });
});

Deno.test("findConsoleUse() refuses the console", async (t) => {
  await judge(t, findConsoleUse, {
    broken: [
      { name: "a line", path: "src/cli/a.ts", text: "console.log(1)" },
      { name: "the console itself", path: "src/cli/a.ts", text: "const { log } = console" },
    ],
    kept: [
      { name: "the word in a comment", path: "src/cli/a.ts", text: "/* console.log */" },
      { name: "a console in tests", path: "tests/a.ts", text: "console.log(1)" },
    ],
  });
});

Deno.test("findForbiddenSyntax() keeps the language small", async (t) => {
  const at = (text: string): Case => ({ name: text, path: "src/mcp/a.ts", text });
  await judge(t, findForbiddenSyntax, {
    broken: [
      at("export default function f() {}"),
      at("export { f as default };"),
      at("class A { private x = 1; }"),
      at("class A { protected readonly x = 1; }"),
      at("class A { constructor(public x: number) {} }"),
      at("enum Color { Red }"),
      at("const enum Color { Red }"),
      at("const x = y as unknown as Z;"),
      at("export const f = (x: number) => x;"),
      at("const f = async (x: number): Promise<number> => x;"),
      at("const f: F = x => x;"),
    ],
    kept: [
      at("class A { #x = 1; }"),
      at("const schema = { enum: [1], default: 2, private: 3 };"),
      at('const scope = "private data";'),
      at("function f() {\n  const g = () => 1;\n}"),
      at("const max = Math.max(a, b);\nlist.map((x) => x);"),
      at("const TEXTS = [(x) => x];"),
    ],
  });
});

Deno.test("findMisshapen() wants short files with a head", async (t) => {
  await judge(t, findMisshapen, {
    broken: [
      { name: "301 lines", path: "src/mcp/a.ts", text: HEAD + "x;\n".repeat(299) },
      { name: "no head", path: "src/mcp/a.ts", text: "const x = 1;\n" },
      { name: "an empty file", path: "src/mcp/a.ts", text: "" },
      { name: "a head of six lines", path: "src/mcp/a.ts", text: `${"// x\n".repeat(6)}\nx;\n` },
      { name: "a head without a blank line", path: "src/mcp/a.ts", text: "// x\nconst x = 1;\n" },
      {
        name: "a JSDoc head of six lines",
        path: "src/mcp/a.ts",
        text: `/**\n${" * x\n".repeat(6)} */\nimport "./b.ts";\n`,
      },
      { name: "mod.ts without a module comment", path: "mod.ts", text: HEAD },
      { name: "a mode's file without one", path: "modes/a.ts", text: HEAD },
    ],
    kept: [
      { name: "300 lines", path: "src/mcp/a.ts", text: HEAD + "x;\n".repeat(298) },
      {
        name: "a JSDoc block as head",
        path: "src/mcp/a.ts",
        text: `/**\n${" * x\n".repeat(5)} */\nimport "./b.ts";\n`,
      },
      { name: "mod.ts with one", path: "mod.ts", text: "/** What this is. */\n" },
      { name: "a mode's file with one", path: "modes/a.ts", text: "/** What this is. */\n" },
    ],
  });
});

Deno.test("findUndocumented() wants JSDoc on every export", async (t) => {
  const at = (text: string): Case => ({ name: text, path: "src/mcp/a.ts", text });
  await judge(t, findUndocumented, {
    broken: [
      at("export function f() {}"),
      at("// Not JSDoc.\nexport const X = 1;"),
      at("/* Not JSDoc. */\nexport class A {}"),
      at("/** Of another. */\nconst y = 1;\nexport interface A {}"),
      at("/** One. */\nexport const A = 1;\nexport type B = 1;"),
      at("export async function* f() {}"),
    ],
    kept: [
      at("/** Does it. */\nexport function f() {}"),
      at("/**\n * Does it.\n */\nexport async function f() {}"),
      at("/** Of one. */\nexport function f(x: 1): 1;\nexport function f(x: 2): 2;"),
      at("function f() {}"),
    ],
  });
});

Deno.test("findBadNames() refuses words that say nothing or the wrong thing", async (t) => {
  const named = (name: string): Case => ({
    name,
    path: "src/mcp/a.ts",
    text: `export const ${name} = 1;`,
  });
  const file = (path: string): Case => ({ name: path, path, text: "" });
  await judge(t, findBadNames, {
    broken: [
      file("src/mcp/util.ts"),
      file("src/mcp/string_helpers.ts"),
      file("src/shared/a.ts"),
      file("src/mcp/plugin.ts"),
      file("src/mcp/camelCase.ts"),
      file("src/mcp/kebab-case.ts"),
      named("sessionManager"),
      named("ToolRegistry"),
      named("BASE_PATH"),
      named("handleRequest"),
      named("IProvider"),
      named("parsePhase2"),
      named("toolInfo"),
    ],
    kept: [
      file("src/mcp/tool_header.ts"),
      named("Implementation"),
      named("Inquiry"),
      named("encodeBase64"),
      named("toUint8"),
      named("ByteView"),
      named("handle"),
    ],
  });
});

Deno.test("maskLiterals() blanks comments and literals and keeps every place", async (t) => {
  const CASES = [
    ['a("b");', 'a(" ");'],
    ["a('\\'b');", "a('   ');"],
    ["a; // b\nc", "a;     \nc"],
    ["a /* b\nc */ d", "a     \n     d"],
    ["`a${b}c`", "`  {b} `"],
    ["`a${`b${c}`}d`", "`  {`  {c}`} `"],
    ["`${{ a: 1 }}`", "` {{ a: 1 }}`"],
    ['x = /"[/"]/g;', "x = /     /g;"],
    ["x = a / b / c;", "x = a / b / c;"],
    ["`a\\`b`", "`    `"],
  ] as const;
  for (const [text, masked] of CASES) {
    await t.step(text, () => assertEquals(maskLiterals(text), masked));
  }
});

Deno.test("findImports() and findExports() read every form", () => {
  const text = [
    'import { a } from "./a.ts";',
    'import type { B } from "./b.ts";',
    'import * as c from "./c.ts";',
    'import "./d.ts";',
    'export { e } from "./e.ts";',
    'export type * from "./f.ts";',
    'const g = await import("./g.ts");',
  ].join("\n");
  assertEquals(findImports(text).map(({ specifier }) => specifier), [
    "./a.ts",
    "./b.ts",
    "./c.ts",
    "./d.ts",
    "./e.ts",
    "./f.ts",
    "./g.ts",
  ]);
  assertEquals(findExports("/** H. */\nexport const h = 1;"), [{ name: "h", isDocumented: true }]);
});

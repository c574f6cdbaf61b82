import { assertEquals } from "@std/assert";
import { type ArgumentGrammar, checkArguments } from "../../../src/permission/argument_grammar.ts";

const GRAMMAR: ArgumentGrammar = {
  commands: ["show"],
  options: new Map([
    ["--all", undefined],
    ["--depth", { kind: "integer", min: -5, max: 9 }],
    ["--format", { kind: "choice", values: ["xml", "md"] }],
    ["--note", { kind: "text", maxBytes: 8, multiline: false }],
    ["--body", { kind: "text", maxBytes: 8, multiline: true }],
    ["--file", { kind: "path" }],
  ]),
  positionals: [{ kind: "text", maxBytes: 8, multiline: false }],
  rest: { kind: "path" },
  required: 1,
};

const REFUSED: readonly (readonly [name: string, args: readonly string[], index: number])[] = [
  ["no command", [], 0],
  ["other command", ["remove", "x"], 0],
  ["missing positional", ["show"], 1],
  ["unknown option", ["show", "--upload-pack=x"], 1],
  ["end of options", ["show", "--", "-x"], 1],
  ["glued value", ["show", "--depth=1", "x"], 1],
  ["option without value", ["show", "x", "--depth"], 2],
  ["option as value", ["show", "x", "--note", "--all"], 3],
  ["dash as positional", ["show", "-"], 1],
  ["no integer", ["show", "x", "--depth", "1e3"], 3],
  ["integer too large", ["show", "x", "--depth", "10"], 3],
  ["integer too small", ["show", "x", "--depth", "-6"], 3],
  ["other choice", ["show", "x", "--format", "html"], 3],
  ["long text", ["show", "123456789"], 1],
  ["newline in text", ["show", "a\nb"], 1],
  ["empty path", ["show", "x", ""], 2],
  ["control in path", ["show", "x", "a\tb"], 2],
  ["NUL", ["show", "a\0"], 1],
  ["very long unknown option", ["show", "-".repeat(200)], 1],
  ["huge argument", ["show", "x".repeat(1 << 20)], 1],
];

Deno.test("checkArguments() refuses what the grammar does not list", async (t) => {
  for (const [name, args, index] of REFUSED) {
    await t.step(name, () => {
      const check = checkArguments(args, GRAMMAR);
      assertEquals(check.kind === "refused" && check.index, index, JSON.stringify(check));
    });
  }
});

Deno.test("checkArguments() accepts what is listed and tells where paths are", () => {
  const args = [
    "show",
    "--all",
    "--depth",
    "-5",
    "x",
    "--format",
    "md",
    "--body",
    "a\nb",
    "p",
    "--file",
    "q",
  ];
  assertEquals(checkArguments(args, GRAMMAR), { kind: "accepted", pathIndexes: [9, 11] });
});

Deno.test("checkArguments() without subcommands or rest", () => {
  const grammar: ArgumentGrammar = {
    commands: [],
    options: new Map(),
    positionals: [{ kind: "path" }],
    rest: undefined,
    required: 0,
  };
  assertEquals(checkArguments(["a"], grammar), { kind: "accepted", pathIndexes: [0] });
  assertEquals(checkArguments(["a", "b"], grammar).kind, "refused");
});

Deno.test("checkArguments() without a grammar still bounds number and size", () => {
  assertEquals(checkArguments(["-x", "$(id)"], undefined).kind, "accepted");
  assertEquals(checkArguments(Array(4097).fill(""), undefined).kind, "refused");
  assertEquals(checkArguments(Array(20).fill("x".repeat(100_000)), undefined).kind, "refused");
});

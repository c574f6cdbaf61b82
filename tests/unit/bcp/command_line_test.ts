/** Argument errors and help of the `bcp` command: what goes where, and with which exit code. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { MemoryIo } from "./memory_io.ts";

const MORE = "For more information, try '--help'.\n";
const DECODE = "Usage: bcp decode [OPTIONS] <FILE>";
const INSPECT = "Usage: bcp inspect [OPTIONS] <FILE>";
const ENCODE = "Usage: bcp encode [OPTIONS] --output <OUTPUT> <INPUT>";
const TOP = "Usage: bcp [OPTIONS] <COMMAND>";

const WRONG = [
  { argv: ["frobnicate"], error: "unrecognized subcommand 'frobnicate'", usage: TOP },
  { argv: ["help", "frobnicate"], error: "unrecognized subcommand 'frobnicate'", usage: TOP },
  { argv: ["--mode", "xml"], error: "unexpected argument '--mode' found", usage: TOP },
  { argv: ["-v"], error: "'bcp' requires a subcommand but one was not provided", usage: TOP },
  { argv: ["decode", "--frob", "f"], error: "unexpected argument '--frob' found", usage: DECODE },
  { argv: ["decode", "-x", "f"], error: "unexpected argument '-x' found", usage: DECODE },
  { argv: ["decode", "f", "g"], error: "unexpected argument 'g' found", usage: DECODE },
  {
    argv: ["decode", "--mod", "xml", "f"],
    error: "unexpected argument '--mod' found",
    usage: DECODE,
  },
  { argv: ["decode", "-V", "f"], error: "unexpected argument '-V' found", usage: DECODE },
  {
    argv: ["decode"],
    error: "the following required arguments were not provided:\n  <FILE>",
    usage: DECODE,
  },
  {
    argv: ["encode", "m.json"],
    error: "the following required arguments were not provided:\n  --output <OUTPUT>",
    usage: ENCODE,
  },
  {
    argv: ["encode"],
    error: "the following required arguments were not provided:\n  --output <OUTPUT>\n  <INPUT>",
    usage: ENCODE,
  },
  {
    argv: ["decode", "f", "--mode", "xml", "--mode", "md"],
    error: "the argument '--mode <MODE>' cannot be used multiple times",
    usage: DECODE,
  },
  {
    argv: ["-v", "decode", "f", "-v"],
    error: "the argument '--verbose' cannot be used multiple times",
    usage: DECODE,
  },
  {
    argv: ["inspect", "f", "--show-body", "--show-body"],
    error: "the argument '--show-body' cannot be used multiple times",
    usage: INSPECT,
  },
  {
    argv: ["inspect", "f", "--show-body=yes"],
    error: "unexpected value 'yes' for '--show-body' found; no more were expected",
    usage: INSPECT,
  },
  {
    argv: ["decode", "f", "--mode"],
    error: "a value is required for '--mode <MODE>' but none was supplied",
    usage: DECODE,
  },
  {
    argv: ["decode", "--mode", "--budget", "5", "f"],
    error: "a value is required for '--mode <MODE>' but none was supplied",
    usage: DECODE,
  },
  {
    argv: ["decode", "f", "--budget", "1.5"],
    error: "invalid value '1.5' for '--budget <BUDGET>': invalid digit found in string",
    usage: DECODE,
  },
  {
    argv: ["decode", "f", "--budget", "-5"],
    error: "unexpected argument '-5' found",
    usage: DECODE,
  },
  {
    argv: ["decode", "f", "--budget=-5"],
    error: "invalid value '-5' for '--budget <BUDGET>': -5 is not in 0..=4294967295",
    usage: DECODE,
  },
  {
    argv: ["--verbose", "-v", "decode", "f"],
    error: "the argument '--verbose' cannot be used multiple times",
    usage: TOP,
  },
  {
    argv: ["decode", "f", "--budget=4294967296"],
    error:
      "invalid value '4294967296' for '--budget <BUDGET>': 4294967296 is not in 0..=4294967295",
    usage: DECODE,
  },
  {
    argv: ["inspect", "f", "--block=18446744073709551616"],
    error: "invalid value '18446744073709551616' for '--block <BLOCK>': " +
      "number too large to fit in target type",
    usage: INSPECT,
  },
  {
    argv: ["inspect", "f", "--block=-1"],
    error: "invalid value '-1' for '--block <BLOCK>': invalid digit found in string",
    usage: INSPECT,
  },
] as const;

Deno.test("runBcp() answers a wrong command line on stderr with exit code 2", async (t) => {
  for (const { argv, error, usage } of WRONG) {
    await t.step(argv.join(" "), async () => {
      const run = await new MemoryIo().run(...argv);
      assertEquals(run, {
        code: 2,
        stdout: "",
        stderr: `error: ${error}\n\n${usage}\n\n${MORE}`,
      });
    });
  }
});

Deno.test("runBcp() without arguments prints its help on stderr with exit code 2", async () => {
  const run = await new MemoryIo().run();
  assertEquals([run.code, run.stdout], [2, ""]);
  assertEquals(run.stderr, (await new MemoryIo().run("--help")).stdout);
});

Deno.test("runBcp() prints help and version on stdout with exit code 0", async (t) => {
  const cases = [
    { argv: ["--version"], text: "bcp 0.1.0\n" },
    { argv: ["-V"], text: "bcp 0.1.0\n" },
    { argv: ["-h"], text: TOP },
    { argv: ["--help"], text: "  validate  Check that a payload is well-formed\n" },
    { argv: ["help"], text: TOP },
    { argv: ["help", "encode"], text: ENCODE },
    { argv: ["decode", "--help"], text: DECODE },
    { argv: ["encode", "m.json", "-h"], text: "  -o, --output <OUTPUT>" },
  ] as const;
  for (const { argv, text } of cases) {
    await t.step(argv.join(" "), async () => {
      const run = await new MemoryIo().run(...argv);
      assertEquals([run.code, run.stderr], [0, ""]);
      assertStringIncludes(run.stdout, text);
    });
  }
});

Deno.test("runBcp() accepts every spelling of an option", async (t) => {
  const manifest = '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}';
  const spellings = [
    ["encode", "m.json", "-o", "out"],
    ["encode", "m.json", "-oout"],
    ["encode", "-o=out", "m.json"],
    ["encode", "--output", "out", "m.json"],
    ["encode", "--output=out", "--", "m.json"],
    ["-v", "--no-color", "encode", "m.json", "-o", "out"],
    ["encode", "-vo", "out", "m.json", "--no-color"],
  ] as const;
  for (const argv of spellings) {
    await t.step(argv.join(" "), async () => {
      const run = await new MemoryIo({ "m.json": manifest }).run(...argv);
      assertEquals(run, { code: 0, stdout: "Wrote 23 bytes to out\n", stderr: "" });
    });
  }
});

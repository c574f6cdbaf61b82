// `mod.ts bcp` as a program: exit codes, both outputs, real files. What the command says for every argument is tested
// where it is a function; here is what only a process can show.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Shelf } from "./reader_shelf.ts";

Deno.test("bcp encodes, decodes, inspects, validates and counts real files", async (t) => {
  await using shelf = await Shelf.create();
  const file = shelf.at("a.bcp");
  const CASES = [
    {
      args: ["decode", file],
      code: 0,
      stdout: /^<context>\n<code lang="rust"[\s\S]*<\/context>\n$/,
    },
    { args: ["decode", file, "--mode", "minimal"], code: 0, stdout: /^--- src\/main\.rs \[rust\]/ },
    { args: ["inspect", file], code: 0, stdout: /^Header: BCP v1\.0, flags=0x00, 4 blocks\n/ },
    { args: ["validate", file], code: 0, stdout: /^✓ Header: valid \(BCP v1\.0\)\n/ },
    { args: ["stats", file], code: 0, stdout: /^File: {4}\S+a\.bcp {2}\(\d+ bytes\)\n/ },
    { args: ["--version"], code: 0, stdout: /^bcp 0\.1\.0\n$/ },
    { args: ["decode", "--help"], code: 0, stdout: /Usage: bcp decode \[OPTIONS\] <FILE>/ },
  ] as const;
  for (const { args, code, stdout } of CASES) {
    await t.step(args.join(" ").replaceAll(shelf.root, ""), async () => {
      const result = await shelf.runBcp(args);
      assertEquals([result.code, result.stderr], [code, ""]);
      assertMatch(result.stdout, stdout);
    });
  }
});

Deno.test("bcp fails with the reference's words and codes", async (t) => {
  await using shelf = await Shelf.create();
  await Deno.writeTextFile(shelf.at("noise.bcp"), "NOPE....");
  const CASES = [
    { args: [], code: 2, stderr: /Usage: bcp/ },
    { args: ["decode"], code: 2, stderr: /^error: the following required arguments/ },
    { args: ["sail"], code: 2, stderr: /^error: unrecognized subcommand 'sail'/ },
    {
      args: ["decode", "NONE"],
      code: 1,
      stderr: /^error: cannot read \S+NONE: No such file or directory \(os error 2\)\n$/,
    },
    {
      args: ["decode", ""],
      code: 1,
      stderr: /^error: cannot read \S+: Is a directory \(os error 21\)\n$/,
    },
    {
      args: ["inspect", "noise.bcp"],
      code: 1,
      stderr: /^error: failed to decode \S+: invalid header: invalid magic number/,
    },
    {
      args: ["encode", "m.json", "-o", "none/x.bcp"],
      code: 1,
      stderr: /cannot write .*\(os error 2\)/,
    },
    { args: ["encode", "m.json", "-o", ""], code: 1, stderr: /cannot write .*\(os error 21\)/ },
  ] as const;
  for (const { args, code, stderr } of CASES) {
    await t.step(args.join(" ") || "no arguments", async () => {
      const [command = "", file, option, output] = args;
      const words = [
        ...(args.length === 0 ? [] : [command]),
        ...(file === undefined ? [] : [shelf.at(file)]),
        ...(option === undefined ? [] : [option, shelf.at(output ?? "")]),
      ];
      const result = await shelf.runBcp(words);
      assertMatch(result.stderr, stderr);
      assertEquals([result.code, result.stdout], [code, ""]);
    });
  }
});

Deno.test("bcp without a permission names the flag, and does not ask", async () => {
  await using shelf = await Shelf.create();
  const module = fromFileUrl(new URL("../../mod.ts", import.meta.url));
  const { code, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", module, "bcp", "decode", shelf.at("a.bcp")],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const path = shelf.at("a.bcp");
  const words =
    `error: cannot read ${path}: Deno does not allow it; run with --allow-read=${path}\n`;
  assertEquals([code, new TextDecoder().decode(stderr)], [1, words]);
});

Deno.test("bcp encode replaces a file whole, writes through a link, and leaves nothing beside it", async () => {
  await using shelf = await Shelf.create();
  const whole = await Deno.readFile(shelf.at("a.bcp"));
  await Deno.writeTextFile(shelf.at("old.bcp"), "old");
  await shelf.make("ln", "-s", "old.bcp", shelf.at("link.bcp"));
  const { code, stdout } = await shelf.runBcp([
    "encode",
    shelf.at("m.json"),
    "-o",
    shelf.at("link.bcp"),
  ]);
  assertEquals([code, stdout], [0, `Wrote ${whole.length} bytes to ${shelf.at("link.bcp")}\n`]);
  assertEquals(await Deno.readFile(shelf.at("old.bcp")), whole);
  assert((await Deno.lstat(shelf.at("link.bcp"))).isSymlink);
  for await (const { name } of Deno.readDir(shelf.root)) assert(!name.endsWith(".part"), name);
});

Deno.test("bcp encode puts a payload into a pipe when it is told /dev/stdout", async () => {
  await using shelf = await Shelf.create();
  const module = fromFileUrl(new URL("../../mod.ts", import.meta.url));
  const { code, stdout } = await new Deno.Command("deno", {
    args: [
      "run",
      "--no-prompt",
      `--allow-read=${shelf.root}`,
      module,
      "bcp",
      "encode",
      shelf.at("m.json"),
      "-o",
      "/dev/stdout",
    ],
  }).output();
  const whole = await Deno.readFile(shelf.at("a.bcp"));
  const line = new TextEncoder().encode(`Wrote ${whole.length} bytes to /dev/stdout\n`);
  assertEquals([code, stdout], [0, new Uint8Array([...whole, ...line])]);
});

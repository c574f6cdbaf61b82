// What a reader says about paths it will not or cannot read or write: always a result with `isError` that a model can
// act on, never a path the client did not name itself, and the server goes on answering.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type CallResult, type ReaderClient, Shelf } from "./reader_shelf.ts";

const READERS = ["read_bcp_file", "inspect_bcp_file", "validate_bcp_file", "bcp_stats"] as const;

Deno.test("reader without a read permission names the flag to add", async (t) => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve({ flags: ["--allow-run=bcp,bn"], args: ["reader"] });
  const { tools } = Object((await client.ask("tools/list")).result);
  assertEquals(tools.length, 5);
  for (const tool of READERS) {
    await t.step(tool, async () => {
      const { text, isError } = await client.call(tool, { path: shelf.at("a.bcp") });
      assertEquals(isError, true);
      const flag = `start the server with --allow-read=${shelf.root}`;
      assertEquals(text, `Cannot read "${shelf.at("a.bcp")}": ${flag}`);
    });
  }
  await t.step("encode_bcp_file", async () => {
    const { text } = await encode(client, shelf.at("m.json"), shelf.at("b.bcp"));
    assertStringIncludes(text, `start the server with --allow-read=${shelf.root}`);
  });
  assertEquals((await client.ask("resources/list")).result, { resources: [] });
});

Deno.test("reader without --root works on what Deno allows, and on nothing else", async (t) => {
  await using shelf = await Shelf.create();
  await shelf.make("ln", "-s", `${shelf.outside}/s.bcp`, shelf.at("out.bcp"));
  await Deno.copyFile(shelf.at("a.bcp"), `${shelf.outside}/s.bcp`);
  await t.step("a directory", async () => {
    await using client = await shelf.serve({
      flags: [`--allow-read=${shelf.root}`],
      args: ["reader", "--engine", "embedded"],
    });
    assertEquals((await client.call("bcp_stats", { path: shelf.at("a.bcp") })).isError, false);
    assertRefused(
      await client.call("bcp_stats", { path: shelf.at("out.bcp") }),
      /outside the roots/,
    );
    assertRefused(
      await client.call("bcp_stats", { path: `${shelf.outside}/s.bcp` }),
      /--allow-read=.*\/outside$/,
    );
    assertRefused(await client.call("bcp_stats", { path: "a.bcp" }), /relative and no root/);
  });
  await t.step("everything is no root", async () => {
    await using client = await shelf.serve({
      flags: ["--allow-read"],
      args: ["reader", "--engine", "embedded"],
    });
    const { text } = await client.call("bcp_stats", { path: shelf.at("a.bcp") });
    assertStringIncludes(text, `no root is declared; start the server with --root ${shelf.root}`);
  });
});

Deno.test("reader refuses each unusable path and goes on", async (t) => {
  await using shelf = await Shelf.create();
  const sibling = `${shelf.root}-twin`;
  await Deno.mkdir(sibling);
  await Deno.mkdir(shelf.at("folder.bcp"));
  await Deno.writeFile(shelf.at("empty.bcp"), new Uint8Array());
  await Deno.writeTextFile(shelf.at("noise.bcp"), "NOPE, this is no payload");
  await Deno.copyFile(shelf.at("a.bcp"), shelf.at("denied.bcp"));
  await Deno.copyFile(shelf.at("a.bcp"), `${shelf.outside}/s.bcp`);
  await Deno.copyFile(shelf.at("a.bcp"), `${sibling}/s.bcp`);
  await shelf.make("ln", "-s", `${shelf.outside}/s.bcp`, shelf.at("out.bcp"));
  await shelf.make("ln", "-s", shelf.outside, shelf.at("out"));
  await shelf.make("ln", `${shelf.outside}/s.bcp`, shelf.at("hard.bcp"));
  await shelf.make("mkfifo", shelf.at("pipe.bcp"));
  await using client = await shelf.serve({
    flags: [`--allow-read=${shelf.top}`, `--deny-read=${shelf.at("denied.bcp")}`],
  });
  const CASES = [
    { name: "missing", path: shelf.at("no.bcp"), says: /does not exist or may not be read/ },
    { name: "directory", path: shelf.at("folder.bcp"), says: /not a regular file/ },
    { name: "not .bcp", path: shelf.at("m.json"), says: /^Not a \.bcp file/ },
    {
      name: "unreadable",
      path: shelf.at("denied.bcp"),
      says: /start the server with --allow-read/,
    },
    { name: "outside", path: `${shelf.outside}/s.bcp`, says: /outside the roots.*--root/ },
    { name: "twin of the root", path: `${sibling}/s.bcp`, says: /outside the roots/ },
    { name: "dots", path: shelf.at("../outside/s.bcp"), says: /outside the roots/ },
    { name: "symlink out", path: shelf.at("out.bcp"), says: /leads outside the roots/ },
    { name: "symlinked folder", path: shelf.at("out/s.bcp"), says: /leads outside the roots/ },
    { name: "hard link", path: shelf.at("hard.bcp"), says: /second name/ },
    { name: "FIFO", path: shelf.at("pipe.bcp"), says: /not a regular file/ },
    { name: "device", path: "/dev/zero.bcp", says: /outside the roots/ },
    {
      name: "empty",
      path: shelf.at("empty.bcp"),
      says: /invalid header.*unexpected end of input/,
    },
    { name: "noise", path: shelf.at("noise.bcp"), says: /invalid magic number/ },
    { name: "empty name", path: "", says: /^Not a \.bcp file/ },
    { name: "NUL", path: "a\0.bcp", says: /control character/ },
    { name: "leading dash", path: "-x.bcp", says: /begins with/ },
    { name: "too long", path: `/${"x".repeat(5000)}.bcp`, says: /longer than 4096/ },
  ] as const;
  for (const { name, path, says } of CASES) {
    await t.step(name, async () => {
      for (const tool of READERS) assertRefused(await client.call(tool, { path }), says);
      assertEquals((await client.ask("ping")).result, {});
    });
  }
  await t.step("a relative path never learns where the root is", async () => {
    for (const path of ["no.bcp", "folder.bcp", "empty.bcp", "out.bcp", "denied.bcp", "../x.bcp"]) {
      const { text, isError } = await client.call("read_bcp_file", { path });
      assertEquals([path, isError], [path, true]);
      assert(!text.includes(shelf.top), text);
    }
  });
});

Deno.test("reader takes a root that is declared by a link, in either spelling", async () => {
  await using shelf = await Shelf.create();
  const link = `${shelf.top}/link`;
  await shelf.make("ln", "-s", shelf.root, link);
  await using client = await shelf.serve({
    flags: [`--allow-read=${link},${shelf.root}`],
    args: ["reader", "--root", link, "--engine", "embedded"],
  });
  for (const path of [`${link}/a.bcp`, shelf.at("a.bcp"), "a.bcp"]) {
    const { text, isError } = await client.call("bcp_stats", { path });
    assertEquals([path, isError], [path, false]);
    assertStringIncludes(text, `File:    ${path}  (`);
  }
  assertRefused(await client.call("bcp_stats", { path: `${link}/../outside/s.bcp` }), /outside/);
});

Deno.test("reader refuses a payload that is cut at any byte", async () => {
  await using shelf = await Shelf.create();
  const whole = await Deno.readFile(shelf.at("a.bcp"));
  await using client = await shelf.serve();
  for (let length = 0; length < whole.length; length++) {
    await Deno.writeFile(shelf.at("cut.bcp"), whole.subarray(0, length));
    const { text, isError } = await client.call("read_bcp_file", { path: "cut.bcp" });
    assertEquals([length, isError], [length, true]);
    assertMatch(text, /^error: failed to decode cut\.bcp: \S/);
  }
  assertEquals((await client.call("read_bcp_file", { path: "a.bcp" })).isError, false);
});

Deno.test("encode_bcp_file writes nowhere but to a plain .bcp file inside the roots", async (t) => {
  await using shelf = await Shelf.create();
  await Deno.writeTextFile(`${shelf.outside}/victim.bcp`, "untouched");
  await Deno.mkdir(shelf.at("folder.bcp"));
  await Deno.mkdir(shelf.at("real"));
  await Deno.mkdir(shelf.at(".git/hooks"), { recursive: true });
  await shelf.make("ln", "-s", `${shelf.outside}/victim.bcp`, shelf.at("out.bcp"));
  await shelf.make("ln", "-s", shelf.at("a.bcp"), shelf.at("in.bcp"));
  await shelf.make("ln", "-s", shelf.at("nowhere.bcp"), shelf.at("dangling.bcp"));
  await shelf.make("ln", "-s", shelf.outside, shelf.at("away"));
  await shelf.make("ln", "-s", shelf.at("real"), shelf.at("alias"));
  await shelf.make("mkfifo", shelf.at("pipe.bcp"));
  const before = await Deno.readFile(shelf.at("a.bcp"));
  await using client = await shelf.serve({
    flags: [`--allow-read=${shelf.top}`, `--allow-write=${shelf.top}`],
  });
  const CASES = [
    { name: "not .bcp", output: shelf.at("x.json"), says: /^Not a \.bcp file/ },
    { name: "outside", output: `${shelf.outside}/x.bcp`, says: /outside the roots/ },
    { name: "dots", output: shelf.at("../outside/x.bcp"), says: /outside the roots/ },
    { name: "a link out", output: shelf.at("out.bcp"), says: /leads outside the roots/ },
    { name: "a link inside", output: shelf.at("in.bcp"), says: /leads through a link/ },
    { name: "a dangling link", output: shelf.at("dangling.bcp"), says: /link that leads nowhere/ },
    { name: "a linked folder out", output: shelf.at("away/x.bcp"), says: /outside the roots/ },
    { name: "a linked folder inside", output: shelf.at("alias/x.bcp"), says: /through a link/ },
    { name: "a directory", output: shelf.at("folder.bcp"), says: /not a regular file/ },
    { name: "a FIFO", output: shelf.at("pipe.bcp"), says: /not a regular file/ },
    { name: "a missing folder", output: shelf.at("none/x.bcp"), says: /directory does not exist/ },
    { name: "nested", output: shelf.at("sub/.Claude/x.bcp"), says: /"\.claude".*protected/ },
    { name: "git hooks", output: shelf.at(".git/hooks/x.bcp"), says: /"\.git\/hooks".*protected/ },
  ] as const;
  for (const { name, output, says } of CASES) {
    await t.step(name, async () => {
      assertRefused(await encode(client, shelf.at("m.json"), output), says);
    });
  }
  await t.step("a bad manifest leaves the old file as it was", async () => {
    await Deno.writeTextFile(shelf.at("bad.json"), '{"blocks":[{"type":"code"}]}');
    assertRefused(await encode(client, shelf.at("bad.json"), shelf.at("a.bcp")), /parse manifest/);
  });
  assertEquals(await Deno.readFile(shelf.at("a.bcp")), before);
  assertEquals(await Deno.readTextFile(`${shelf.outside}/victim.bcp`), "untouched");
  assertEquals(await listNames(shelf.outside), ["victim.bcp"]);
  assertEquals(await listNames(shelf.at("real")), []);
  assertEquals((await listNames(shelf.root)).filter((name) => name.endsWith(".part")), []);
  await t.step("a good one replaces it whole", async () => {
    const { isError } = await encode(client, "m.json", "a.bcp", { compress: true });
    assertEquals(isError, false);
    assert((await Deno.stat(shelf.at("a.bcp"))).size < before.length);
    assertEquals((await listNames(shelf.root)).filter((name) => name.endsWith(".part")), []);
  });
});

Deno.test("encode_bcp_file bounds what one manifest may gather", async () => {
  await using shelf = await Shelf.create();
  await Deno.writeFile(shelf.at("large.txt"), new Uint8Array(15 * 1024 * 1024).fill(97));
  const block = '{"type":"document","title":"x","content_file":"large.txt"}';
  await Deno.writeTextFile(shelf.at("m.json"), `{"blocks":[${Array(5).fill(block)}]}`);
  await using client = await shelf.serve();
  const result = await encode(client, "m.json", "b.bcp");
  assertRefused(result, /block 4: .*larger than 67108864 bytes together/);
});

Deno.test("encode_bcp_file without the write permission names the flag to add", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve({ flags: [`--allow-read=${shelf.root}`] });
  const result = await encode(client, shelf.at("m.json"), shelf.at("b.bcp"));
  assertRefused(result, new RegExp(`--allow-write=${shelf.root}$`));
});

async function encode(
  client: ReaderClient,
  manifest: string,
  output: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<CallResult> {
  return await client.call("encode_bcp_file", {
    manifest_path: manifest,
    output_path: output,
    ...more,
  });
}

function assertRefused({ text, isError }: CallResult, says: RegExp): void {
  assertMatch(text, says);
  assertEquals(isError, true);
}

async function listNames(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}

// `mod.ts reader` over real stdio, told by the acceptance lines of SPEC_11: sub-phase A, and cross-cutting with Deno in
// the place of Bun. Each test cites its line.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Shelf } from "./reader_shelf.ts";

const SPEC_TOOLS = ["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"];

Deno.test("A1: Server starts and completes MCP initialization handshake over stdio", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve({ flags: [], args: ["--mode", "reader"] });
  assertEquals((await client.ask("ping")).result, {});
});

Deno.test("A2: tools/list returns read_bcp_file, inspect_bcp_file, and encode_bcp_file", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const { tools } = Object((await client.ask("tools/list")).result);
  const names: string[] = tools.map(({ name }: { name: string }) => name);
  for (const name of SPEC_TOOLS) assert(names.includes(name), name);
  assertEquals(names.length, 5);
  const read = tools.find(({ name }: { name: string }) => name === "read_bcp_file");
  const { mode, budget } = read.inputSchema.properties;
  assertEquals(mode.enum, ["xml", "markdown", "minimal"]);
  assertEquals(mode.default, "xml");
  assertEquals(budget.type, "number");
  assertEquals(read.inputSchema.required, ["path"]);
});

Deno.test("A3: read_bcp_file with a valid .bcp path returns rendered text as TextContent", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const { result } = await client.ask("tools/call", {
    name: "read_bcp_file",
    arguments: { path: shelf.at("a.bcp") },
  });
  const { content, structuredContent } = Object(result);
  assertEquals(content.length, 1);
  assertEquals(content[0].type, "text");
  assertEquals(content[0].text, (await shelf.runBcp(["decode", shelf.at("a.bcp")])).stdout);
  assertEquals(structuredContent.engine, "embedded");
  assertEquals(structuredContent.blockCount, 4);
  assertEquals(structuredContent.blocks[0], {
    index: 0,
    type: "code",
    language: "rust",
    path: "src/main.rs",
    priority: "low",
    bytes: 432,
    tokens: 144,
    summary: "Says ahoy",
  });
});

Deno.test("A4: read_bcp_file with mode markdown returns markdown-rendered output", async (t) => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  for (const mode of ["xml", "markdown", "minimal"]) {
    await t.step(mode, async () => {
      const { text } = await client.call("read_bcp_file", { path: shelf.at("a.bcp"), mode });
      const args = ["decode", shelf.at("a.bcp"), "--mode", mode];
      assertEquals(text, (await shelf.runBcp(args)).stdout);
    });
  }
});

Deno.test("A5: read_bcp_file with budget 500 returns summarized output for low-priority blocks", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const path = shelf.at("a.bcp");
  const { text } = await client.call("read_bcp_file", { path, budget: 500 });
  assertStringIncludes(text, '<code lang="rust" path="src/main.rs" summary="true">\nSays ahoy\n');
  assert(!text.includes("println"), "a low block is never shown in full under a budget");
  for (const budget of [1.5, -1, 2 ** 32]) {
    const refused = await client.call("read_bcp_file", { path, budget });
    assertEquals([budget, refused.isError], [budget, true]);
    assertStringIncludes(refused.text, '"budget" must be a whole number');
  }
});

Deno.test("read_bcp_file selects blocks by type and index, and by verbosity", async (t) => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const path = shelf.at("a.bcp");
  const CASES = [
    { name: "include", given: { include: ["conversation"] }, has: "<turn", hasNot: "<code" },
    { name: "blocks", given: { blocks: [3] }, has: "<tool", hasNot: "<turn" },
    { name: "verbosity", given: { verbosity: "summary" }, has: "Says ahoy", hasNot: "println" },
  ];
  for (const { name, given, has, hasNot } of CASES) {
    await t.step(name, async () => {
      const { text, isError } = await client.call("read_bcp_file", { path, ...given });
      assertEquals(isError, false);
      assertStringIncludes(text, has);
      assert(!text.includes(hasNot), text);
    });
  }
  await t.step("a block that is not there", async () => {
    const { text, isError } = await client.call("read_bcp_file", { path, blocks: [99] });
    assertEquals([isError, text], [true, "error: driver render failed: no blocks to render"]);
  });
});

Deno.test("A6: read_bcp_file with a non-existent path returns isError: true with diagnostic", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const { text, isError } = await client.call("read_bcp_file", { path: shelf.at("no.bcp") });
  assertEquals(isError, true);
  assertEquals(text, `Cannot read "${shelf.at("no.bcp")}": Path does not exist or may not be read`);
});

Deno.test("A7: read_bcp_file with a non-.bcp file returns isError: true with message", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const { text, isError } = await client.call("read_bcp_file", { path: shelf.at("m.json") });
  assertEquals(isError, true);
  assertStringIncludes(text, "Not a .bcp file");
});

Deno.test("A8: inspect_bcp_file returns block summary table matching bcp inspect output", async (t) => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const CASES = [
    { tool: "inspect_bcp_file", command: "inspect" },
    { tool: "validate_bcp_file", command: "validate" },
    { tool: "bcp_stats", command: "stats" },
  ];
  for (const { tool, command } of CASES) {
    await t.step(tool, async () => {
      const { text, isError } = await client.call(tool, { path: shelf.at("a.bcp") });
      assertEquals(isError, false);
      assertEquals(text, (await shelf.runBcp([command, shelf.at("a.bcp")])).stdout);
    });
  }
});

Deno.test("A9: encode_bcp_file creates a valid .bcp file from a JSON manifest", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  const { text, isError, structured } = await client.call("encode_bcp_file", {
    manifest_path: shelf.at("m.json"),
    output_path: shelf.at("b.bcp"),
  });
  assertEquals(isError, false, text);
  assertEquals(await Deno.readFile(shelf.at("b.bcp")), await Deno.readFile(shelf.at("a.bcp")));
  const { bytes, blockCount, ratio } = Object(structured);
  assertEquals([bytes, blockCount], [(await Deno.stat(shelf.at("b.bcp"))).size, 4]);
  assertEquals(typeof ratio, "number");
  assertStringIncludes(text, `Wrote ${bytes} bytes to ${shelf.at("b.bcp")}\n`);
  assertStringIncludes(text, "Blocks:  4 total");
  assertEquals((await shelf.runBcp(["validate", shelf.at("b.bcp")])).code, 0);
});

Deno.test("A10: encode_bcp_file with compress: true produces compressed output", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  await client.call("encode_bcp_file", {
    manifest_path: shelf.at("m.json"),
    output_path: shelf.at("z.bcp"),
    compress: true,
  });
  const [plain, packed] = [await Deno.stat(shelf.at("a.bcp")), await Deno.stat(shelf.at("z.bcp"))];
  assert(packed.size < plain.size / 2, `${packed.size} of ${plain.size} bytes`);
  const { text } = await client.call("read_bcp_file", { path: shelf.at("z.bcp") });
  assertEquals(text, (await client.call("read_bcp_file", { path: shelf.at("a.bcp") })).text);
});

Deno.test("A11: Unknown method returns JSON-RPC error code -32601", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  assertEquals((await client.ask("no/such")).error?.code, -32601);
});

Deno.test("A12: Malformed JSON input does not crash the server (error logged to stderr)", async () => {
  await using shelf = await Shelf.create();
  const client = await shelf.serve();
  client.sendLine("{ this is no JSON");
  assertEquals((await client.ask("ping")).result, {});
  assertEquals(await client.close(), 0);
  assertStringIncludes(await client.stderr(), '"event":"unreadable","code":-32700');
});

Deno.test("A13: ping method returns empty result", async () => {
  await using shelf = await Shelf.create();
  await using client = await shelf.serve();
  assertEquals((await client.ask("ping")).result, {});
});

Deno.test("A14: Server shuts down cleanly when stdin is closed", async () => {
  await using shelf = await Shelf.create();
  const client = await shelf.serve();
  assertEquals(await client.close(), 0);
});

Deno.test("C6: Logging output goes to stderr only (stdout reserved for JSON-RPC)", async () => {
  await using shelf = await Shelf.create();
  const client = await shelf.serve({
    flags: [`--allow-read=${shelf.root}`, "--allow-env=BCP_LOG_LEVEL"],
    env: { BCP_LOG_LEVEL: "debug" },
  });
  await client.call("read_bcp_file", { path: shelf.at("a.bcp") });
  // Every line of stdout was parsed as a message on the way: anything else would have failed there.
  assertEquals(await client.close(), 0);
  assertStringIncludes(await client.stderr(), '"event":"engine"');
});

Deno.test("resources: payloads are listed below the root, read and completed, without telling where it is", async () => {
  await using shelf = await Shelf.create();
  await Deno.mkdir(shelf.at("sub dir"));
  await Deno.copyFile(shelf.at("a.bcp"), shelf.at("sub dir/b#1.bcp"));
  await shelf.make("ln", "-s", shelf.at("a.bcp"), shelf.at("link.bcp"));
  await using client = await shelf.serve();
  const list = await client.ask("resources/list");
  const { resources } = Object(list.result);
  const uris = resources.map(({ uri }: { uri: string }) => uri);
  assertEquals(uris, ["bcp:///a.bcp", "bcp:///sub%20dir/b%231.bcp"]);
  assert(!JSON.stringify(list).includes(shelf.top));
  for (const uri of uris) {
    const { contents } = Object((await client.ask("resources/read", { uri })).result);
    assertStringIncludes(contents[0].text, "<context>");
  }
  const completed = await client.ask("completion/complete", {
    ref: { type: "ref/resource", uri: "bcp:///{+path}" },
    argument: { name: "path", value: "sub" },
  });
  assertEquals(Object(completed.result).completion.values, ["sub dir/b#1.bcp"]);
  for (const uri of ["bcp:///no.bcp", "bcp:///m.json", "bcp:///../outside/x.bcp", "file:///etc"]) {
    assertEquals(
      (await client.ask("resources/read", { uri })).error?.message,
      "Resource not found",
    );
  }
});

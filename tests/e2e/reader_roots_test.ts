// The client's own roots narrow what a reader touches, and never widen it.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ReaderClient, Shelf } from "./reader_shelf.ts";

const OUTSIDE = /outside the client's own roots$/;

/** A shelf with a second payload below a folder of the root. */
async function createShelf(): Promise<Shelf> {
  const shelf = await Shelf.create();
  await Deno.mkdir(shelf.at("sub"));
  await Deno.copyFile(shelf.at("a.bcp"), shelf.at("sub/b.bcp"));
  await Deno.copyFile(shelf.at("a.bcp"), `${shelf.outside}/c.bcp`);
  return shelf;
}

Deno.test("a client that offers roots is served what lies in both, as they are now", async () => {
  await using shelf = await createShelf();
  let roots = [`file://${shelf.root}/sub`];
  await using client = await shelf.serve({ roots: () => roots });
  const read = async (path: string) => await client.call("read_bcp_file", { path });
  assertEquals((await read("sub/b.bcp")).isError, false);
  assertEquals((await read(shelf.at("sub/b.bcp"))).isError, false);
  assertMatch((await read("a.bcp")).text, OUTSIDE);
  roots = [`file://${shelf.root}`];
  assertEquals((await read("a.bcp")).isError, false);
  // As wide as they like, they do not widen.
  roots = ["file:///", `file://${shelf.outside}`];
  assertEquals((await read("a.bcp")).isError, false);
  assertEquals((await read(`${shelf.outside}/c.bcp`)).isError, true);
  roots = [`file://${shelf.outside}`];
  assertMatch((await read("a.bcp")).text, OUTSIDE);
});

Deno.test("a root that the client spells by a link, or encodes, is the folder behind it", async () => {
  await using shelf = await createShelf();
  await Deno.mkdir(shelf.at("with space"));
  await Deno.copyFile(shelf.at("a.bcp"), shelf.at("with space/d.bcp"));
  await shelf.make("ln", "-s", shelf.at("sub"), shelf.at("link"));
  await shelf.make("ln", "-s", shelf.outside, shelf.at("way-out"));
  let roots = [`file://${shelf.root}/link`];
  await using client = await shelf.serve({ roots: () => roots });
  const read = async (path: string) => await client.call("read_bcp_file", { path });
  assertEquals((await read("sub/b.bcp")).isError, false);
  assertMatch((await read("a.bcp")).text, OUTSIDE);
  roots = [`file://${shelf.root}/with%20space`];
  assertEquals((await read("with space/d.bcp")).isError, false);
  roots = [`file://${shelf.root}/way-out`];
  assertEquals((await read("way-out/c.bcp")).isError, true);
});

Deno.test("roots that are not folders of this machine narrow to nothing, no roots to no change", async () => {
  await using shelf = await createShelf();
  let roots: string[] = [];
  await using client = await shelf.serve({ roots: () => roots });
  const read = async () => (await client.call("read_bcp_file", { path: "a.bcp" })).isError;
  assertEquals(await read(), false);
  for (const uri of ["https://example.com/", "file://host.example/data", "vscode:/x", "nonsense"]) {
    roots = [uri];
    assertEquals(await read(), true, uri);
  }
});

Deno.test("writing and resources are narrowed too", async () => {
  await using shelf = await createShelf();
  await Deno.copyFile(shelf.at("m.json"), shelf.at("sub/m.json"));
  await using client = await shelf.serve({ roots: () => [`file://${shelf.root}/sub`] });
  const encode = async (manifest: string, output: string) =>
    await client.call("encode_bcp_file", { manifest_path: manifest, output_path: output });
  assertMatch((await encode("sub/m.json", "out.bcp")).text, OUTSIDE);
  assertMatch((await encode("m.json", "sub/out.bcp")).text, OUTSIDE);
  const written = await encode("sub/m.json", "sub/out.bcp");
  assertEquals(written.isError, false, written.text);
  assertEquals((await client.ask("resources/read", { uri: "bcp:///a.bcp" })).error?.code, -32002);
  const inside = await client.ask("resources/read", { uri: "bcp:///sub/b.bcp" });
  assertEquals(inside.error, undefined);
});

/** What a client sees of the payloads: the names in the list, and those that complete nothing. */
async function listNames(client: ReaderClient): Promise<unknown> {
  const listed = Object((await client.ask("resources/list")).result).resources;
  const completed = Object(
    (await client.ask("completion/complete", {
      ref: { type: "ref/resource", uri: "bcp:///{+path}" },
      argument: { name: "path", value: "" },
    })).result,
  ).completion.values;
  const names = listed.map(({ name }: { name: string }) => name);
  assertEquals(completed.toSorted(), names.toSorted());
  return names;
}

Deno.test("only payloads in the client's roots are listed and completed", async () => {
  await using shelf = await createShelf();
  await Deno.mkdir(shelf.at("sub/deep"));
  await Deno.mkdir(shelf.at("sub-like"));
  await Deno.mkdir(shelf.at(".hidden"));
  for (const name of ["sub/deep/e.bcp", "sub-like/f.bcp", ".hidden/g.bcp"]) {
    await Deno.copyFile(shelf.at("a.bcp"), shelf.at(name));
  }
  await shelf.make("ln", "-s", shelf.at("sub"), shelf.at("link"));
  const ALL = ["a.bcp", "sub-like/f.bcp", "sub/b.bcp", "sub/deep/e.bcp"];
  const SUB = ["sub/b.bcp", "sub/deep/e.bcp"];
  const CASES: readonly (readonly [roots: readonly string[], names: readonly string[]])[] = [
    [[], ALL],
    [["/"], ALL],
    [[shelf.root], ALL],
    [[shelf.at("sub")], SUB],
    [[shelf.at("link")], SUB],
    [[shelf.at("sub"), shelf.at("sub/deep")], SUB],
    [[shelf.at("sub/deep")], ["sub/deep/e.bcp"]],
    [[shelf.at("a.bcp")], ["a.bcp"]],
    // Narrowing shows nothing that the whole list leaves out.
    [[shelf.at(".hidden")], []],
    [[shelf.outside], []],
  ];
  let roots: readonly string[] = [];
  await using client = await shelf.serve({ roots: () => roots });
  for (const [paths, names] of CASES) {
    roots = paths.map((path) => `file://${path}`);
    assertEquals(await listNames(client), names, paths.join());
  }
});

Deno.test("with several roots, narrowing changes no name", async () => {
  await using shelf = await createShelf();
  await using client = await shelf.serve({
    flags: [`--allow-read=${shelf.root},${shelf.outside}`],
    args: ["reader", "--root", shelf.root, "--root", shelf.outside, "--engine", "embedded"],
    roots: () => [`file://${shelf.outside}`],
  });
  const label = shelf.outside.slice(shelf.outside.lastIndexOf("/") + 1);
  assertEquals(await listNames(client), [`${label}/c.bcp`]);
  const read = await client.ask("resources/read", { uri: `bcp:///${label}/c.bcp` });
  assertEquals(read.error, undefined);
});

Deno.test("on the stateless wire, where a list cannot ask, the server's roots hold", async () => {
  await using shelf = await createShelf();
  await using client = await shelf.serve();
  const { result } = await client.ask("resources/list", {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { roots: {} },
    },
  });
  const { resultType, resources } = Object(result);
  assertEquals([resultType, resources.length], ["complete", 2]);
});

Deno.test("a client that does not answer, or answers nonsense, is served nothing", async () => {
  await using shelf = await createShelf();
  await using odd = await shelf.serve({ roots: () => [1 as unknown as string] });
  const nonsense = await odd.call("read_bcp_file", { path: "a.bcp" });
  assertStringIncludes(nonsense.text, "no result of roots/list");
  assertEquals(nonsense.isError, true);
  assertStringIncludes(
    (await odd.ask("resources/list")).error?.message ?? "",
    "no result of roots/list",
  );
  await using mute = await shelf.serve({ roots: () => undefined });
  const silence = await mute.call("read_bcp_file", { path: "a.bcp" });
  assertEquals(silence.text, "The client did not tell its roots within 5 seconds");
  assertEquals(silence.isError, true);
  assertEquals((await mute.ask("resources/list")).error?.message, silence.text);
});

Deno.test("--client-roots ignore does not ask", async () => {
  await using shelf = await createShelf();
  await using client = await shelf.serve({
    args: ["reader", "--root", shelf.root, "--engine", "embedded", "--client-roots", "ignore"],
    roots: () => [`file://${shelf.outside}`],
  });
  assertEquals((await client.call("read_bcp_file", { path: "a.bcp" })).isError, false);
  assertEquals(await listNames(client), ["a.bcp", "sub/b.bcp"]);
});

Deno.test("on the stateless wire a client that declares roots is asked with the result", async () => {
  await using shelf = await createShelf();
  await using client = await shelf.serve();
  const params = {
    name: "read_bcp_file",
    arguments: { path: "a.bcp" },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { roots: {} },
    },
  };
  const { resultType, inputRequests, requestState } = Object(
    (await client.ask("tools/call", params)).result,
  );
  assertEquals([resultType, inputRequests], ["input_required", {
    roots: { method: "roots/list" },
  }]);
  for (const [folder, isError] of [[shelf.root, false], [`${shelf.root}/sub`, true]] as const) {
    const inputResponses = { roots: { roots: [{ uri: `file://${folder}` }] } };
    const answer = await client.ask("tools/call", { ...params, inputResponses, requestState });
    assertEquals(Object(answer.result).isError === true, isError, JSON.stringify(answer));
  }
});

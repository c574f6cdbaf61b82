// Payloads as resources: what is listed, how it is named, what a URI may stand for.

import { assertEquals } from "@std/assert";
import { FileAccess } from "../../../src/providers/bcp/file_access.ts";
import { ResourceTree } from "../../../src/providers/bcp/resource_tree.ts";

class Trees implements AsyncDisposable {
  readonly top: string;

  private constructor(top: string) {
    this.top = top;
  }

  static async create(files: readonly string[]): Promise<Trees> {
    const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-tree-" }));
    for (const file of files) {
      await Deno.mkdir(`${top}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${top}/${file}`, "x");
    }
    return new Trees(top);
  }

  open(...roots: readonly string[]): ResourceTree {
    return new ResourceTree(new FileAccess(roots.map((root) => `${this.top}/${root}`)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.top, { recursive: true });
  }
}

Deno.test("ResourceTree lists nothing without declared roots", async () => {
  assertEquals(await new ResourceTree(new FileAccess([])).list(), []);
});

Deno.test("ResourceTree lists payloads only, and not what is hidden or built", async () => {
  await using trees = await Trees.create([
    "a/x.bcp",
    "a/sub/y.BCP",
    "a/z.txt",
    "a/.git/h.bcp",
    "a/node_modules/n.bcp",
  ]);
  assertEquals(await trees.open("a").list(), [
    { uri: "bcp:///x.bcp", name: "x.bcp", bytes: 1 },
    { uri: "bcp:///sub/y.BCP", name: "sub/y.BCP", bytes: 1 },
  ]);
});

Deno.test("ResourceTree names files of several roots by their roots, twins apart", async () => {
  await using trees = await Trees.create(["one/docs/x.bcp", "two/docs/x.bcp"]);
  const tree = trees.open("one/docs", "two/docs");
  const uris = (await tree.list()).map(({ uri }) => uri);
  assertEquals(uris, ["bcp:///docs/x.bcp", "bcp:///docs-2/x.bcp"]);
  assertEquals(await tree.find("bcp:///docs-2/x.bcp"), `${trees.top}/two/docs/x.bcp`);
  assertEquals(await tree.find("bcp:///x.bcp"), undefined);
});

Deno.test("ResourceTree finds no path outside its root", async () => {
  await using trees = await Trees.create(["a/x.bcp", "b/y.bcp"]);
  const tree = trees.open("a");
  for (
    const uri of [
      "bcp:///../b/y.bcp",
      "bcp:///%2e%2e/b/y.bcp",
      "bcp:///..%2fb%2fy.bcp",
      "bcp:///%E0%A4%A",
      "bcp:///x%00.bcp",
      "file:///x.bcp",
      "bcp://x.bcp",
    ]
  ) {
    assertEquals([uri, await tree.find(uri)], [uri, undefined]);
  }
});

Deno.test("ResourceTree stops at a thousand", async () => {
  const files = Array.from({ length: 1005 }, (_, index) => `a/${index}.bcp`);
  await using trees = await Trees.create(files);
  assertEquals((await trees.open("a").list()).length, 1000);
});

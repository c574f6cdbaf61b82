// The manifests shown in the documents are accepted as they stand.

import { assert, assertEquals } from "@std/assert";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { ManifestSyntaxError } from "../../../src/permission/manifest_syntax_error.ts";

const text = await Deno.readTextFile(new URL("../../../docs/permissions.md", import.meta.url));

Deno.test("docs/permissions.md shows only manifests that parse", () => {
  const blocks = [...text.matchAll(/```jsonc\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  assertEquals(blocks.length, 3);
  for (const block of blocks) assert(parseManifest(block).programs.size > 0);
});

Deno.test("docs/permissions.md quotes a refusal word for word", () => {
  const manifest = '{"mode": "x", "programs": {"bcp": {"command": "bcp", "read": ["/etc"]}}}';
  try {
    parseManifest(manifest);
  } catch (error) {
    assert(error instanceof ManifestSyntaxError && text.includes(error.message));
    return;
  }
  throw new Error("The manifest was accepted");
});

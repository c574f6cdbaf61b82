// Writing payloads when something gets in the way between the check and the end.

import { assertEquals, assertMatch } from "@std/assert";
import { FileAccess } from "../../../src/providers/bcp/file_access.ts";
import { findTarget, writePayload } from "../../../src/providers/bcp/write_payload.ts";

const BYTES = new Uint8Array([1, 2, 3]);
const { signal } = new AbortController();

async function makeRoot(): Promise<string> {
  return await Deno.realPath(await Deno.makeTempDir({ prefix: "bulkhead-write-" }));
}

async function getTarget(root: string, name: string) {
  const target = await findTarget(new FileAccess([root]), name);
  if (target.kind === "refused") throw new Error(target.reason);
  return target;
}

async function listNames(root: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(root)) names.push(name);
  return names.sort();
}

Deno.test("writePayload() leaves the old file when the call is no longer wanted", async () => {
  const root = await makeRoot();
  await Deno.writeTextFile(`${root}/a.bcp`, "old");
  const target = await getTarget(root, "a.bcp");
  const outcome = await writePayload("a.bcp", target, {
    bytes: BYTES,
    signal: AbortSignal.abort(),
  });
  assertEquals(outcome.kind, "refused");
  assertEquals(await Deno.readTextFile(`${root}/a.bcp`), "old");
  assertEquals(await listNames(root), ["a.bcp"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("writePayload() says what the system says, without a path, and cleans up", async () => {
  const root = await makeRoot();
  const target = await getTarget(root, "a.bcp");
  // Between check and use something else took the name.
  await Deno.mkdir(`${root}/a.bcp/full`, { recursive: true });
  const outcome = await writePayload("a.bcp", target, { bytes: BYTES, signal });
  assertEquals(outcome.kind, "refused");
  const reason = outcome.kind === "refused" ? outcome.reason : "";
  assertMatch(reason, /^Cannot write "a\.bcp": .*\(os error \d+\)$/);
  assertEquals(reason.includes(root), false);
  assertEquals(await listNames(root), ["a.bcp"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("writePayload() notices that its directory went away", async () => {
  const root = await makeRoot();
  await Deno.mkdir(`${root}/sub`);
  const target = await getTarget(root, "sub/a.bcp");
  await Deno.remove(`${root}/sub`);
  const outcome = await writePayload("sub/a.bcp", target, { bytes: BYTES, signal });
  assertEquals(outcome.kind, "refused");
  assertEquals(await listNames(root), []);
  await Deno.remove(root, { recursive: true });
});

Deno.test("writePayload() makes a new file and replaces an old one", async () => {
  const root = await makeRoot();
  for (const bytes of [BYTES, new Uint8Array([9])]) {
    const target = await getTarget(root, "a.bcp");
    const outcome = await writePayload("a.bcp", target, { bytes, signal });
    assertEquals(outcome.kind, "opened");
    assertEquals(await Deno.readFile(`${root}/a.bcp`), bytes);
  }
  assertEquals(await listNames(root), ["a.bcp"]);
  await Deno.remove(root, { recursive: true });
});

// Attempts to lead the server itself out of its roots with a path argument.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFileInRoots, resolveInRoots, resolveRoots } from "../../src/process/root_guard.ts";
import { PermissionDeniedError } from "../../src/permission/permission_denied_error.ts";
import { Compartment, makeLink } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const READ = { maxBytes: 1000 };

interface RootCase {
  readonly name: string;
  readonly path: (c: Compartment) => string | Promise<string>;
}

const DENIED: readonly RootCase[] = [
  { name: "absolute path outside", path: (c) => c.secret },
  { name: "..", path: () => "../outside/secret.txt" },
  { name: "encoded ..", path: () => "..%2foutside/secret.txt" },
  { name: "encoded dots", path: () => "%2e%2e/outside/secret.txt" },
  { name: "backslash", path: () => "..\\outside\\secret.txt" },
  { name: "NUL", path: () => "inside.txt\0.png" },
  { name: "newline", path: () => "inside.txt\n" },
  { name: "leading dash", path: () => "-inside.txt" },
  { name: "home", path: () => "~/secret" },
  { name: "trailing dot", path: () => "inside.txt." },
  { name: "trailing space", path: () => "inside.txt " },
  { name: "zero-width character", path: () => "in\u200bside.txt" },
  { name: "right-to-left override", path: () => "\u202etxt.edisni" },
  { name: "lone surrogate", path: () => "inside\ud800.txt" },
  { name: "empty", path: () => "" },
  { name: "too long", path: () => "a/".repeat(3000) },
  { name: "missing file", path: () => "missing.txt" },
  { name: "directory", path: () => "sub" },
  { name: "device", path: () => "/dev/zero" },
  { name: "/proc/self/environ", path: () => "/proc/self/environ" },
  { name: "/proc/self/root", path: (c) => `/proc/self/root${c.root}/inside.txt` },
  { name: "/dev/fd", path: () => "/dev/fd/0" },
  {
    name: "prefix twin",
    path: async (c) => {
      await Deno.mkdir(`${c.root}-evil`);
      await Deno.writeTextFile(`${c.root}-evil/x`, "secret");
      return `${c.root}-evil/x`;
    },
  },
  {
    name: "symlink to a file",
    path: async (c) => {
      await makeLink(c.secret, `${c.root}/link`);
      return "link";
    },
  },
  {
    name: "symlink to a directory",
    path: async (c) => {
      await makeLink(c.outside, `${c.root}/dir`);
      return "dir/secret.txt";
    },
  },
  {
    name: "chain of symlinks",
    path: async (c) => {
      await makeLink("second", `${c.root}/first`);
      await makeLink("../outside", `${c.root}/second`);
      return "first/secret.txt";
    },
  },
  {
    name: "loop of symlinks",
    path: async (c) => {
      await makeLink("b", `${c.root}/a`);
      await makeLink("a", `${c.root}/b`);
      return "a";
    },
  },
  {
    name: "hard link",
    path: async (c) => {
      await Deno.link(c.secret, `${c.root}/hard`);
      return "hard";
    },
  },
  {
    name: "file over the size",
    path: async (c) => {
      await Deno.truncate(`${c.root}/inside.txt`, 1001);
      return "inside.txt";
    },
  },
];

for (const { name, path } of DENIED) {
  test(`readFileInRoots() refuses: ${name}`, async () => {
    await using c = await Compartment.create({ wall: "unconfined" });
    const result = await readFileInRoots(await path(c), [c.root], READ);
    assert(result.kind === "refused", JSON.stringify(result));
    assertEquals(result.reason.includes(c.top), false);
  });
}

test("readFileInRoots() refuses a FIFO without opening it", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  await c.run(["run", "mkfifo", `${c.root}/fifo`]);
  const result = await readFileInRoots("fifo", [c.root], READ);
  assertEquals(result, { kind: "refused", reason: "Path is not a regular file" });
});

test("readFileInRoots() reads files inside, also through a symlink that stays inside", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  await makeLink("inside.txt", `${c.root}/link`);
  for (
    const path of [
      "inside.txt",
      `${c.root}/inside.txt`,
      "sub/../inside.txt",
      "link",
      "./inside.txt",
    ]
  ) {
    const result = await readFileInRoots(path, [c.root], READ);
    assert(result.kind === "read", `${path}: ${JSON.stringify(result)}`);
    assertEquals(new TextDecoder().decode(result.bytes), "inside");
  }
  await Deno.link(`${c.root}/inside.txt`, `${c.root}/hard`);
  const hard = await readFileInRoots("hard", [c.root], { ...READ, allowHardLinks: true });
  assertEquals(hard.kind, "read");
});

test("readFileInRoots() never leaks while a directory is swapped for a symlink", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  await Deno.writeTextFile(`${c.root}/sub/secret.txt`, "harmless");
  await makeLink(c.outside, `${c.root}/link`);
  // Perl, because a shell would need a process for each step and leave the swap to chance.
  const swap =
    `chdir shift; while (1) { rename "sub", "kept"; rename "link", "sub"; rename "sub", "link";
    rename "kept", "sub"; }`;
  const cancel = new AbortController();
  const swapping = c.run(["run", "perl", "-e", swap, c.root], {}, cancel.signal);
  const seen = new Map<string, number>();
  for (let round = 0; round < 1000; round++) {
    const result = await readFileInRoots("sub/secret.txt", [c.root], READ);
    const key = result.kind === "read" ? new TextDecoder().decode(result.bytes) : "refused";
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  cancel.abort();
  await swapping;
  assertEquals(seen.has("secret"), false);
  assert((seen.get("refused") ?? 0) > 0, "the swap was never noticed");
});

test("resolveInRoots() checks the nearest directory of a path that does not exist yet", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  const options = { mayBeMissing: true };
  await makeLink(c.outside, `${c.root}/dir`);
  await makeLink(`${c.outside}/nothing`, `${c.root}/dangling`);
  assertEquals((await resolveInRoots("dir/new/file", [c.root], options)).kind, "refused");
  assertEquals((await resolveInRoots("dangling", [c.root], options)).kind, "refused");
  assertEquals((await resolveInRoots("dangling/file", [c.root], options)).kind, "refused");
  assertEquals((await resolveInRoots("sub/new/file", [c.root])).kind, "refused");
  assertEquals(await resolveInRoots("sub/new/file", [c.root], options), {
    kind: "inside",
    path: `${c.root}/sub/new/file`,
    root: c.root,
  });
});

Deno.test({
  name: "resolveInRoots() names the flag when Deno itself does not grant the path",
  permissions: { read: "inherit", write: false },
  async fn() {
    const directory = await Deno.realPath(new URL(".", import.meta.url).pathname);
    const result = await resolveInRoots("roots_test.ts", [directory], { access: "write" });
    assert(result.kind === "refused");
    assertStringIncludes(result.reason, "--allow-write=");
  },
});

test("resolveInRoots() lets a path be written where Deno grants it", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  assertEquals((await resolveInRoots("inside.txt", [c.root], { access: "write" })).kind, "inside");
});

test("resolveRoots() gives real directories and refuses everything else", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  await makeLink(c.root, `${c.top}/alias`);
  assertEquals(await resolveRoots([`${c.top}/alias`, c.root]), [c.root]);
  for (const path of [`${c.root}/inside.txt`, `${c.root}/missing`]) {
    const error = await resolveRoots([path]).catch((reason) => reason);
    assert(error instanceof PermissionDeniedError);
  }
});

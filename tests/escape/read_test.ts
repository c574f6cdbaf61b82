// Attempts to read what is not granted. Each succeeds when granted, so that the denial is the wall's doing.

import { assertEquals } from "@std/assert";
import { Compartment, makeLink, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

interface ReadCase {
  readonly name: string;
  readonly walls: readonly Wall[];
  /** Prepares the disk and gives the path to read. */
  readonly path: (compartment: Compartment) => string | Promise<string>;
  /** What the attempt prints when `outside` is granted. */
  readonly granted?: string;
  /** Why the granted half cannot be asked of this wall. */
  readonly exempt?: Partial<Record<Wall, string>>;
}

const BOTH: readonly Wall[] = ["bubblewrap", "deno"];

const CASES: readonly ReadCase[] = [
  { name: "absolute path", walls: BOTH, path: (c) => c.secret },
  { name: "..", walls: BOTH, path: () => "../outside/secret.txt" },
  {
    name: "absolute path with ..",
    walls: BOTH,
    path: (c) => `${c.root}/sub/../../outside/secret.txt`,
  },
  {
    name: "symlink to a file",
    walls: BOTH,
    path: async (c) => {
      await makeLink(c.secret, `${c.root}/link`);
      return `${c.root}/link`;
    },
  },
  {
    name: "symlink to a directory",
    walls: BOTH,
    path: async (c) => {
      await makeLink(c.outside, `${c.root}/dir`);
      return `${c.root}/dir/secret.txt`;
    },
  },
  {
    name: "chain of symlinks",
    walls: BOTH,
    path: async (c) => {
      await makeLink("second", `${c.root}/first`);
      await makeLink(`${c.root}/sub/../../outside`, `${c.root}/second`);
      return `${c.root}/first/secret.txt`;
    },
  },
  {
    name: "/proc/self/root",
    walls: BOTH,
    path: (c) => `/proc/self/root${c.secret}`,
    exempt: { deno: "Deno refuses /proc whatever is granted" },
  },
  {
    name: "/proc/1/root",
    walls: ["bubblewrap"],
    path: (c) => `/proc/1/root${c.secret}`,
    exempt: { bubblewrap: "the first process of the namespace may not be looked into" },
  },
  {
    name: "/proc/self/cwd/..",
    walls: BOTH,
    path: () => "/proc/self/cwd/../outside/secret.txt",
    exempt: { deno: "Deno refuses /proc whatever is granted" },
  },
  {
    name: "prefix twin of the root",
    walls: BOTH,
    path: async (c) => {
      await Deno.mkdir(`${c.root}-evil`);
      await makeLink(c.secret, `${c.root}-evil/secret.txt`);
      return `${c.root}-evil/secret.txt`;
    },
    exempt: {
      bubblewrap: "the twin itself is not part of the grant",
      deno: "the twin itself is not part of the grant",
    },
  },
  {
    name: "case look-alike",
    walls: BOTH,
    path: async (c) => {
      await Deno.mkdir(`${c.top}/ROOT`);
      await Deno.writeTextFile(`${c.top}/ROOT/secret.txt`, "secret");
      return `${c.top}/ROOT/secret.txt`;
    },
    exempt: {
      bubblewrap: "the look-alike itself is not part of the grant",
      deno: "the look-alike itself is not part of the grant",
    },
  },
  {
    name: "Unicode look-alike",
    walls: BOTH,
    path: async (c) => {
      // A Cyrillic "о" stands for both Latin ones.
      await Deno.mkdir(`${c.top}/r\u043e\u043et`);
      await Deno.writeTextFile(`${c.top}/r\u043e\u043et/secret.txt`, "secret");
      return `${c.top}/r\u043e\u043et/secret.txt`;
    },
    exempt: {
      bubblewrap: "the look-alike itself is not part of the grant",
      deno: "the look-alike itself is not part of the grant",
    },
  },
];

for (const { name, walls, path, exempt = {} } of CASES) {
  for (const wall of walls) {
    test(`${wall} child cannot read outside the root: ${name}`, async () => {
      await using denied = await Compartment.create({ wall });
      const outcome = await denied.run(["read", await path(denied)]);
      assertEquals(toSuccess(outcome), undefined, toText(outcome));
      assertEquals(toText(outcome).includes("secret\\n"), false);
    });
    if (exempt[wall] !== undefined) continue;
    test(`${wall} child reads outside the root when granted: ${name}`, async () => {
      await using granted = await Compartment.create({
        wall,
        rules: { read: ["${roots}", "/@outside"] },
      });
      const outcome = await granted.run(["read", await path(granted)]);
      assertEquals(toSuccess(outcome), "secret", toText(outcome));
    });
  }
}

test("bubblewrap child cannot make a hard link to a file outside the root", async () => {
  await using denied = await Compartment.create({
    wall: "bubblewrap",
    rules: { write: ["${roots}"] },
  });
  const attempt = ["link", denied.secret, `${denied.root}/hard`];
  assertEquals(toSuccess(await denied.run(attempt)), undefined);
  const own = ["link", `${denied.root}/inside.txt`, `${denied.root}/hard`];
  assertEquals(toSuccess(await denied.run(own)), "inside");
});

test("bubblewrap child cannot read a denied path inside a readable one", async () => {
  await using granted = await Compartment.create({ wall: "bubblewrap" });
  await using denied = await Compartment.create({
    wall: "bubblewrap",
    rules: { deny: { read: ["${roots}/sub", "${roots}/inside.txt"] } },
  });
  for (const c of [granted, denied]) await Deno.writeTextFile(`${c.root}/sub/key`, "secret");
  assertEquals(toSuccess(await granted.run(["read", `${granted.root}/sub/key`])), "secret");
  assertEquals(toSuccess(await denied.run(["read", `${denied.root}/sub/key`])), undefined);
  assertEquals(toSuccess(await denied.run(["read", `${denied.root}/inside.txt`])), undefined);
});

test("deno child cannot read a denied path inside a readable one", async () => {
  await using denied = await Compartment.create({
    wall: "deno",
    rules: { deny: { read: ["${roots}/sub"] } },
  });
  await Deno.writeTextFile(`${denied.root}/sub/key`, "secret");
  assertEquals(toSuccess(await denied.run(["read", `${denied.root}/sub/key`])), undefined);
  assertEquals(toSuccess(await denied.run(["read", `${denied.root}/inside.txt`])), "inside");
});

test("bubblewrap child sees no home, no configuration and no other user's files", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (
    const path of ["/root", "/home", "/etc/passwd", "/etc/shadow", "/var", "/run", "/sys", "/boot"]
  ) {
    assertEquals(toSuccess(await c.run(["list", path])), undefined, path);
  }
  // The compartment itself, and the way to the program when this repository lies below /tmp.
  const ways = [c.top, new URL(".", import.meta.url).pathname]
    .filter((path) => path.startsWith("/tmp/")).map((path) => path.split("/")[2] ?? "");
  assertEquals(toSuccess(await c.run(["list", "/tmp"])), ways.sort().join("\n"));
});

test("unconfined child reads what it likes, which is why it must be asked for", async () => {
  await using c = await Compartment.create({ wall: "unconfined" });
  assertEquals(toSuccess(await c.run(["read", c.secret])), "secret");
});

for (const wall of ["bubblewrap", "deno"] satisfies readonly Wall[]) {
  test(`${wall} child cannot read outside while a directory is swapped for a symlink`, async () => {
    await using swapper = await Compartment.create({ wall: "unconfined" });
    const { root, outside } = swapper;
    await Deno.writeTextFile(`${root}/sub/secret.txt`, "harmless");
    await makeLink(outside, `${root}/link`);
    const swap = `chdir shift; while (1) { rename "sub", "kept"; rename "link", "sub";
      rename "sub", "link"; rename "kept", "sub"; }`;
    const cancel = new AbortController();
    const swapping = swapper.run(["run", "perl", "-e", swap, root], {}, cancel.signal);
    await using reader = await Compartment.create({ wall, rules: { read: [`${root}`] } });
    for (let round = 0; round < 40; round++) {
      const outcome = await reader.run(["read", `${root}/sub/secret.txt`], { cwd: "/" });
      assertEquals(toSuccess(outcome) === "secret", false);
    }
    cancel.abort();
    await swapping;
  });
}

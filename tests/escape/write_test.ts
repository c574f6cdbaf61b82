// Attempts to write what is not granted, and to write the names that start programs or change what clients trust.

import { assertEquals } from "@std/assert";
import { PROTECTED_NAMES } from "../../src/permission/manifest.ts";
import { Compartment, makeLink, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const WALLS: readonly Wall[] = ["bubblewrap", "deno"];

for (const wall of WALLS) {
  test(`${wall} child cannot write outside its grants`, async () => {
    await using readOnly = await Compartment.create({ wall });
    assertEquals(toSuccess(await readOnly.run(["write", `${readOnly.root}/new`])), undefined);
    await using granted = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    assertEquals(toSuccess(await granted.run(["write", `${granted.outside}/new`])), undefined);
    assertEquals(toSuccess(await granted.run(["write", granted.secret])), undefined);
    assertEquals(await Deno.readTextFile(granted.secret), "secret");
    const outcome = await granted.run(["write", `${granted.root}/new`]);
    assertEquals(toSuccess(outcome), "done", toText(outcome));
    assertEquals(await Deno.readTextFile(`${granted.root}/new`), "written");
  });

  test(`${wall} child cannot write through a symlink that leaves the root`, async () => {
    await using c = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    await makeLink(c.secret, `${c.root}/link`);
    await makeLink(c.outside, `${c.root}/dir`);
    assertEquals(toSuccess(await c.run(["write", `${c.root}/link`])), undefined);
    assertEquals(toSuccess(await c.run(["write", `${c.root}/dir/new`])), undefined);
    assertEquals(await Deno.readTextFile(c.secret), "secret");
  });

  test(`${wall} child cannot write protected names that exist`, async (t) => {
    await using c = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    for (const name of PROTECTED_NAMES) await place(c, name);
    for (const name of PROTECTED_NAMES) {
      await t.step(name, async () => {
        const path = toFile(c, name);
        assertEquals(toSuccess(await c.run(["write", path])), undefined);
        assertEquals(await Deno.readTextFile(path), "original");
      });
    }
  });

  test(`${wall} child cannot make protected names that do not exist`, async (t) => {
    for (const name of PROTECTED_NAMES) {
      await t.step(name, async () => {
        await using c = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
        assertEquals(toSuccess(await c.run(["mkdir-write", toFile(c, name)])), undefined);
        const left = await Array.fromAsync(Deno.readDir(c.root), (entry) => entry.name);
        assertEquals(left.sort(), ["inside.txt", "sub"]);
      });
    }
  });

  test(`${wall} child cannot write protected names that exist further below`, async (t) => {
    await using c = await Compartment.create({ wall, rules: { write: ["${roots}"] } });
    const names = [...PROTECTED_NAMES.map((name) => `sub/${name}`), "a/b/c/.git/hooks"];
    for (const name of names) await place(c, name);
    // The hooks of a submodule lie in the ".git" of the repository around it.
    await Deno.mkdir(`${c.root}/sub/.git/modules/m/hooks`, { recursive: true });
    for (const name of names) {
      await t.step(name, async () => {
        const path = toFile(c, name);
        assertEquals(toSuccess(await c.run(["write", path])), undefined);
        assertEquals(await Deno.readTextFile(path), "original");
      });
    }
    const module = `${c.root}/sub/.git/modules/m/hooks/entry`;
    assertEquals(toSuccess(await c.run(["write", module])), undefined);
    const outcome = await c.run(["write", `${c.root}/sub/.git/HEAD`]);
    assertEquals(toSuccess(outcome), "done", toText(outcome));
  });

  test(`${wall} child writes nested protected names when they are granted by name`, async () => {
    await using c = await Compartment.create({
      wall,
      rules: { write: ["${roots}"], unprotect: [".vscode"] },
    });
    await place(c, "sub/.vscode");
    assertEquals(toSuccess(await c.run(["write", toFile(c, "sub/.vscode")])), "done");
  });

  test(`${wall} child writes protected names when they are granted by name`, async (t) => {
    for (const name of [".git/hooks", ".mcp.json", ".vscode", ".claude", ".bashrc"]) {
      await t.step(name, async () => {
        await using c = await Compartment.create({
          wall,
          rules: {
            write: ["${roots}"],
            unprotect: name === ".git/hooks" ? [".git/hooks", ".git/config"] : [name],
          },
        });
        const outcome = await c.run(["mkdir-write", toFile(c, name)]);
        assertEquals(toSuccess(outcome), "done", toText(outcome));
      });
    }
  });
}

test("bubblewrap child cannot replace the .git file of a worktree", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { write: ["${roots}"] } });
  await Deno.writeTextFile(`${c.root}/.git`, "gitdir: elsewhere");
  assertEquals(toSuccess(await c.run(["replace-write", `${c.root}/.git`])), undefined);
  assertEquals(await Deno.readTextFile(`${c.root}/.git`), "gitdir: elsewhere");
});

test("bubblewrap child cannot replace the .git file of a submodule", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { write: ["${roots}"] } });
  await Deno.writeTextFile(`${c.root}/sub/.git`, "gitdir: elsewhere");
  assertEquals(toSuccess(await c.run(["write", `${c.root}/sub/.git`])), undefined);
  assertEquals(toSuccess(await c.run(["replace-write", `${c.root}/sub/.git`])), undefined);
  assertEquals(await Deno.readTextFile(`${c.root}/sub/.git`), "gitdir: elsewhere");
});

test("launcher refuses a root whose protected name is a symlink", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { write: ["${roots}"] } });
  await makeLink(c.outside, `${c.root}/.claude`);
  const outcome = await c.run(["write", `${c.root}/new`]);
  assertEquals(outcome.kind, "denied");
});

test("two launches at once keep protected names covered until both have ended", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { write: ["${roots}"] } });
  const cancel = new AbortController();
  const long = c.run(["hang", "30"], {}, cancel.signal);
  assertEquals(toSuccess(await c.run(["mkdir-write", `${c.root}/.vscode/a`])), undefined);
  assertEquals(toSuccess(await c.run(["mkdir-write", `${c.root}/.vscode/a`])), undefined);
  cancel.abort();
  assertEquals((await long).kind, "canceled");
  const left = await Array.fromAsync(Deno.readDir(c.root), (entry) => entry.name);
  assertEquals(left.sort(), ["inside.txt", "sub"]);
});

function toFile(c: Compartment, name: string): string {
  const isDirectory = [".git/hooks", ".vscode", ".cursor", ".idea", ".claude"]
    .some((directory) => name === directory || name.endsWith(`/${directory}`));
  return `${c.root}/${name}${isDirectory ? "/entry" : ""}`;
}

async function place(c: Compartment, name: string): Promise<void> {
  const path = toFile(c, name);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, "original");
}

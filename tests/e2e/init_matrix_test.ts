// Every client times every state of its file, against the pairs in `fixtures/clients/`: what is written, that a second
// run changes nothing, and that undo gives back the very same bytes. Binnacle checklist 26 to 29.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CLIENTS } from "../../src/clients/client.ts";
import {
  type Input,
  listInputs,
  NAME,
  OPTIONS,
  PROGRAM as PLACEHOLDER,
} from "../../fixtures/clients/inputs.ts";
import { InitLab, PROGRAM } from "./init_lab.ts";

const NAMES = [
  "absent",
  "empty",
  "empty-object",
  "other-servers",
  "old-entry",
  "comments",
  "trailing-commas",
  "tabs",
  "crlf",
  "bom",
  "malformed",
  "array-root",
  "wrong-typed-key",
  "duplicate-keys",
  "read-only",
  "symlink",
  "huge",
];

const ARGS = ["demo", ...CLIENTS.flatMap(({ name }) => ["--client", name]), "--", ...OPTIONS];

/** An odd mode that a umask would narrow, so that keeping it is seen. */
const MODE = 0o664;

/** Refusals that are about the file, not its text. */
const FILE_REFUSALS = {
  "read-only": "is read-only; make it writable if it may be changed",
  "symlink": "lies behind a symbolic link that leads elsewhere; edit the real file yourself",
} as const;

for (const name of NAMES) {
  Deno.test(`28, 29: init matrix: ${name}`, async (t) => {
    await using lab = await InitLab.open();
    for (const client of CLIENTS) await prepare(lab, lab.pathOf(client), pick(client, name));
    const before = await lab.snapshot();
    const first = await lab.run(ARGS);
    const written = await lab.snapshot();
    let refusals = 0;
    for (const client of CLIENTS) {
      await t.step(client.name, async () => {
        const path = lab.pathOf(client);
        const input = pick(client, name);
        const reason = await findRefusal(client.name, input);
        if (reason !== undefined) {
          refusals++;
          assertStringIncludes(first.stderr, ` ${reason}\n`);
          assertEquals(written.get(path), before.get(path));
          return;
        }
        const text = decode(await Deno.readFile(path)).replaceAll(PROGRAM, PLACEHOLDER);
        if (input.isHuge) await compareHuge(client.name, input, text);
        else assertEquals(text, await golden(`${client.name}/${name}.after`));
        if (input.text !== undefined) {
          const { mode } = await Deno.stat(path);
          assertEquals((mode ?? 0) & 0o7777, MODE);
        }
      });
    }
    assertEquals(first.code, refusals > 0 ? 1 : 0, first.stderr);

    await t.step("a second run changes nothing", async () => {
      const journal = await Deno.readTextFile(`${lab.state}/init.json`).catch(() => "");
      const again = await lab.run(ARGS);
      assertEquals(again.code, first.code);
      assertEquals(/Created|Updated/.test(again.stdout), false, again.stdout);
      assertEquals(await lab.snapshot(), written);
      assertEquals(await Deno.readTextFile(`${lab.state}/init.json`).catch(() => ""), journal);
    });

    await t.step("undo gives back the same bytes", async () => {
      const undone = await lab.run(["demo", "--undo"]);
      assertEquals(undone.code, 0, undone.stderr);
      const after = await lab.snapshot();
      // Directories above the one that held a new file stay.
      for (const [path, state] of after) {
        if (!before.has(path) && state.startsWith("directory")) continue;
        assertEquals(state, before.get(path), path);
      }
      for (const path of before.keys()) assert(after.has(path), path);
      assertEquals(await Array.fromAsync(Deno.readDir(`${lab.state}/backups`)), []);
    });
  });
}

Deno.test("the pairs are those that the table calls for", async () => {
  const folder = new URL("../../fixtures/clients/", import.meta.url);
  const rows: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) if (isDirectory) rows.push(name);
  assertEquals(rows.sort(), CLIENTS.map(({ name }) => name).sort());
  for (const client of CLIENTS) {
    const inputs = listInputs(client);
    assertEquals(inputs.map(({ name }) => name).sort(), NAMES.toSorted(), client.name);
    for (const { name, text, isHuge } of inputs) {
      if (text === undefined || isHuge) continue;
      assertEquals(await golden(`${client.name}/${name}.before`), text, `${client.name} ${name}`);
    }
  }
});

function pick(client: (typeof CLIENTS)[number], name: string): Input {
  const input = listInputs(client).find((candidate) => candidate.name === name);
  if (input === undefined) throw new Error(`${client.name} has no input "${name}"`);
  return input;
}

async function prepare(lab: InitLab, path: string, { text, file }: Input): Promise<void> {
  if (text === undefined) return;
  if (file === "symlink") {
    const target = `${lab.root}/elsewhere${path.replaceAll("/", "_")}`;
    await lab.put(target, text);
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    // Deno makes links only with permissions that no test should have.
    await new Deno.Command("ln", { args: ["-s", target, path] }).output();
    return;
  }
  await lab.put(path, text, file === "read-only" ? 0o444 : MODE);
}

async function findRefusal(client: string, { name, file }: Input): Promise<string | undefined> {
  if (file !== undefined) return FILE_REFUSALS[file];
  const text = await golden(`${client}/${name}.refusal`).catch(() => undefined);
  return text?.trimEnd();
}

/** Apart from one insertion, and the comma before it, nothing differs. */
async function compareHuge(client: string, { text = "" }: Input, after: string): Promise<void> {
  const added = (await golden(`${client}/huge.diff`)).split("\n")
    .filter((line) => line.startsWith("+") && !line.startsWith("+++"))
    .map((line) => `${line.slice(1)}\n`).join("");
  assertStringIncludes(added, NAME);
  const at = after.indexOf(added);
  assert(at > 0, "the golden lines stand in the file as a whole");
  const rest = after.slice(0, at) + after.slice(at + added.length);
  const removed = (await golden(`${client}/huge.diff`)).split("\n")
    .filter((line) => line.startsWith("-") && !line.startsWith("---"))
    .map((line) => `${line.slice(1)}\n`).join("");
  assert(rest.slice(0, at) + removed + rest.slice(at) === text, "other bytes differ");
  assert(new TextEncoder().encode(text).length > 5_000_000);
}

async function golden(path: string): Promise<string> {
  return decode(await Deno.readFile(new URL(`../../fixtures/clients/${path}`, import.meta.url)));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
